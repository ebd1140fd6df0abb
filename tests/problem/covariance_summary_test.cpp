#include "spodnet/problem/covariance_summary.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "spodnet/core/types.hpp"
#include "support/random_covariance.hpp"

namespace spodnet::test {
namespace {

CovarianceSummary summary_of(const Matrix& S) { return summarize(S.data(), std::size_t(S.rows())); }

/// Mean of the k-th powers of the entries off the diagonal.
double moment(const Matrix& R, int k) {
  const double p = double(R.rows());
  return (R.array().pow(k).sum() - p) / (p * (p - 1));
}

double variance(const Eigen::ArrayXd& x) { return (x - x.mean()).square().mean(); }

TEST(CovarianceSummary, IsWhatItsDefinitionSays) {
  const Matrix S = covariance(7, 12, 3);
  const Vector d = S.diagonal().cwiseSqrt().cwiseInverse();
  const Matrix R = d.asDiagonal() * S * d.asDiagonal();
  const Eigen::ArrayXd logs = S.diagonal().array().log();
  const Eigen::ArrayXd strength = R.array().square().rowwise().sum() - 1;
  const double m2 = moment(R, 2), skewness = moment(R, 3) / std::pow(m2, 1.5);
  const CovarianceSummary expected = {
      logs.mean(),
      std::log(variance(logs) + 1e-4) / 2 + 1,
      std::log(m2 + 1e-4) / 2 + 2,
      moment(R, 1) / std::sqrt(m2),
      std::log(moment(R, 4) / (m2 * m2)) / 2 - 0.5,
      skewness / (1 + std::abs(skewness)),
      std::log(variance(strength) / (strength.mean() * strength.mean()) + 1e-4) / 2 + 1};
  const CovarianceSummary got = summary_of(S);
  for (std::size_t k = 0; k < kSummaryNumbers; ++k) EXPECT_NEAR(got[k], expected[k], 1e-12) << k;
}

TEST(CovarianceSummary, ACommonUnitChangesTheLevelAlone) {
  const Matrix S = covariance(6, 30, 5);
  const CovarianceSummary plain = summary_of(S), scaled = summary_of(Matrix(S / 1024));
  EXPECT_NEAR(scaled[0], plain[0] - std::log(1024), 1e-12);
  for (std::size_t k = 1; k < kSummaryNumbers; ++k) EXPECT_NEAR(scaled[k], plain[k], 1e-12) << k;
}

TEST(CovarianceSummary, IsFiniteForAnyData) {
  Matrix constant = covariance(6, 20, 2);
  constant.row(2).setZero();
  constant.col(2).setZero();
  for (const Matrix& S :
       {Matrix(Matrix::Zero(4, 4)), Matrix(Matrix::Identity(1, 1)),
        Matrix(Matrix::Identity(5, 5) * 1e300), Matrix(Matrix::Ones(3, 3) * 1e-150), constant})
    for (const double y : summary_of(S)) {
      EXPECT_TRUE(std::isfinite(y));
      EXPECT_LT(std::abs(y), 30);
    }
}

}  // namespace
}  // namespace spodnet::test
