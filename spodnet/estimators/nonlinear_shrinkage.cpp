#include "spodnet/estimators/nonlinear_shrinkage.hpp"

#include <fmt/format.h>

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>

#include "spodnet/core/cholesky.hpp"
#include "spodnet/core/error.hpp"
#include "spodnet/core/products.hpp"
#include "spodnet/tables/covariance.hpp"
#include "spodnet/tables/nonlinear_spectrum.hpp"

namespace spodnet {
namespace {

constexpr double kLeastEigenvalue = 1e-10;  ///< of the mean eigenvalue

double distance_from_identity(const Vector& eigenvalues, double mu) {
  return (eigenvalues.array() - mu).matrix().norm();
}

}  // namespace

ShrinkageResult nonlinear_shrinkage(const MatrixRef& S, double n, bool centred) {
  check_symmetric(S, "nonlinear_shrinkage: S");
  if (!(n >= 2) || !std::isfinite(n))
    throw Error(fmt::format("nonlinear_shrinkage: n is {}, at least two samples are needed", n));
  const double mu = S.trace() / double(S.rows());
  if (!(mu > 0))
    throw Error(
        "nonlinear_shrinkage: every variable has zero variance; there is nothing to shrink");
  const Eigen::SelfAdjointEigenSolver<Matrix> eigen{Matrix(S)};
  const Vector lambda = eigen.eigenvalues();
  const NonlinearSpectrum shrunk =
      nonlinear_spectrum({lambda.begin(), lambda.end()}, centred ? n - 1 : n);
  Vector d = Eigen::Map<const Vector>(shrunk.d.data(), lambda.size());
  ShrinkageResult result;
  if (!(d.minCoeff() >= kLeastEigenvalue * mu)) result.status = Status::not_spd;
  d = d.cwiseMax(kLeastEigenvalue * mu);
  const Matrix& U = eigen.eigenvectors();
  result.W = times_transpose(U * d.asDiagonal(), U);
  result.Theta = times_transpose(U * d.cwiseInverse().asDiagonal(), U);
  symmetrise(result.W);
  symmetrise(result.Theta);
  const double before = distance_from_identity(lambda, mu);
  result.shrinkage = before > 0 ? 1 - distance_from_identity(d, mu) / before : 0;
  result.residual = inverse_residual(result.Theta, result.W);
  return result;
}

}  // namespace spodnet
