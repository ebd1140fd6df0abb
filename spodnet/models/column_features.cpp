#include "spodnet/models/column_features.hpp"

#include "spodnet/core/kernels.hpp"
#include "spodnet/models/shape_features.hpp"

namespace spodnet {
namespace {

constexpr double kLargestLog = 12;

double bounded_log(double x) { return std::clamp(std::log(x), -kLargestLog, kLargestLog); }
double bounded_log_slope(double x) { return std::abs(std::log(x)) < kLargestLog ? 1 / x : 0.0; }

}  // namespace

void column_features(const Column& column, const ColumnSums& sums, double x[kMostFeatures]) {
  const ShapeFeatures shape(column.n, double(column.p));
  x[0] = std::log1p(sums.theta2);
  x[1] = std::log1p(sums.r2);
  x[2] = std::log1p(sums.w2);
  x[3] = sums.theta_r / (1 + std::abs(sums.theta_r));
  x[4] = column.s_22 / (column.s_22 + column.w_22);
  x[5] = bounded_log(column.theta_22 * column.w_22);
  x[6] = bounded_log(column.w_22);
  x[7] = shape.samples;
  x[8] = shape.ratio;
  if (column.summary) std::copy_n(column.summary, kSummaryNumbers, x + kColumnFeatures);
}

void column_features_backward(const Column& column, const ColumnSums& sums,
                              const double d_x[kColumnFeatures], ColumnSums& d_sums,
                              ColumnAdjoint& adjoint) {
  d_sums.theta2 = d_x[0] / (1 + sums.theta2);
  d_sums.r2 = d_x[1] / (1 + sums.r2);
  d_sums.w2 = d_x[2] / (1 + sums.w2);
  const double t = 1 / (1 + std::abs(sums.theta_r));
  d_sums.theta_r = d_x[3] * t * t;
  const double total = column.s_22 + column.w_22, product = column.theta_22 * column.w_22;
  const double d_product = d_x[5] * bounded_log_slope(product);
  adjoint.d_theta_22 += d_product * column.w_22;
  adjoint.d_w_22 += d_product * column.theta_22 + d_x[6] * bounded_log_slope(column.w_22) -
                    d_x[4] * column.s_22 / (total * total);
}

EntryInput entry_input(const Column& column, const double* z, bool signs) {
  return {.n = padded(column.p),
          .z = z,
          .theta = column.theta_12,
          .w = column.w_12,
          .s = column.s_12,
          .diag_Theta = column.diag_Theta,
          .diag_S = column.diag_S,
          .theta_22 = column.theta_22,
          .k = std::sqrt(column.n) / 3,
          .signs = signs};
}

}  // namespace spodnet
