#include "spodnet/estimators/shrinkage.hpp"

#include <gtest/gtest.h>

#include <Eigen/LU>
#include <cmath>

#include "spodnet/core/random.hpp"
#include "spodnet/tables/covariance.hpp"
#include "support/expect_error.hpp"
#include "support/golden_file.hpp"

namespace spodnet {
namespace {

using test::expect_error;

Matrix random_samples(Eigen::Index n, Eigen::Index p, std::uint64_t seed) {
  RandomStream random(seed);
  Matrix X(n, p);
  for (double& x : X.reshaped()) x = random.normal();
  for (Eigen::Index j = 1; j < p; ++j) X.col(j) += 0.5 * X.col(j - 1);
  return X;
}

class ShrinkageGolden : public testing::TestWithParam<const char*> {};

TEST_P(ShrinkageGolden, AgreesWithScikitLearn) {
  const test::GoldenFile golden(std::string("baselines/") + GetParam() + ".safetensors");
  const Matrix X = golden.matrix("X"), S = golden.matrix("S");
  const ShrinkageResult lw = ledoit_wolf(X), approximating = oas(S, double(X.rows()));
  EXPECT_NEAR(lw.shrinkage, golden.number("ledoit_wolf.shrinkage"), 1e-10);
  EXPECT_NEAR(approximating.shrinkage, golden.number("oas.shrinkage"), 1e-10);
  EXPECT_LT((lw.W - golden.matrix("ledoit_wolf.covariance")).cwiseAbs().maxCoeff(), 1e-10);
  EXPECT_LT((approximating.W - golden.matrix("oas.covariance")).cwiseAbs().maxCoeff(), 1e-10);
  for (const ShrinkageResult& r : {lw, approximating}) {
    EXPECT_EQ(r.status, Status::ok);
    EXPECT_LT((r.Theta - r.W.inverse()).norm(), 1e-9 * r.Theta.norm());
    EXPECT_NEAR(r.residual, (r.Theta * r.W - Matrix::Identity(S.rows(), S.cols())).norm(), 1e-12);
  }
}

INSTANTIATE_TEST_SUITE_P(Baselines, ShrinkageGolden,
                         testing::Values("p5_n50", "p20_n100", "p30_n15"));

/// b and d summed from their definitions, sample by sample.
TEST(LedoitWolf, FollowsItsDefinition) {
  for (Eigen::Index n : {3, 10, 200})
    for (Eigen::Index p : {2, 7}) {
      const Matrix X = random_samples(n, p, std::uint64_t(100 * n + p));
      const Matrix S = empirical_covariance(X), centred = X.rowwise() - X.colwise().mean();
      double b = 0;
      for (Eigen::Index k = 0; k < n; ++k)
        b += (centred.row(k).transpose() * centred.row(k) - S).squaredNorm() / double(n * n);
      const double mu = S.trace() / double(p);
      const double d = (S - mu * Matrix::Identity(p, p)).squaredNorm();
      EXPECT_NEAR(ledoit_wolf(X).shrinkage, std::min(b, d) / d, 1e-12);
    }
}

TEST(Shrinkage, IsExactlySymmetricAndFollowsUnitsOfMeasure) {
  const Matrix X = random_samples(12, 20, 1);
  for (double unit : {1e-6, 1.0, 1e6}) {
    const ShrinkageResult lw = ledoit_wolf(unit * X), o = oas(empirical_covariance(unit * X), 12);
    EXPECT_EQ(lw.Theta, Matrix(lw.Theta.transpose()));
    EXPECT_NEAR(lw.shrinkage, ledoit_wolf(X).shrinkage, 1e-12);
    EXPECT_NEAR(o.shrinkage, oas(empirical_covariance(X), 12).shrinkage, 1e-12);
    EXPECT_EQ(o.status, Status::ok);
    EXPECT_LT(o.residual, 1e-10);
  }
}

TEST(Shrinkage, HandlesTheEdges) {
  const Matrix one = random_samples(5, 1, 2);
  EXPECT_EQ(ledoit_wolf(one).shrinkage, 0);
  EXPECT_EQ(oas(empirical_covariance(one), 5).shrinkage, 0);
  EXPECT_NEAR(ledoit_wolf(one).W(0, 0), empirical_covariance(one)(0, 0), 1e-15);
  EXPECT_EQ(oas(Matrix::Identity(4, 4), 10).shrinkage, 1);  // nothing off the target

  Matrix constant = random_samples(10, 4, 3);
  constant.col(2).setConstant(7);
  EXPECT_EQ(ledoit_wolf(constant).status, Status::ok);

  // Two samples: x x' is the same for both, so the formula does not shrink a matrix of rank 1.
  const ShrinkageResult two = ledoit_wolf(random_samples(2, 3, 4));
  EXPECT_EQ(two.status, Status::not_spd);
  EXPECT_NEAR(two.shrinkage, 0, 1e-12);
  EXPECT_TRUE(two.Theta.allFinite());
  EXPECT_LT(two.residual, 1e-3);
}

TEST(Shrinkage, RefusesBadInputInOneLine) {
  const Matrix X = random_samples(6, 3, 5);
  Matrix with_nan = X, asymmetric = empirical_covariance(X);
  with_nan(4, 1) = NAN;
  asymmetric(0, 2) += 1;
  expect_error([&] { (void)ledoit_wolf(X.topRows(1)); }, {"ledoit_wolf", "one sample"});
  expect_error([&] { (void)ledoit_wolf(with_nan); }, {"X[4,1]", "nan"});
  expect_error([&] { (void)ledoit_wolf(Matrix::Constant(4, 3, 2.5)); }, {"zero variance"});
  expect_error([&] { (void)oas(asymmetric, 6); }, {"oas", "not symmetric"});
  expect_error([&] { (void)oas(Matrix::Identity(2, 3), 6); }, {"oas", "not a square"});
  expect_error([&] { (void)oas(Matrix::Zero(2, 2), 6); }, {"oas", "zero variance"});
  expect_error([&] { (void)oas(Matrix::Identity(2, 2), 1); }, {"oas", "two samples"});
}

}  // namespace
}  // namespace spodnet
