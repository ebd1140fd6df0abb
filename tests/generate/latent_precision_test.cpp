#include "spodnet/generate/latent_precision.hpp"

#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <Eigen/LU>

#include "spodnet/generate/precision_family.hpp"

namespace spodnet {
namespace {

Vector eigenvalues(const Matrix& A) {
  return Eigen::SelfAdjointEigenSolver<Matrix>(A, Eigen::EigenvaluesOnly).eigenvalues();
}

Matrix some_graph(std::size_t p, double condition) {
  RandomStream random(3, p);
  return make_precision({.family = PrecisionFamily::erdos_renyi, .condition = condition}, p, 0.9,
                        random);
}

/// The causes add a matrix of low rank to the covariance and nothing else.
TEST(LatentPrecision, AddsAFewCausesToTheCovariance) {
  for (const std::size_t p : {2, 10, 40}) {
    const Matrix Theta_g = some_graph(p, 5);
    RandomStream random(4, p);
    const Matrix Theta = latent_precision(Theta_g, 100, Signs::mixed, random);
    EXPECT_EQ(Theta, Matrix(Theta.transpose()));
    EXPECT_EQ(Eigen::LLT<Matrix>(Theta).info(), Eigen::Success);
    const Vector added = eigenvalues(Matrix(Theta.inverse()) - Matrix(Theta_g.inverse()));
    const double largest = added.maxCoeff();
    EXPECT_GT(largest, 0);
    EXPECT_GT(added.minCoeff(), -1e-9 * largest);
    const auto rank = (added.array() > 1e-9 * largest).count();
    EXPECT_GE(rank, 1);
    EXPECT_LE(rank, std::max<Eigen::Index>(1, Eigen::Index(p) / 5));
  }
}

TEST(LatentPrecision, TheConditionIsNearTheOneAskedForAndNotAbove) {
  for (const double condition : {30.0, 1e3, 1e5})
    for (std::uint64_t k = 0; k < 10; ++k) {
      RandomStream random(5, k);
      const Vector eig =
          eigenvalues(latent_precision(some_graph(20, 5), condition, Signs::mixed, random));
      const double got = eig.maxCoeff() / eig.minCoeff();
      EXPECT_LE(got, condition * (1 + 1e-9));
      EXPECT_GT(got, condition / 4);
    }
}

/// Causes that raise all variables, on a graph of positive partial correlations: no correlation is
/// negative.
TEST(LatentPrecision, PositiveCausesMakePositiveCorrelations) {
  RandomStream random(6, 0);
  const Matrix Theta = make_precision(
      {.family = PrecisionFamily::latent, .signs = Signs::positive, .condition = 200}, 25, 0.9,
      random);
  EXPECT_GE(Matrix(Theta.inverse()).minCoeff(), 0);
  EXPECT_EQ((Theta.array() == 0).count(), 0) << "every pair has a common cause";
}

}  // namespace
}  // namespace spodnet
