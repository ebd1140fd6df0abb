// Kernels on symmetric matrices of every instruction set, against their definitions.
#include <Eigen/Eigenvalues>
#include <algorithm>

#include "core/kernels_fixture.hpp"

namespace spodnet::test {
namespace {

class SymmetricKernels : public KernelsTest {};

/// A random symmetric matrix in block-lower-triangular storage: what lies above the diagonal blocks
/// is NaN, so that a kernel that reads it is caught; rows and columns >= p are 0.
struct Triangle {
  std::size_t p, ld;
  Numbers values;
  Matrix full;

  Triangle(std::size_t p_, bool aligned, RandomStream& random)
      : p(p_), ld(padded(p_)), values(ld * ld, aligned, random) {
    const Matrix A = Eigen::Map<Matrix>(values.data(), Eigen::Index(ld), Eigen::Index(ld));
    full = Matrix::Zero(Eigen::Index(ld), Eigen::Index(ld));
    const auto n = Eigen::Index(p);
    full.topLeftCorner(n, n) = (A + A.transpose()).topLeftCorner(n, n) / 2;
    for (std::size_t r = 0; r < ld; ++r)
      for (std::size_t c = 0; c < ld; ++c)
        values[r * ld + c] = c < end(r) ? full(Eigen::Index(r), Eigen::Index(c)) : kNaN;
  }
  static std::size_t end(std::size_t r) { return (r / kBlock + 1) * kBlock; }
  /// The stored part against `expected`, and nothing written above it.
  void expect_is(const Matrix& expected, double tolerance) {
    for (std::size_t r = 0; r < ld; ++r)
      for (std::size_t c = 0; c < ld; ++c) {
        const double got = values[r * ld + c];
        if (c < end(r))
          ASSERT_NEAR(got, expected(Eigen::Index(r), Eigen::Index(c)), tolerance) << r << "," << c;
        else
          ASSERT_TRUE(std::isnan(got)) << r << "," << c;
      }
  }
  Vector product(Numbers& x) const { return full * x.vector(ld); }
};

TEST_P(SymmetricKernels, SymmetricProduct) {
  everywhere([&](std::size_t p, std::size_t n, bool aligned) {
    Triangle A(p, aligned, random);
    Numbers x(n, aligned, random), out(n, aligned, random);
    const Vector expected = A.product(x.pad(p));
    kernels().symmetric_product(p, n, A.values.data(), x.data(), out.data());
    EXPECT_LE((out.vector(n) - expected).norm(), kRounding * double(n));
    A.expect_is(A.full, 0);
  });
}

TEST_P(SymmetricKernels, SharesOfRowsAddUpToTheProduct) {
  everywhere([&](std::size_t p, std::size_t n, bool aligned) {
    Triangle A(p, aligned, random);
    Numbers x(n, aligned, random);
    const Vector expected = A.product(x.pad(p));
    Vector sum = Vector::Zero(Eigen::Index(n));
    for (std::size_t first = 0; first < n; first += 2 * kBlock) {
      const std::size_t last = std::min(n, first + 2 * kBlock);
      Numbers share(n, aligned, random);
      kernels().symmetric_rows(first, last, n, A.values.data(), x.data(), share.data());
      sum.head(Eigen::Index(last)) += share.vector(last);
    }
    EXPECT_LE((sum - expected).norm(), kRounding * double(n));
    A.expect_is(A.full, 0);
  });
}

TEST_P(SymmetricKernels, UpdateProduct) {
  everywhere([&](std::size_t p, std::size_t n, bool aligned) {
    Triangle A(p, aligned, random);
    Numbers x1(n, aligned, random), x2(n, aligned, random), z(n, aligned, random);
    Numbers out(n, aligned, random);
    for (Numbers* x : {&x1, &x2, &z}) x->pad(p);
    A.full += -0.7 * x1.vector(n) * x1.vector(n).transpose() +
              1.3 * x2.vector(n) * x2.vector(n).transpose();
    kernels().update_product(p, n, A.values.data(), x1.data(), -0.7, x2.data(), 1.3, z.data(),
                             out.data());
    A.expect_is(A.full, kRounding * 20);
    EXPECT_LE((out.vector(n) - A.product(z)).norm(), kRounding * 10 * double(n));
  });
}

TEST_P(SymmetricKernels, RankUpdate) {
  everywhere([&](std::size_t p, std::size_t n, bool aligned) {
    for (std::size_t pairs : {0, 1, 7, 16}) {
      Triangle A(p, aligned, random);
      std::vector<Numbers> rows;
      for (std::size_t k = 0; k < 2 * pairs; ++k) rows.emplace_back(n, aligned, random).pad(p);
      std::vector<const double*> left, right;
      std::vector<double> coef;
      Matrix sum = Matrix::Zero(Eigen::Index(n), Eigen::Index(n));
      for (std::size_t k = 0; k < pairs; ++k) {  // c (a b' + b a'): symmetric
        const double c = random.normal();
        Numbers &a = rows[2 * k], &b = rows[2 * k + 1];
        coef.insert(coef.end(), {c, c});
        left.insert(left.end(), {a.data(), b.data()});
        right.insert(right.end(), {b.data(), a.data()});
        const Matrix ab = c * a.vector(n) * b.vector(n).transpose();
        sum += ab + ab.transpose();
      }
      const std::size_t columns = kBlock * random.below(n / kBlock + 1);
      sum.rightCols(Eigen::Index(n - columns)).setZero();
      kernels().rank_update(p, n, A.values.data(), coef.size(), coef.data(), left.data(),
                            right.data(), columns);
      A.expect_is(A.full + sum, kRounding * 100);
    }
  });
}

TEST_P(SymmetricKernels, SchurProductIsTheInverseOfTheta11) {
  everywhere([&](std::size_t p, std::size_t n, bool aligned) {
    const auto size = Eigen::Index(p), i = Eigen::Index(random.below(p));
    const Matrix A = Matrix::NullaryExpr(size, size, [&] { return random.normal(); });
    Matrix W = Matrix::Identity(size, size) + A * A.transpose() / double(p);
    Numbers x(n, aligned, random), w(n, aligned, random), Wx(n, aligned, random);
    Numbers out(n, aligned, random);
    for (Numbers* v : {&x, &w, &Wx}) v->pad(p);
    x[std::size_t(i)] = 0;
    Eigen::Map<Vector>(w.data(), size) = W.col(i);
    Eigen::Map<Vector>(Wx.data(), size) = W * x.vector(p);
    Matrix H = W - W.col(i) * W.row(i) / W(i, i);  // inv_theta_11 with zeros in row and column i
    H.row(i).setZero();
    const Vector expected = H * x.vector(p);
    const double factor = -W.col(i).dot(x.vector(p)) / W(i, i);
    const double quadratic = kernels().schur_product(n, std::size_t(i), w.data(), factor, x.data(),
                                                     Wx.data(), out.data());
    EXPECT_LE((out.vector(p) - expected).norm(), kRounding * 10 * double(p));
    EXPECT_EQ(out[std::size_t(i)], 0);
    EXPECT_NEAR(quadratic, x.vector(p).dot(expected), kRounding * 100 * double(p));
    w[std::size_t(i)] = 0;  // not used
    kernels().schur_product(n, std::size_t(i), w.data(), factor, x.data(), Wx.data(), Wx.data());
    EXPECT_EQ(Wx.vector(p), out.vector(p)) << "in place";
  });
}

TEST_P(SymmetricKernels, InverseFactorOfABlock) {
  using Block = Eigen::Matrix<double, kBlock, kBlock, Eigen::RowMajor>;
  constexpr std::size_t ld = 3 * kBlock;
  for (double distance : {1.0, 1e-3, 1e-6}) {  // of two rows
    Block A = Block::NullaryExpr([&] { return random.normal(); });
    A.row(1) = A.row(0) + distance * A.row(1);
    A = (A * A.transpose()).eval();
    Numbers rows(kBlock * ld, true, random);
    for (std::size_t k = 0; k < kBlock; ++k)
      std::copy_n(A.data() + k * kBlock, kBlock, &rows[k * ld + kBlock]);
    Block R;
    ASSERT_TRUE(kernels().invert_factor(&rows[kBlock], ld, R.data()));
    EXPECT_EQ(R, Block(R.triangularView<Eigen::Lower>()));
    const Vector values = Eigen::SelfAdjointEigenSolver<Block>(A).eigenvalues();
    const double condition = values[kBlock - 1] / values[0];
    EXPECT_LE((R * A * R.transpose() - Block::Identity()).norm(), kRounding * condition);
    for (double bad : {0.0, -1.0, kNaN, kInfinity}) {
      rows[2 * ld + kBlock + 2] = bad;
      EXPECT_FALSE(kernels().invert_factor(&rows[kBlock], ld, R.data())) << bad;
    }
  }
}

TEST_P(SymmetricKernels, ColumnOfATriangle) {
  everywhere([&](std::size_t p, std::size_t n, bool aligned) {
    Triangle A(p, aligned, random);
    Numbers x1(n, aligned, random), x2(n, aligned, random), out(n, aligned, random);
    for (std::size_t i = 0; i < p; ++i) {
      const Vector column = A.full.col(Eigen::Index(i));
      kernels().triangle_column(n, A.values.data(), i, 2.0, nullptr, 2.0, nullptr, out.data());
      ASSERT_EQ(out.vector(n), column) << i;
      kernels().triangle_column(n, A.values.data(), i, 0.3, x1.data(), -0.7, x2.data(), out.data());
      const Vector expected = column + 0.3 * x1.vector(n) - 0.7 * x2.vector(n);
      ASSERT_LE((out.vector(n) - expected).norm(), kRounding * (1 + expected.norm())) << i;
    }
  });
}

SPODNET_EACH_INSTRUCTION_SET(SymmetricKernels);

}  // namespace
}  // namespace spodnet::test
