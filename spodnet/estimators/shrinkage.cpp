#include "spodnet/estimators/shrinkage.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "spodnet/core/advice.hpp"
#include "spodnet/core/cholesky.hpp"
#include "spodnet/core/error.hpp"
#include "spodnet/tables/covariance.hpp"

namespace spodnet {
namespace {

constexpr double kFirstFloor = 1e-10;  // where the formula's shrinkage leaves W singular
constexpr double kLargestResidual = 1e-6;

Matrix shrunk(const Matrix& S, double shrinkage) {
  Matrix W = (1 - shrinkage) * S;
  W.diagonal().array() += shrinkage * S.trace() / double(S.rows());
  return W;
}

/// Fills Theta and the residual; false when W is singular to working precision.
bool invert(ShrinkageResult& result) {
  if (!std::isfinite(spd_inverse(result.W, result.Theta))) return false;
  result.residual = inverse_residual(result.Theta, result.W);
  return result.residual < kLargestResidual;  // Cholesky may let a singular W pass by rounding
}

ShrinkageResult shrink(const Matrix& S, double shrinkage) {
  ShrinkageResult result;
  result.shrinkage = shrinkage;
  result.W = shrunk(S, shrinkage);
  for (double floor = kFirstFloor; !invert(result) && floor <= 1; floor *= 10) {
    result.status = Status::not_spd;
    result.W = shrunk(S, floor);
  }
  return result;
}

void check_spread(const Matrix& S, const char* where) {
  if (!(S.trace() > 0))
    throw Error(
        fmt::format("{}: every variable has zero variance; there is nothing to shrink", where));
}

}  // namespace

ShrinkageResult ledoit_wolf(const MatrixRef& X) {
  const double n = double(X.rows()), p = double(X.cols());
  if (X.rows() == 1)
    throw Error("ledoit_wolf: one sample has no covariance; give at least two rows");
  const Matrix S = empirical_covariance(X);
  check_spread(S, "ledoit_wolf");
  const Vector mean = column_means(X);
  const Vector norm2 = (X.rowwise() - mean.transpose()).rowwise().squaredNorm();
  const double mu = S.trace() / p;
  const double d = (S - mu * Matrix::Identity(S.rows(), S.cols())).squaredNorm();
  const double b = std::min((norm2.squaredNorm() / n - S.squaredNorm()) / n, d);
  return shrink(S, b > 0 ? b / d : 0);
}

ShrinkageResult oas(const MatrixRef& S, double n) {
  check_symmetric(S, "oas: S");
  if (!(n > 1) || !std::isfinite(n))
    throw AdvisedError(
        fmt::format("oas: n is {}, at least two samples are needed: how many are behind "
                    "the covariance?",
                    n),
        Advice::sample_count);
  Matrix symmetric = S;
  symmetrise(symmetric);
  check_spread(symmetric, "oas");
  if (S.rows() == 1) return shrink(symmetric, 0);  // every shrinkage gives the same W
  return shrink(symmetric, oas_intensity(symmetric, n));
}

double oas_intensity(const MatrixRef& S, double n) {
  const double p = double(S.rows()), mu = S.trace() / p;
  const double a = S.squaredNorm() / (p * p);
  const double denominator = (n + 1) * (a - mu * mu / p);
  return denominator > 0 ? std::min(1.0, (a + mu * mu) / denominator) : 1;
}

}  // namespace spodnet
