#include "spodnet/tables/gaussian_rows.hpp"

#include <bit>
#include <cmath>
#include <cstdint>
#include <vector>

#include "spodnet/core/stop.hpp"

namespace spodnet {
namespace {

constexpr double kErrors = 4;       ///< standard errors of skewness and kurtosis
constexpr double kTiedShare = 0.1;  ///< of the rows of a column
constexpr Eigen::Index kRowsOfShape = 4;

/// Rows that repeat a value of another one. No value is NaN.
Eigen::Index tied_rows(const Vector& column) {
  constexpr std::uint64_t kNone = ~std::uint64_t(0);  // a NaN
  const std::size_t size = std::bit_ceil(2 * std::size_t(column.size()));
  const int shift = 64 - std::bit_width(size - 1);
  std::vector<std::uint64_t> seen(size, kNone);  // each value near the place its bits say
  Eigen::Index ties = 0;
  for (const double x : column) {
    const auto bits = std::bit_cast<std::uint64_t>(x + 0.0);  // -0 is 0
    std::size_t at = (bits * 0x9E3779B97F4A7C15u) >> shift;
    while (seen[at] != kNone && seen[at] != bits) at = (at + 1) & (size - 1);
    ties += seen[at] == bits;
    seen[at] = bits;
  }
  return ties;
}

struct Shape {
  double skewness = 0, kurtosis = 3;
};

Shape shape_of(const Vector& column) {
  const Eigen::ArrayXd x = column.array() - column.mean();
  const double variance = x.square().mean();
  if (!(variance > 0)) return {};
  return {x.cube().mean() / std::pow(variance, 1.5),
          x.square().square().mean() / (variance * variance)};
}

}  // namespace

bool could_be_gaussian(const MatrixRef& X) {
  if (!X.allFinite()) return false;
  const double n = double(X.rows()), p = double(X.cols());
  double skewness = 0, kurtosis = 0;
  for (Eigen::Index j = 0; j < X.cols(); ++j) {
    leave_if_stopped();
    const Shape shape = shape_of(X.col(j));
    skewness += shape.skewness * shape.skewness / p, kurtosis += shape.kurtosis / p;
  }
  const double expected = 3 * (n - 1) / (n + 1);  // of the kurtosis of n Gaussian numbers
  if (X.rows() >= kRowsOfShape && !(skewness < kErrors * kErrors * 6 / n &&
                                    std::abs(kurtosis - expected) < kErrors * std::sqrt(24 / n)))
    return false;
  for (Eigen::Index j = 0; j < X.cols(); ++j)
    if (double(tied_rows(X.col(j))) > kTiedShare * n) return false;
  return true;
}

}  // namespace spodnet
