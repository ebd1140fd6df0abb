#include "spodnet/tables/repair.hpp"

#include <cmath>

#include "spodnet/core/cholesky.hpp"
#include "spodnet/core/products.hpp"
#include "spodnet/core/symmetric_eigen.hpp"
#include "spodnet/tables/covariance.hpp"

namespace spodnet {
namespace {

constexpr double kNegative = 1e-8;  // times p: beyond rounding
constexpr double kFloor = 1e-4;

/// Half of what the smallest eigenvalue of n samples of unrelated variables is.
double floor_of(double p, double n) {
  return n > p ? std::max(kFloor, 0.5 * std::pow(1 - std::sqrt(p / n), 2)) : kFloor;
}

}  // namespace

Repair repair_correlation(Matrix& R, double n) {
  const double allowed = kNegative * double(R.rows());
  Matrix shifted = R;
  shifted.diagonal().array() += allowed;
  if (std::isfinite(spd_log_det(shifted))) return {};
  const SortedEigen eigen = sorted_eigen(R);
  Repair repair;
  repair.eig_min = eigen.values[0];
  repair.needed = repair.eig_min < -allowed;
  if (!repair.needed) return repair;
  const double floor = floor_of(double(R.rows()), n);
  const Matrix half = eigen.values.cwiseMax(floor).cwiseSqrt().asDiagonal() * eigen.V;
  Matrix fixed = transpose_times(half, half);
  const Vector scale = fixed.diagonal().cwiseSqrt().cwiseInverse();
  fixed = scale.asDiagonal() * fixed * scale.asDiagonal();
  fixed.diagonal().setOnes();
  symmetrise(fixed);
  repair.change = (fixed - R).cwiseAbs().maxCoeff();
  R = std::move(fixed);
  return repair;
}

}  // namespace spodnet
