#include "spodnet/tables/moments.hpp"

#include <fmt/format.h>

#include <cmath>
#include <vector>

#include "spodnet/core/error.hpp"
#include "spodnet/tables/coding.hpp"
#include "spodnet/tables/covariance.hpp"
#include "spodnet/tables/em.hpp"
#include "spodnet/tables/mixed_correlation.hpp"

namespace spodnet {
namespace {

void count_rows(const Matrix& counts, Moments& out) {
  const Eigen::Index p = counts.rows();
  out.n = p > 1 ? (counts.sum() - counts.diagonal().sum()) / double(p * (p - 1)) : counts(0, 0);
  out.least = counts.minCoeff();
}

/// Scale and correlations of a covariance; constant variables are uncorrelated.
void split_covariance(const Matrix& S, Moments& out) {
  out.scale = S.diagonal().cwiseSqrt();
  const Vector inverse = (out.scale.array() > 0).select(out.scale.cwiseInverse(), 0.0);
  out.R = inverse.asDiagonal() * S * inverse.asDiagonal();
  out.R = out.R.cwiseMax(-1).cwiseMin(1);
  out.R.diagonal().setOnes();
  symmetrise(out.R);
}

Moments complete_moments(const MatrixRef& X) {
  Moments out;
  out.mean = column_means(X);
  out.n = out.least = double(X.rows());
  split_covariance(empirical_covariance(X), out);
  return out;
}

Moments moments_of_pairs(PairwiseCorrelation pairs) {
  Moments out;
  count_rows(pairs.counts, out);
  out.mean = std::move(pairs.mean);
  out.scale = std::move(pairs.scale);
  out.R = std::move(pairs.R);
  out.repair = repair_correlation(out.R, out.n);
  return out;
}

Moments pairwise_moments(const MatrixRef& X, const Vector& weight = {}) {
  return moments_of_pairs(pairwise_correlation(X, weight));
}

Moments em_moments(const MatrixRef& X, const MomentsOptions& options) {
  const PairwiseCorrelation pairs = pairwise_correlation(X);
  if (!(pairs.scale.minCoeff() > 0)) return pairwise_moments(X);  // constant in these rows alone
  Moments out;
  count_rows(pairs.counts, out);
  out.n = pairs.counts.diagonal().mean();  // a row has information on its missing values, too
  EmResult em = em_covariance(X, {.S_start = options.S_start, .mean_start = options.mean_start});
  out.iterations = em.iterations;
  out.converged = em.status == Status::ok;
  out.mean = std::move(em.mean);
  split_covariance(em.S, out);
  return out;
}

Moments rank_moments(const MatrixRef& X, RankCorrelation kind) {
  Moments out;
  count_rows(pairwise_correlation(X).counts, out);
  out.mean = column_medians(X);
  out.scale = robust_scale(X);
  out.R = gaussian_rank_correlation(X, kind);
  out.repair = repair_correlation(out.R, out.n);
  return out;
}

/// Rows of weight 1 with as much information as these.
double effective_rows(const Vector& weight) {
  return weight.sum() * weight.sum() / weight.squaredNorm();
}

/// Means and scales of the values as they are; the correlations of what is behind them.
Moments mixed_moments(const MatrixRef& X, const MomentsOptions& options, const Vector& weight) {
  ColumnMoments columns = column_moments(X, weight);
  MixedCorrelation mixed = mixed_correlation(X, options.kinds, weight, options.pool);
  Moments out;
  out.mean = std::move(columns.mean);
  out.scale = std::move(columns.scale);
  count_rows(mixed.counts, out);
  const double least = out.least, rows = out.n;
  count_rows(mixed.effective, out);
  out.least = least;
  out.R = std::move(mixed.R);
  out.repair = repair_correlation(out.R, out.n, rows);
  out.information = std::move(mixed.information);
  return out;
}

Moments weighted_moments(const MatrixRef& X, const MomentsOptions& options, const Vector& weight) {
  const Vector scaled = weight * (double(weight.size()) / weight.sum());
  Moments out =
      options.kinds.empty() ? pairwise_moments(X, scaled) : mixed_moments(X, options, scaled);
  out.n *= effective_rows(weight) / double(weight.size());
  return out;
}

/// Of ranks and levels: their numbers come from columns in one coding, back in that of X.
template <class MomentsOf>
Moments in_one_coding(const MatrixRef& X, MomentsOf moments_of) {
  const Vector signs = coding_signs(X);
  Moments out = moments_of(recoded(X, signs));
  out.mean = out.mean.cwiseProduct(signs);
  out.R = signs.asDiagonal() * Matrix(out.R) * signs.asDiagonal();
  return out;
}

/// The weights of the rows of X without a missing value.
Vector weights_of_complete(const MatrixRef& X, const Vector& weight) {
  std::vector<double> kept;
  for (Eigen::Index i = 0; i < X.rows() && weight.size() > 0; ++i)
    if (!X.row(i).hasNaN()) kept.push_back(weight[i]);
  return Eigen::Map<const Vector>(kept.data(), Eigen::Index(kept.size()));
}

void check_moments(const MatrixRef& X, const MomentsOptions& options, const Vector& weight) {
  if (X.rows() < 2 || X.cols() < 1)
    throw Error(
        fmt::format("moments: X is {} x {}, at least two rows are needed", X.rows(), X.cols()));
  const bool em = options.missing == Missing::em && X.hasNaN();
  if (options.ranks && em)
    throw Error("moments: EM is for Gaussian data, ranks take the values observed; use pairwise");
  if (em && (!options.kinds.empty() || weight.size() > 0))
    throw Error("moments: EM is for Gaussian data whose rows count equally; use pairwise");
  if (options.ranks && weight.size() > 0)
    throw Error("moments: ranks do not go with weights of rows");
}

}  // namespace

std::string to_string(Missing missing) {
  switch (missing) {
    case Missing::pairwise:
      return "pairwise";
    case Missing::em:
      return "em";
    case Missing::drop:
      return "drop";
  }
  return "unknown";
}

Missing missing_from(const std::string& text) {
  for (const Missing missing : {Missing::pairwise, Missing::em, Missing::drop})
    if (to_string(missing) == text) return missing;
  throw Error("missing values '" + text + "': is none of pairwise, em, drop");
}

RankCorrelation rank_correlation_from(const std::string& text) {
  if (text == "spearman") return RankCorrelation::spearman;
  if (text == "kendall") return RankCorrelation::kendall;
  throw Error("ranks '" + text + "': is neither spearman nor kendall");
}

Matrix Moments::covariance() const {
  Matrix S = scale.asDiagonal() * R * scale.asDiagonal();
  symmetrise(S);
  return S;
}

Matrix complete_rows(const MatrixRef& X) {
  std::vector<Eigen::Index> rows;
  for (Eigen::Index i = 0; i < X.rows(); ++i)
    if (!X.row(i).hasNaN()) rows.push_back(i);
  return X(rows, Eigen::all);
}

Moments moments_of(const PairSums& sums, const Vector& origin) {
  Moments out = moments_of_pairs(correlation_of(sums));
  out.mean += origin;
  return out;
}

Moments moments(const MatrixRef& X, const MomentsOptions& options, const Vector& weight) {
  if (X.hasNaN() && options.missing == Missing::drop) {
    MomentsOptions complete = options;
    complete.missing = Missing::pairwise;
    return moments(complete_rows(X), complete, weights_of_complete(X, weight));
  }
  check_moments(X, options, weight);
  if (options.ranks)
    return in_one_coding(X, [&](const Matrix& Y) { return rank_moments(Y, *options.ranks); });
  if (!options.kinds.empty())
    return in_one_coding(X, [&](const Matrix& Y) {
      return weight.size() > 0 ? weighted_moments(Y, options, weight)
                               : mixed_moments(Y, options, weight);
    });
  if (weight.size() > 0) return weighted_moments(X, options, weight);
  if (!X.hasNaN()) return complete_moments(X);
  return options.missing == Missing::em ? em_moments(X, options) : pairwise_moments(X);
}

}  // namespace spodnet
