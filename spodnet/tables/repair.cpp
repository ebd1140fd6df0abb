#include "spodnet/tables/repair.hpp"

#include <algorithm>
#include <cmath>

#include "spodnet/core/cholesky.hpp"
#include "spodnet/core/products.hpp"
#include "spodnet/core/symmetric_eigen.hpp"
#include "spodnet/tables/covariance.hpp"

namespace spodnet {
namespace {

constexpr double kNegative = 1e-8;  // times p: beyond rounding
constexpr double kFloor = 1e-4;
constexpr double kManyVariables = 10;  // below, levels add little noise to the smallest eigenvalue
constexpr double kNoiseShare = 0.5;    // of the noise that levels add to eigenvalues

/// Half of what the smallest eigenvalue of n samples of unrelated variables is.
double floor_of(double p, double n) {
  return n > p ? std::max(kFloor, 0.5 * std::pow(1 - std::sqrt(p / n), 2)) : kFloor;
}

/// The same where the entries of R have more noise than those of n samples.
double floor_of(double p, double n, double rows) {
  const double floor = floor_of(p, n);
  if (!(n > 0 && rows > n && p >= kManyVariables)) return floor;
  return std::clamp(kNoiseShare * std::sqrt(p * (1 / n - 1 / rows)), kFloor, floor);
}

}  // namespace

Repair repair_correlation(Matrix& R, double n, double rows) {
  const double floor = floor_of(double(R.rows()), n, rows);
  const bool always = rows > n && double(R.rows()) >= kManyVariables;
  const double least = always ? floor : -kNegative * double(R.rows());
  Matrix shifted = R;
  shifted.diagonal().array() -= least;
  if (std::isfinite(spd_log_det(shifted))) return {};
  const SortedEigen eigen = sorted_eigen(R);
  Repair repair;
  repair.eig_min = eigen.values[0];
  repair.needed = repair.eig_min < least;
  if (!repair.needed) return repair;
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
