#include "spodnet/core/symmetric_eigen.hpp"

#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <cmath>

#include "spodnet/core/error.hpp"
#include "spodnet/core/kernels.hpp"
#include "spodnet/core/packed.hpp"
#include "spodnet/core/random.hpp"
#include "spodnet/core/spectral_products.hpp"
#include "support/instruction_sets.hpp"

namespace spodnet::test {
namespace {

Matrix random_symmetric(Eigen::Index p, std::uint64_t seed) {
  RandomStream random(seed);
  Matrix A(p, p);
  for (double& a : A.reshaped()) a = random.normal();
  return 0.5 * (A + A.transpose());
}

std::vector<double> packed(const Matrix& A) {
  std::vector<double> out(packed_size(std::size_t(A.rows())));
  pack_lower(A.data(), std::size_t(A.rows()), std::size_t(A.rows()), out.data());
  return out;
}

Matrix rows_of(const SymmetricEigen& eigen) {
  const auto p = Eigen::Index(eigen.p);
  return ConstMatrixMap(eigen.V.data(), p, Eigen::Index(eigen.ld)).leftCols(p);
}

/// A = V'yV, VV' = I, and the eigenvalues of an independent solver.
void expect_decomposition(const Matrix& A, SymmetricEigen& eigen) {
  const Eigen::Index p = A.rows();
  eigen.resize(std::size_t(p));
  ASSERT_EQ(symmetric_eigen(packed(A).data(), eigen), Status::ok);
  const Matrix V = rows_of(eigen);
  const Eigen::Map<const Vector> y(eigen.y.data(), p);
  const double largest = std::max(A.cwiseAbs().maxCoeff(), 1e-300);
  const double tolerance = 2e-16 * double(p + 10), norm = largest * (A / largest).norm() + 1e-300;
  EXPECT_LE((V * V.transpose() - Matrix::Identity(p, p)).norm(), tolerance * std::sqrt(double(p)));
  EXPECT_LE((V * (A / norm) - y.asDiagonal() * V / norm).norm(), tolerance);
  Vector sorted = y;
  std::sort(sorted.begin(), sorted.end());
  const Vector expected = Eigen::SelfAdjointEigenSolver<Matrix>(A).eigenvalues();
  EXPECT_LE(((sorted - expected) / norm).norm(), tolerance);
}

class SymmetricEigens : public EachInstructionSet {
 protected:
  SymmetricEigen eigen;
};

TEST_P(SymmetricEigens, RandomMatricesOfManySizes) {
  for (Eigen::Index p = 1; p <= 34; ++p) expect_decomposition(random_symmetric(p, 7), eigen);
  // From 256 on sweeps are recorded, from 512 on updates wait.
  for (Eigen::Index p : {63, 64, 100, 129, 210, 301, 512, 533})
    expect_decomposition(random_symmetric(p, 8), eigen);
}

TEST_P(SymmetricEigens, SpecialMatrices) {
  for (Eigen::Index p : {1, 2, 3, 9, 30}) {
    const Vector ones = Vector::Ones(p), ramp = Vector::LinSpaced(p, -1, 2);
    Matrix wilkinson = Matrix::Zero(p, p), arrow = Matrix::Identity(p, p), blocks = wilkinson;
    for (Eigen::Index i = 0; i < p; ++i) {
      wilkinson(i, i) = std::abs(double(i) - double(p - 1) / 2);
      if (i > 0) wilkinson(i, i - 1) = wilkinson(i - 1, i) = 1;
      arrow(i, 0) = arrow(0, i) = double(i);
      blocks
          .block(i / 3 * 3, i / 3 * 3, std::min<Eigen::Index>(3, p - i / 3 * 3),
                 std::min<Eigen::Index>(3, p - i / 3 * 3))
          .setConstant(2);
    }
    for (const Matrix& A : {Matrix(Matrix::Zero(p, p)), Matrix(Matrix::Identity(p, p)),
                            Matrix(ramp.asDiagonal()), Matrix(ones * ones.transpose()),
                            Matrix(ramp * ramp.transpose()), wilkinson, arrow, blocks})
      expect_decomposition(A, eigen);
  }
}

TEST_P(SymmetricEigens, AnyScaleAndGrading) {
  const Matrix A = random_symmetric(12, 3);
  for (double scale : {1e-300, 1e-160, 1e-20, 1e20, 1e160, 1e300})
    expect_decomposition(scale * A, eigen);
  Vector grades(12);
  for (Eigen::Index i = 0; i < 12; ++i) grades[i] = std::pow(10.0, -12.0 * double(i));
  expect_decomposition(grades.asDiagonal() * A * grades.asDiagonal(), eigen);
  expect_decomposition(grades.reverse().asDiagonal() * A * grades.reverse().asDiagonal(), eigen);
}

TEST_P(SymmetricEigens, ProductsWithTheBasis) {
  for (Eigen::Index p : {1, 2, 7, 8, 25, 57}) {
    const Matrix A = random_symmetric(p, 1), G = random_symmetric(p, 2);
    eigen.resize(std::size_t(p));
    ASSERT_EQ(symmetric_eigen(packed(A).data(), eigen), Status::ok);
    const Matrix V = rows_of(eigen);
    SpectralProducts products;
    products.resize(std::size_t(p));
    std::vector<double> lower(packed_size(std::size_t(p))), diagonal(static_cast<std::size_t>(p));
    const auto full = [&] {
      Matrix B(p, p);
      unpack_symmetric(lower.data(), std::size_t(p), std::size_t(p), B.data());
      return B;
    };
    products.assemble(eigen, eigen.y.data(), lower.data());
    EXPECT_LE((full() - A).norm(), 1e-14 * double(p + 10));
    products.diagonal(eigen, packed(G).data(), diagonal.data());
    const Matrix M = V * G * V.transpose();
    EXPECT_LE((Eigen::Map<Vector>(diagonal.data(), p) - M.diagonal()).norm(), 1e-13 * M.norm());
    Matrix got = Matrix::Zero(p, Eigen::Index(eigen.ld));
    products.to_basis(eigen, packed(G).data(), got.data());
    EXPECT_LE((got.leftCols(p) - M).norm(), 1e-13 * M.norm());
    EXPECT_EQ(Matrix(got.leftCols(p)), Matrix(got.leftCols(p).transpose()));
    products.from_basis(eigen, got.data(), lower.data());
    EXPECT_LE((full() - G).norm(), 1e-13 * G.norm());
  }
}

TEST_P(SymmetricEigens, SpecialMatricesThatAreLarge) {
  const Eigen::Index p = 515;
  const Vector ones = Vector::Ones(p), ramp = Vector::LinSpaced(p, -1, 2);
  for (const Matrix& A : {Matrix(Matrix::Zero(p, p)), Matrix(ramp.asDiagonal()),
                          Matrix(ones * ones.transpose()), Matrix(ramp * ramp.transpose())})
    expect_decomposition(A, eigen);
}

SPODNET_EACH_INSTRUCTION_SET(SymmetricEigens);

TEST(SymmetricEigen, NotANumberIsAStatus) {
  Matrix A = random_symmetric(5, 1);
  SymmetricEigen eigen;
  eigen.resize(5);
  for (double bad : {double(NAN), double(INFINITY)}) {
    A(3, 1) = bad;
    EXPECT_EQ(symmetric_eigen(packed(A).data(), eigen), Status::not_finite);
  }
}

TEST(SortedEigen, IsTheSameForAnyNumberOfThreads) {
  ThreadPool pool(3);
  for (const std::size_t p : {300, 600}) {
    const Matrix B = random_symmetric(Eigen::Index(p), 9);
    SymmetricEigen one, two;
    one.resize(p), two.resize(p);
    ASSERT_EQ(symmetric_eigen(packed(B).data(), one), Status::ok);
    ASSERT_EQ(symmetric_eigen(packed(B).data(), two, &pool), Status::ok);
    EXPECT_EQ(one.V, two.V);
    EXPECT_EQ(one.y, two.y);
  }
  const Matrix A = random_symmetric(300, 9);
  const SortedEigen sorted = sorted_eigen(A);
  EXPECT_TRUE(std::is_sorted(sorted.values.begin(), sorted.values.end()));
  EXPECT_LT((sorted.V.transpose() * sorted.values.asDiagonal() * sorted.V - A).norm(), 1e-11);
  EXPECT_THROW(sorted_eigen(Matrix::Constant(2, 2, NAN)), Error);
}

}  // namespace
}  // namespace spodnet::test
