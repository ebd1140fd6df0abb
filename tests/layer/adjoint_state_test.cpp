#include "spodnet/layer/adjoint_state.hpp"

#include <gtest/gtest.h>

#include "support/spd_matrices.hpp"

namespace spodnet::test {
namespace {

/// The same G as a full matrix, every term applied at once.
struct PlainAdjoint {
  Matrix G;

  void undo_column(Eigen::Index i, const Vector& d_theta_12, double d_theta_22, double d_q,
                   const Vector& y, double d_q0, const Vector& h, const Vector& m,
                   const Vector& w) {
    G.row(i) = d_theta_12.transpose() / 2;
    G.col(i) = d_theta_12 / 2;
    G(i, i) = d_theta_22;
    G -= d_q * y * y.transpose() + d_q0 * h * h.transpose();
    G -= (m * w.transpose() + w * m.transpose()) / 2;
  }
};

struct Vectors {
  AlignedVector d_theta, y, h, w;
};

class Adjoint : public testing::TestWithParam<std::size_t> {
 protected:
  const std::size_t p = GetParam(), ld = padded(GetParam());
  RandomStream random{p};
  LayerTape tape{p};
  Matrix Theta = random_spd(p, random), Theta_true = random_spd(p, random);

  AlignedVector some(std::size_t zero_at) {
    AlignedVector x(ld);
    for (std::size_t j = 0; j < p; ++j) x[j] = random.normal() / std::sqrt(double(p));
    if (zero_at < p) x[zero_at] = 0;
    return x;
  }
  Vector plain(const double* x) const { return Eigen::Map<const Vector>(x, Eigen::Index(p)); }

  AdjointState::Norms start(AdjointState& adjoint) {
    for (std::size_t r = 0; r < p; ++r) {
      for (std::size_t c = 0; c < r; ++c) tape.u[r][c] = Theta(Eigen::Index(r), Eigen::Index(c));
      tape.diag_out[r] = Theta(Eigen::Index(r), Eigen::Index(r));
    }
    return adjoint.start(tape, Theta_true.data(), 0.5);
  }
};

TEST_P(Adjoint, StartsWithTheLoss) {
  AdjointState adjoint(p);
  const auto norms = start(adjoint);
  EXPECT_NEAR(norms.difference, (Theta - Theta_true).squaredNorm(), 1e-12 * norms.difference);
  EXPECT_NEAR(norms.truth, Theta_true.squaredNorm(), 1e-12 * norms.truth);
  AlignedVector column(ld);
  for (std::size_t i = 0; i < p; ++i) {
    adjoint.get_column(i, column.data());
    const Vector expected = 0.5 * (Theta - Theta_true).col(Eigen::Index(i));
    EXPECT_LE((plain(column.data()) - expected).norm(), 1e-14 * (1 + expected.norm()));
  }
}

/// From the last column to the first, flushed after each block: every column that is read on the
/// way, and (unless `only_columns`) all of G at the end, agree with the full matrix.
TEST_P(Adjoint, UndoingColumnsAgreesWithTheFullMatrix) {
  for (bool only_columns : {false, true})
    for (bool reads_W : {false, true}) {
      AdjointState adjoint(p);
      start(adjoint);
      PlainAdjoint full{0.5 * (Theta - Theta_true)};
      std::vector<Vectors> kept(p);  // undo_column keeps pointers to them
      AlignedVector column(ld), diagonal(ld);
      for (std::size_t i = p; i-- > 0;) {
        adjoint.get_column(i, column.data());
        ASSERT_LE((plain(column.data()) - full.G.col(Eigen::Index(i))).norm(), 1e-12)
            << "column " << i;
        Vectors& x = kept[i] = {some(i), some(i), some(i), some(p)};
        const double d_theta_22 = random.normal(), d_q = random.normal(), d_q0 = random.normal();
        double* m = reads_W ? adjoint.next_m() : nullptr;
        const AlignedVector m_now = some(p);
        if (m) std::copy(m_now.begin(), m_now.end(), m);
        const Vector no_m = Vector::Zero(Eigen::Index(p));
        full.undo_column(Eigen::Index(i), plain(x.d_theta.data()), d_theta_22, d_q,
                         plain(x.y.data()), d_q0, plain(x.h.data()),
                         reads_W ? plain(m_now.data()) : no_m, plain(x.w.data()));
        adjoint.undo_column(i, x.d_theta.data(), d_theta_22, d_q, x.y.data(), d_q0, x.h.data(), m,
                            x.w.data(), only_columns ? i : p);
        for (std::size_t j = 0; j < p; ++j) diagonal[j] = random.normal();
        adjoint.add_diagonal(diagonal.data());
        full.G.diagonal() += plain(diagonal.data());
        if (i % kBlock == 0) adjoint.flush(only_columns ? i : p);
      }
      if (only_columns) continue;
      for (std::size_t i = 0; i < p; ++i) {
        adjoint.get_column(i, column.data());
        ASSERT_LE((plain(column.data()) - full.G.col(Eigen::Index(i))).norm(), 1e-12);
      }
      ColumnHistory A(p);
      for (std::size_t r = 0; r < p; ++r)
        for (std::size_t c = 0; c < p; ++c) A[r][c] = Theta(Eigen::Index(r), Eigen::Index(c));
      const double expected = full.G.cwiseProduct(Theta * Theta).sum();
      EXPECT_NEAR(adjoint.inner_with_square(A), expected, 1e-10 * (1 + std::abs(expected)));
    }
}

INSTANTIATE_TEST_SUITE_P(Sizes, Adjoint, testing::Values(1, 2, 3, 7, 8, 9, 16, 17, 33, 60));

}  // namespace
}  // namespace spodnet::test
