#include "spodnet/tables/gaussian_rows.hpp"

#include <algorithm>
#include <cmath>

namespace spodnet {
namespace {

constexpr double kErrors = 4;       ///< standard errors of skewness and kurtosis
constexpr double kTiedShare = 0.1;  ///< of the rows of a column
constexpr Eigen::Index kRowsOfShape = 4;

/// Rows that repeat a value of another one.
Eigen::Index tied_rows(Vector column) {
  std::sort(column.begin(), column.end());
  Eigen::Index ties = 0;
  for (Eigen::Index i = 1; i < column.size(); ++i) ties += column[i] == column[i - 1];
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
    const Vector column = X.col(j);
    if (double(tied_rows(column)) > kTiedShare * n) return false;
    const Shape shape = shape_of(column);
    skewness += shape.skewness * shape.skewness / p, kurtosis += shape.kurtosis / p;
  }
  if (X.rows() < kRowsOfShape) return true;
  const double expected = 3 * (n - 1) / (n + 1);  // of the kurtosis of n Gaussian numbers
  return skewness < kErrors * kErrors * 6 / n &&
         std::abs(kurtosis - expected) < kErrors * std::sqrt(24 / n);
}

}  // namespace spodnet
