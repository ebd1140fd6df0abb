#include "spodnet/generate/sparse_precision.hpp"

#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <cmath>
#include <numeric>
#include <vector>

#include "spodnet/core/error.hpp"
#include "spodnet/generate/sparsity_levels.hpp"

namespace spodnet {
namespace {

std::vector<std::uint32_t> random_permutation(std::size_t p, RandomStream& random) {
  std::vector<std::uint32_t> permutation(p);
  std::iota(permutation.begin(), permutation.end(), 0u);
  random.shuffle(permutation);
  return permutation;
}

/// numpy's A[perm].T[perm] one indexing step at a time, then dense products.
Matrix dense_definition(const Matrix& A, const std::vector<std::uint32_t>& perm, double shift) {
  const Eigen::Index p = A.rows();
  Matrix rows(p, p), B(p, p);
  for (Eigen::Index i = 0; i < p; ++i) rows.row(i) = A.row(perm[i]);
  const Matrix transposed = rows.transpose();
  for (Eigen::Index i = 0; i < p; ++i) B.row(i) = transposed.row(perm[i]);
  const Matrix L = B - Matrix::Identity(p, p);
  return L.transpose() * L + shift * Matrix::Identity(p, p);
}

TEST(SparsePrecision, MatchesTheDenseDefinition) {
  for (std::size_t p : {1, 2, 5, 20, 50}) {
    RandomStream random(7, p);
    const Matrix A = draw_factor({.p = p, .alpha = 0.6}, random);
    const auto permutation = random_permutation(p, random);
    const Matrix Theta = precision_from_factor(A, permutation, 0.1);
    EXPECT_LT((Theta - dense_definition(A, permutation, 0.1)).norm(), 1e-12 * Theta.norm());
  }
}

TEST(SparsePrecision, PermutationConventionByHand) {
  // A_10 = a, A_20 = b, perm = (2, 0, 1): B_ij = A(perm_j, perm_i) has B_12 = a and B_10 = b.
  const double a = 0.25, b = 0.5;
  Matrix A = Matrix::Zero(3, 3);
  A(1, 0) = a;
  A(2, 0) = b;
  const std::vector<std::uint32_t> permutation = {2, 0, 1};
  Matrix L(3, 3), expected(3, 3);
  L << -1, 0, 0, b, -1, a, 0, 0, -1;
  expected = L.transpose() * L;
  EXPECT_EQ(precision_from_factor(A, permutation, 0.0), expected);
}

TEST(SparsePrecision, SymmetricAndPositiveDefinite) {
  for (double alpha : {0.0, 0.5, 0.7, 0.95, 1.0})
    for (std::size_t p : {1, 2, 3, 20, 60}) {
      RandomStream random(11, p);
      const Matrix Theta = make_sparse_precision({.p = p, .alpha = alpha}, random);
      EXPECT_EQ(Theta, Matrix(Theta.transpose()));
      const Eigen::SelfAdjointEigenSolver<Matrix> eigen(Theta);
      EXPECT_GE(eigen.eigenvalues()[0], 0.1 - 1e-9 * eigen.eigenvalues()[Theta.rows() - 1]);
      EXPECT_GE(Theta.diagonal().minCoeff(), 1.1 - 1e-12);  // L_ii = -1 in every column
      EXPECT_NEAR(eigen.eigenvalues().array().log().sum(), std::log(Theta.determinant()), 1e-6);
    }
}

TEST(SparsePrecision, AllZeroFactorGivesTheIdentity) {
  RandomStream random(1, 0);
  const Matrix Theta = make_sparse_precision({.p = 6, .alpha = 1.0}, random);
  EXPECT_EQ(Theta, Matrix(1.1 * Matrix::Identity(6, 6)));
}

TEST(SparsePrecision, UnshiftedDeterminantIsOne) {
  RandomStream random(5, 0);  // L is a permutation of a unit triangular matrix
  const Matrix Theta = make_sparse_precision({.p = 12, .alpha = 0.7, .diagonal_shift = 0}, random);
  EXPECT_NEAR(Theta.determinant(), 1.0, 1e-8);
}

TEST(SparsePrecision, FactorEntriesHaveTheStatedDistribution) {
  const double alpha = 0.7;
  std::size_t entries = 0, nonzero = 0;
  double sum = 0, squares = 0, low = 1, high = 0;
  for (std::uint64_t index = 0; index < 200; ++index) {
    RandomStream random(3, index);
    const Matrix A = draw_factor({.p = 30, .alpha = alpha}, random);
    EXPECT_TRUE(A.isLowerTriangular(0) && A.diagonal().isZero(0));
    for (Eigen::Index i = 0; i < 30; ++i)
      for (Eigen::Index j = 0; j < i; ++j, ++entries) {
        const double a = A(i, j);
        if (a == 0) continue;
        ++nonzero, sum += a, squares += a * a, low = std::min(low, a), high = std::max(high, a);
      }
  }
  const double share = double(nonzero) / double(entries), mean = sum / double(nonzero);
  EXPECT_NEAR(share, 1 - alpha, 5 * std::sqrt(alpha * (1 - alpha) / double(entries)));
  const double deviation = 0.8 / std::sqrt(12.0);
  EXPECT_NEAR(mean, 0.5, 5 * deviation / std::sqrt(double(nonzero)));
  EXPECT_NEAR(squares / double(nonzero) - mean * mean, deviation * deviation, 1e-3);
  EXPECT_GE(low, 0.1);
  EXPECT_LT(high, 0.9);
  EXPECT_LT(low, 0.101);
  EXPECT_GT(high, 0.899);
}

/// P(Theta_ij = 0), i != j: with r = 1 - alpha, A_ij = 0 (one of the pair lies below the diagonal)
/// and no row k of B meets both, averaged over the position of the pair.
double expected_zero_share(std::size_t p, double alpha) {
  const double r = 1 - alpha;
  double total = 0, pairs = 0;
  for (std::size_t i = 0; i < p; ++i)
    for (std::size_t j = 0; j < i; ++j, ++pairs)
      total += alpha * std::pow(1 - r * r, double(j));  // columns c < j of A hold both rows
  return total / pairs;
}

TEST(SparsePrecision, ShareOfZerosAtTheStrongSparsityOfThePaper) {
  const std::size_t p = 20;
  double zeros = 0, entries = 0;
  for (std::uint64_t index = 0; index < 300; ++index) {
    RandomStream random(9, index);
    const Matrix Theta = make_sparse_precision({.p = p, .alpha = 0.95}, random);
    zeros += double((Theta.array() == 0).count());
    entries += double(p * (p - 1));
  }
  EXPECT_NEAR(zeros / entries, expected_zero_share(p, 0.95), 0.01);
  EXPECT_NEAR(zeros / entries, 0.93, 0.02);
  EXPECT_NEAR(zeros / (300.0 * p * p), 0.89, 0.02);  // of all entries: roughly 90 %
}

TEST(SparsePrecision, PermutationRemovesTheOrderOfTheVariables) {
  Vector mean = Vector::Zero(8);
  const int count = 4000;
  for (std::uint64_t index = 0; index < count; ++index) {
    RandomStream random(13, index);
    mean += make_sparse_precision({.p = 8, .alpha = 0.5}, random).diagonal() / count;
  }
  // E Theta_ii = 1.1 + 3.5 * 0.5 * E a^2, the same for every i.
  const double expected = 1.1 + 3.5 * 0.5 * (0.25 + 0.64 / 12);
  for (const double diagonal : mean) EXPECT_NEAR(diagonal, expected, 0.05);
}

TEST(SparsePrecision, RefusesBadOptions) {
  RandomStream random(0, 0);
  EXPECT_THROW(make_sparse_precision({.p = 0}, random), Error);
  EXPECT_THROW(make_sparse_precision({.p = 3, .alpha = 1.2}, random), Error);
  EXPECT_THROW(make_sparse_precision({.p = 3, .alpha = std::nan("")}, random), Error);
  EXPECT_THROW(make_sparse_precision({.p = 3, .smallest = 0.9, .largest = 0.1}, random), Error);
  EXPECT_THROW(make_sparse_precision({.p = 3, .diagonal_shift = -1}, random), Error);
  EXPECT_THROW(precision_from_factor(Matrix::Zero(2, 3), std::vector<std::uint32_t>(2), 0), Error);
}

TEST(SparsityLevels, ReadsValuesListsAndRanges) {
  RandomStream random(0, 0);
  EXPECT_EQ(sparsity_levels_from("0.95").at(17, random), 0.95);
  const SparsityLevels list = sparsity_levels_from("0.7,0.8,0.95");
  EXPECT_EQ(list.at(0, random), 0.7);
  EXPECT_EQ(list.at(5, random), 0.95);
  const SparsityLevels range = sparsity_levels_from("0.7:0.9");
  for (std::size_t k = 0; k < 100; ++k) {
    const double alpha = range.at(k, random);
    EXPECT_GE(alpha, 0.7);
    EXPECT_LT(alpha, 0.9);
  }
  for (const char* text : {"0.95", "0.7,0.8,0.95", "0.7:0.9"})
    EXPECT_EQ(to_string(sparsity_levels_from(text)), text);
}

TEST(SparsityLevels, RefusesNonsense) {
  for (const char* text : {"", "x", "0.5,", "0.9:0.7", "0.1:0.2:0.3", "1.5", "-0.1", "nan", "0.5;1",
                           ":", "0.5 ", "0.5,,0.6"})
    EXPECT_THROW(sparsity_levels_from(text), Error) << text;
}

}  // namespace
}  // namespace spodnet
