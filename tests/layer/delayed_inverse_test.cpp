// A large W with its updates delayed: against plain matrices, and the same bits on any number of
// threads.
#include "spodnet/layer/delayed_inverse.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "spodnet/layer/schur_state.hpp"
#include "support/spd_matrices.hpp"

namespace spodnet::test {
namespace {

AlignedVector random_padded(std::size_t p, double zeros, RandomStream& random) {
  AlignedVector x(padded(p));
  for (std::size_t j = 0; j < p; ++j) x[j] = random.uniform() < zeros ? 0.0 : random.normal();
  return x;
}

Vector head(const AlignedVector& x, std::size_t p) {
  return Eigen::Map<const Vector>(x.data(), Eigen::Index(p));
}

/// Columns and products, dense and sparse, between updates: more of them than may wait.
std::vector<AlignedVector> answers(std::size_t p, ThreadPool* pool, Matrix* plain) {
  RandomStream random(p);
  Matrix A(p, p);
  for (double& a : A.reshaped()) a = random.normal();
  A = (A + A.transpose()).eval();
  DelayedInverse W(p, pool);
  W.assign(A.data(), 2.0);
  A.diagonal().array() += 2.0;
  std::vector<AlignedVector> out;
  for (int k = 0; k < 70; ++k) {
    const AlignedVector x = random_padded(p, 0.3, random), z = random_padded(p, k % 2, random);
    const double c = random.normal() / double(p);
    W.update(c, x.data());
    A += c * head(x, p) * head(x, p).transpose();
    const std::size_t i = std::size_t(random.uniform() * double(p));
    AlignedVector column(padded(p)), product(padded(p));
    W.column(i, column.data());
    W.product(z.data(), product.data());
    if (plain) {
      EXPECT_LE((head(column, p) - A.col(Eigen::Index(i))).norm(), 1e-12 * A.norm());
      EXPECT_LE((head(product, p) - A * head(z, p)).norm(), 1e-12 * A.norm() * head(z, p).norm());
    }
    out.push_back(column);
    out.push_back(product);
  }
  if (plain) *plain = A;
  return out;
}

TEST(DelayedInverse, EqualsTheUpdatedMatrix) {
  for (const std::size_t p : {1, 7, 8, 65, 130, 600}) {
    Matrix plain;
    answers(p, nullptr, &plain);
  }
}

TEST(DelayedInverse, SameBitsOnAnyNumberOfThreads) {
  const auto alone = answers(600, nullptr, nullptr);
  for (const int threads : {1, 2, 3}) {
    ThreadPool pool(threads);
    EXPECT_EQ(answers(600, &pool, nullptr), alone) << threads;
  }
}

/// A walk with given columns, by the plain state and by the one for large estimates.
Matrix walked_W(SchurState state, LayerTape tape, const Matrix& S) {
  const std::size_t p = std::size_t(S.rows());
  RandomStream random(5);
  AlignedVector product(padded(p));
  EXPECT_EQ(state.start(S.data(), 1.0, tape), Status::ok);
  for (std::size_t i = 0; i < 40; ++i) {
    const AlignedVector u = random_padded(p, 0.9, random);
    for (std::size_t j = 0; j < p; ++j) tape.u[i][j] = j == i ? 0 : 0.05 * u[j];
    state.get_w(i, tape.w[i]);
    state.product(tape.u[i], product.data());
    const double factor = -kernels().dot(state.ld(), tape.w[i], tape.u[i]) / tape.w[i][i];
    ColumnScalars& s = tape.scalars[i];
    s.q = kernels().schur_product(state.ld(), i, tape.w[i], factor, tape.u[i], product.data(),
                                  tape.y[i]);
    s.v = 1.5;
    tape.y[i][i] = -1;
    state.update(tape, i);
  }
  Matrix W(p, p);
  AlignedVector w(padded(p));
  for (std::size_t i = 0; i < p; ++i) {
    state.get_w(i, w.data());
    W.row(Eigen::Index(i)) = head(w, p);
  }
  return W;
}

TEST(ForwardOnly, LargeWalkEqualsThePlainOne) {
  const std::size_t p = 1537;  // large enough for delayed updates
  RandomStream random(2);
  Matrix X(40, p);
  for (double& x : X.reshaped()) x = random.normal();
  const Matrix S = X.transpose() * X / 40.0;
  const Matrix plain = walked_W(SchurState(p), LayerTape(p), S);
  ThreadPool pool(2);
  const Matrix alone =
      walked_W(SchurState::forward_only(p, nullptr), LayerTape::forward_only(p), S);
  const Matrix shared = walked_W(SchurState::forward_only(p, &pool), LayerTape::forward_only(p), S);
  EXPECT_LE((alone - plain).norm(), 1e-11 * plain.norm());
  EXPECT_TRUE(alone == shared);
}

}  // namespace
}  // namespace spodnet::test
