#include "spodnet/tables/pairwise.hpp"

#include <algorithm>
#include <cmath>

#include "spodnet/core/products.hpp"

namespace spodnet {
namespace {

constexpr double kConstant = 1e-14;  // of the column's variance: rounding of a constant

/// Observed entries minus their column's mean, zero elsewhere; `mask` is 1 where observed.
Matrix centred_with_mask(const MatrixRef& X, const Vector& weight, Matrix& mask, Vector& mean) {
  mask =
      X.array().isNaN().select(Matrix::Zero(X.rows(), X.cols()), Matrix::Ones(X.rows(), X.cols()));
  Matrix Z = X;
  mean = Vector::Zero(X.cols());
  for (Eigen::Index j = 0; j < X.cols(); ++j) {
    double origin = 0, sum = 0, count = 0;  // about the first value: exact for a constant column
    for (Eigen::Index i = 0; i < X.rows(); ++i) {
      if (mask(i, j) == 0) continue;
      const double w = weight.size() > 0 ? weight[i] : 1;
      if (count == 0) origin = X(i, j);
      sum += w * (X(i, j) - origin);
      count += w;
    }
    if (count > 0) mean[j] = origin + sum / count;
    for (Eigen::Index i = 0; i < X.rows(); ++i) Z(i, j) = mask(i, j) == 0 ? 0 : X(i, j) - mean[j];
  }
  return Z;
}

double root_of_positive(double variance) { return std::sqrt(std::max(0.0, variance)); }

/// Also where the product is beyond the range of numbers.
double root_of_product(double u, double v) {
  const double product = u * v;
  return std::isnormal(product) ? std::sqrt(product) : std::sqrt(u) * std::sqrt(v);
}

/// `Z_w`, `mask_w`: times the rows' weights.
PairSums sums_over(const Matrix& Z, const Matrix& mask, const Matrix& Z_w, const Matrix& mask_w) {
  return {transpose_times(mask, mask_w), transpose_times(Z, mask_w),
          transpose_times(Z.cwiseAbs2(), mask_w), transpose_times(Z, Z_w)};
}

/// Every row has every value and counts once: all pairs are of the same rows.
PairSums complete_sums(const Matrix& Z) {
  const Eigen::Index p = Z.cols();
  const Matrix ones = Matrix::Ones(Z.rows(), 1);
  return {Matrix::Constant(p, p, double(Z.rows())), transpose_times(Z, ones).replicate(1, p),
          transpose_times(Z.cwiseAbs2(), ones).replicate(1, p), transpose_times(Z, Z)};
}

/// Of i in the rows that have both.
double variance(const PairSums& of, Eigen::Index i, Eigen::Index j) {
  const double mean = of.sums(i, j) / of.counts(i, j);
  return of.squares(i, j) / of.counts(i, j) - mean * mean;
}

}  // namespace

ColumnMoments column_moments(const MatrixRef& X, const Vector& weight) {
  ColumnMoments out{{}, Vector::Zero(X.cols())};
  Matrix mask;
  const Matrix Z = centred_with_mask(X, weight, mask, out.mean);
  if (weight.size() > 0) mask = weight.asDiagonal() * mask;
  for (Eigen::Index j = 0; j < X.cols(); ++j) {
    const double count = mask.col(j).sum(), mean = Z.col(j).dot(mask.col(j)) / count;
    if (count > 0)
      out.scale[j] = root_of_positive(Z.col(j).cwiseAbs2().dot(mask.col(j)) / count - mean * mean);
  }
  return out;
}

PairSums& PairSums::operator+=(const PairSums& other) {
  counts += other.counts, sums += other.sums, squares += other.squares, cross += other.cross;
  return *this;
}

PairSums pair_sums(const Matrix& Z) {
  if (!Z.hasNaN()) return complete_sums(Z);
  const Matrix mask = Z.array().isNaN().select(Matrix::Zero(Z.rows(), Z.cols()), 1.0);
  const Matrix filled = Z.array().isNaN().select(0.0, Z);
  return sums_over(filled, mask, filled, mask);
}

PairwiseCorrelation correlation_of(const PairSums& pairs) {
  const Eigen::Index p = pairs.counts.rows();
  PairwiseCorrelation out;
  out.counts = pairs.counts;
  out.mean = out.scale = Vector::Zero(p);
  for (Eigen::Index i = 0; i < p; ++i) {
    if (!(out.counts(i, i) > 0)) continue;
    out.mean[i] = pairs.sums(i, i) / out.counts(i, i);
    out.scale[i] = root_of_positive(variance(pairs, i, i));
  }
  out.R = Matrix::Identity(p, p);
  for (Eigen::Index i = 0; i < p; ++i)
    for (Eigen::Index j = 0; j < i; ++j) {
      const double c = out.counts(i, j);
      if (c < 3) continue;  // of two rows it is always +1 or -1
      const double v_i = variance(pairs, i, j), v_j = variance(pairs, j, i);
      if (!(v_i > kConstant * std::pow(out.scale[i], 2)) ||
          !(v_j > kConstant * std::pow(out.scale[j], 2)))
        continue;
      const double covariance =
          pairs.cross(i, j) / c - pairs.sums(i, j) / c * (pairs.sums(j, i) / c);
      out.R(i, j) = out.R(j, i) = std::clamp(covariance / root_of_product(v_i, v_j), -1.0, 1.0);
    }
  return out;
}

PairwiseCorrelation pairwise_correlation(const MatrixRef& X, const Vector& weight) {
  Matrix mask;
  Vector mean;
  const Matrix Z = centred_with_mask(X, weight, mask, mean);
  const bool complete = weight.size() == 0 && (mask.array() != 0).all();
  Matrix Z_w = Z, mask_w = mask;
  if (weight.size() > 0) Z_w = weight.asDiagonal() * Z, mask_w = weight.asDiagonal() * mask;
  PairwiseCorrelation out =
      correlation_of(complete ? complete_sums(Z) : sums_over(Z, mask, Z_w, mask_w));
  out.mean = std::move(mean);
  return out;
}

}  // namespace spodnet
