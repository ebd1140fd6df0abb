#pragma once

#include "spodnet/layer/rule.hpp"
#include "spodnet/models/entry_kernels.hpp"
#include "spodnet/problem/covariance_summary.hpp"

namespace spodnet {

/// Numbers that say what a column is like, whatever p: with the sums of entry_kernels.hpp,
///   log(1 + theta2), log(1 + r2), log(1 + w2), phi(theta_r), s_22 / (s_22 + w_22),
///   log(theta_22 w_22), log w_22, and the two of shape_features.hpp;
/// then those of the whole of S, where the column comes with a summary.
/// Finite for any data: w_22 > 0 always, and logarithms stop at +-12.
inline constexpr std::size_t kColumnFeatures = 9;
inline constexpr std::size_t kMostFeatures = kColumnFeatures + kSummaryNumbers;

constexpr std::size_t features_of(const RuleShape& shape) {
  return shape.summary ? kMostFeatures : kColumnFeatures;
}

void column_features(const Column& column, const ColumnSums& sums, double x[kMostFeatures]);

/// From d_x to the adjoints of the sums (overwritten) and of theta_22, w_22 (added).
void column_features_backward(const Column& column, const ColumnSums& sums,
                              const double d_x[kColumnFeatures], ColumnSums& d_sums,
                              ColumnAdjoint& adjoint);

/// What the kernels read of a column and its z.
EntryInput entry_input(const Column& column, const double* z, bool signs = false);

}  // namespace spodnet
