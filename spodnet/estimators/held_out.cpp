#include "spodnet/estimators/held_out.hpp"

#include <fmt/format.h>

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>

#include "spodnet/core/cholesky.hpp"
#include "spodnet/core/error.hpp"
#include "spodnet/core/random.hpp"
#include "spodnet/core/stopwatch.hpp"
#include "spodnet/estimators/row_covariance.hpp"
#include "spodnet/metrics/likelihood.hpp"
#include "spodnet/tables/covariance.hpp"

namespace spodnet {
namespace {

/// log N(x; 0, W) of the observed entries of one row.
double marginal(const Matrix& W, const Eigen::RowVectorXd& x) {
  std::vector<Eigen::Index> seen;
  for (Eigen::Index j = 0; j < x.size(); ++j)
    if (!std::isnan(x[j])) seen.push_back(j);
  if (seen.empty()) return 0;
  const Matrix part = W(seen, seen);
  const Eigen::LLT<Matrix> cholesky(part);
  if (cholesky.info() != Eigen::Success) return -std::numeric_limits<double>::infinity();
  const Vector values = x(seen).transpose();
  const double logdet = 2 * cholesky.matrixLLT().diagonal().array().log().sum();
  return -0.5 * (double(seen.size()) * std::log(2 * std::numbers::pi) + logdet +
                 cholesky.matrixL().solve(values).squaredNorm());
}

/// The estimate of the covariance that rows of scores have.
Estimate of_scores(Estimate estimate, const Vector& information) {
  if (information.size() == 0) return estimate;
  const Vector root = information.cwiseSqrt(), variances = estimate.W.diagonal();
  estimate.W = Matrix(root.asDiagonal() * estimate.W * root.asDiagonal());
  symmetrise(estimate.W);
  estimate.W.diagonal() = variances;
  Matrix Theta;
  if (std::isfinite(spd_inverse(estimate.W, Theta))) estimate.Theta = std::move(Theta);
  return estimate;
}

/// Mean over `rows` of their log-likelihood, in the units of the data.
double score_rows(const Estimate& estimate, const TrainingPart& part, const Matrix& rows) {
  const Vector log_scale = part.scale.array().log();
  double sum = 0;
  std::vector<std::uint32_t> complete;
  Matrix scaled = rows.rowwise() - part.mean.transpose();
  scaled = scaled.array().rowwise() / part.scale.transpose().array();
  for (Eigen::Index i = 0; i < rows.rows(); ++i) {
    if (!scaled.row(i).hasNaN()) {
      complete.push_back(std::uint32_t(i));
      continue;
    }
    sum += marginal(estimate.W, scaled.row(i));
    for (Eigen::Index j = 0; j < rows.cols(); ++j)
      if (!std::isnan(scaled(i, j))) sum -= log_scale[j];
  }
  if (!complete.empty())
    sum += double(complete.size()) *
           (held_out_log_likelihood(rows_of(scaled, complete), Vector::Zero(rows.cols()),
                                    estimate.Theta) -
            log_scale.sum());
  return sum / double(rows.rows());
}

/// 0 ... n - 1 without those held out.
std::vector<std::uint32_t> rows_beside(const std::vector<std::uint32_t>& held, std::uint32_t n) {
  std::vector<std::uint32_t> rows;
  for (std::uint32_t i = 0; i < n; ++i)
    if (!std::binary_search(held.begin(), held.end(), i)) rows.push_back(i);
  return rows;
}

void summarise_folds(HeldOut& out) {
  const double count = double(out.folds.size());
  out.mean = std::accumulate(out.folds.begin(), out.folds.end(), 0.0) / count;
  double squares = 0;
  for (double value : out.folds) squares += (value - out.mean) * (value - out.mean);
  out.sd = std::sqrt(squares / (count - 1));
}

}  // namespace

Vector column_deviations(const Matrix& X) {
  Vector out(X.cols());
  for (Eigen::Index j = 0; j < X.cols(); ++j) {
    double count = 0, sum = 0, squares = 0, origin = 0;
    for (Eigen::Index i = 0; i < X.rows(); ++i) {
      if (std::isnan(X(i, j))) continue;
      if (count == 0) origin = X(i, j);
      const double d = X(i, j) - origin;
      ++count, sum += d, squares += d * d;
    }
    out[j] =
        count > 0 ? std::sqrt(std::max(0.0, squares / count - sum * sum / (count * count))) : 0;
    if (!(out[j] > 0))
      throw Error(
          fmt::format("held_out_likelihood: variable {} (counted from 0) is constant; drop it", j));
  }
  return out;
}

void check_held_out(const Matrix& X, const HeldOutOptions& options) {
  if (options.folds < 2)
    throw Error(fmt::format("held_out_likelihood: {} fold, at least 2 are needed", options.folds));
  if (X.rows() < options.folds)
    throw Error(fmt::format(
        "held_out_likelihood: {} row{} cannot fill {} folds; give more rows or fewer folds",
        X.rows(), X.rows() == 1 ? "" : "s", options.folds));
}

TrainingPart centred_part(const Matrix& rows, const Vector& fallback, bool standardize) {
  TrainingPart part;
  part.n = double(rows.rows());
  part.mean = column_means(rows);
  part.X = rows.rowwise() - part.mean.transpose();
  part.scale = Vector::Ones(rows.cols());
  if (standardize) {
    part.scale = part.X.colwise().squaredNorm().cwiseSqrt().transpose() / std::sqrt(part.n);
    part.scale = (part.scale.array() > 0).select(part.scale, fallback);
    part.X = part.X.array().rowwise() / part.scale.transpose().array();
  }
  const Vector variances = (fallback.array() / part.scale.array()).square();
  part.S = covariance_with_fallback(part.X, variances);
  return part;
}

std::vector<std::vector<std::uint32_t>> fold_rows(std::size_t n, int folds, std::uint64_t seed,
                                                  bool shuffle) {
  std::vector<std::uint32_t> order(n);
  std::iota(order.begin(), order.end(), 0u);
  if (shuffle) RandomStream(seed, 0).shuffle(order);
  std::vector<std::vector<std::uint32_t>> parts(static_cast<std::size_t>(folds));
  std::size_t first = 0;
  for (std::size_t k = 0; k < parts.size(); ++k) {
    const std::size_t last = first + n / parts.size() + (k < n % parts.size() ? 1 : 0);
    parts[k].assign(order.begin() + std::ptrdiff_t(first), order.begin() + std::ptrdiff_t(last));
    std::sort(parts[k].begin(), parts[k].end());
    first = last;
  }
  return parts;
}

HeldOut held_out_likelihood(const Method& method, const Matrix& X, const HeldOutOptions& options) {
  check_held_out(X, options);
  const Stopwatch watch;
  const Vector fallback = column_deviations(X);
  const auto parts = fold_rows(std::size_t(X.rows()), options.folds, options.seed, options.shuffle);
  std::vector<TrainingPart> training(parts.size());
  std::vector<Problem> problems(parts.size());
  for_each(parts.size(), options.pool, [&](std::size_t k) {
    const std::vector<std::uint32_t> rows = rows_beside(parts[k], std::uint32_t(X.rows()));
    training[k] = options.prepare ? options.prepare(rows)
                                  : centred_part(rows_of(X, rows), fallback, options.standardize);
    problems[k] = {.S = training[k].S,
                   .n = training[k].n,
                   .X = training[k].X.size() > 0 ? &training[k].X : nullptr,
                   .constraints = options.constraints};
  });
  const std::vector<Estimate> estimates = method.estimate_all(problems, options.pool);
  HeldOut out;
  out.folds.resize(parts.size());
  for_each(parts.size(), options.pool, [&](std::size_t k) {
    out.folds[k] = score_rows(of_scores(estimates[k], training[k].information), training[k],
                              rows_of(X, parts[k]));
  });
  for (const Estimate& estimate : estimates)
    if (out.status == Status::ok && estimate.status != Status::ok)
      out.status = estimate.status, out.message = estimate.message;
  summarise_folds(out);
  out.seconds = watch.seconds();
  return out;
}

}  // namespace spodnet
