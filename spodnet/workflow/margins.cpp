#include "spodnet/workflow/margins.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "spodnet/tables/diagnose.hpp"
#include "spodnet/tables/mixed_correlation.hpp"

namespace spodnet {
namespace {

std::vector<double> sorted_values(const Eigen::Ref<const Vector>& column) {
  std::vector<double> out;
  for (const double x : column)
    if (!std::isnan(x)) out.push_back(x);
  std::sort(out.begin(), out.end());
  return out;
}

/// The share of a row that a pair of columns keeps, on average.
double kept_share(const Vector& information) {
  const double p = double(information.size()), sum = information.sum();
  return p > 1 ? (sum * sum - information.squaredNorm()) / (p * (p - 1)) : 1;
}

/// The values in the order of the ranks of x.
Vector of_same_ranks(const Vector& x, const std::vector<double>& values) {
  std::vector<Eigen::Index> order(std::size_t(x.size()));
  std::iota(order.begin(), order.end(), Eigen::Index(0));
  std::sort(order.begin(), order.end(), [&](auto a, auto b) { return x[a] < x[b]; });
  Vector out(x.size());
  for (std::size_t k = 0; k < order.size(); ++k)
    out[order[k]] = values[(2 * k + 1) * values.size() / (2 * order.size())];
  return out;
}

}  // namespace

Margins margins_of(const Analysis& analysis) {
  const Prepared& data = analysis.data;
  Margins out;
  out.rows = analysis.plan.n;
  if (data.X.size() == 0 || data.options.ranks) return out;
  const Vector& kept = data.moments.information;
  const bool uneven = kept.size() > 0 && kept.minCoeff() < kUnevenLevels;
  std::vector<std::vector<double>> values(data.p());
  bool any = false;
  for (std::size_t j = 0; j < data.p(); ++j) {
    const Vector column = data.X.col(Eigen::Index(j));
    const bool levels = !data.kinds.empty() && data.kinds[j] == ColumnKind::ordinal;
    const bool ranked = !data.kinds.empty() && data.kinds[j] == ColumnKind::ranks;
    const bool heavy = !levels && !ranked && has_heavy_tails(column);
    if (heavy || (levels && uneven)) values[j] = sorted_values(column), any = true;
  }
  if (!any) return out;
  out.values = std::move(values);
  if (!uneven) return out;
  out.kinds = data.kinds;
  const double rows = std::round(double(analysis.plan.n) / kept_share(kept));
  out.rows = std::min(std::size_t(rows), std::size_t(data.X.rows()));
  return out;
}

WorkingData with_margins(const Margins& margins, const MatrixRef& X, bool standardize) {
  WorkingData out;
  out.standardize = standardize;
  out.Y = X;
  for (Eigen::Index j = 0; j < X.cols() && !margins.gaussian(); ++j) {
    const std::vector<double>& values = margins.values[std::size_t(j)];
    if (!values.empty()) out.Y.col(j) = of_same_ranks(X.col(j), values);
  }
  if (!margins.kinds.empty()) {
    out.moments.kinds = margins.kinds;
    out.Y = gaussian_scores(out.Y, margins.kinds, Vector::Ones(X.cols()));
  }
  const Vector mean = out.Y.colwise().mean();
  out.scale = (out.Y.rowwise() - mean.transpose()).colwise().squaredNorm().cwiseSqrt() /
              std::sqrt(double(X.rows()));
  out.scale = (out.scale.array() > 0).select(out.scale, 1.0);
  out.all = part_of(out, out.Y);
  return out;
}

}  // namespace spodnet
