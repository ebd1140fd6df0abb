#include "spodnet/workflow/working_data.hpp"

#include <algorithm>
#include <numeric>

#include "spodnet/core/error.hpp"
#include "spodnet/core/random.hpp"
#include "spodnet/tables/covariance.hpp"
#include "spodnet/tables/em.hpp"
#include "spodnet/tables/mixed_correlation.hpp"
#include "spodnet/tables/pairwise.hpp"
#include "spodnet/workflow/candidate_methods.hpp"

namespace spodnet {
namespace {

/// Where the rows of Y stand in the data. Clusters are shuffled as wholes.
RowList row_order(const Prepared& data, const std::vector<RowList>& blocks, RowOrder order) {
  const bool clusters = !data.rows.cluster.empty();
  RowList units(clusters ? blocks.size() : std::size_t(data.X.rows()));
  std::iota(units.begin(), units.end(), 0u);
  if (order.shuffled && (clusters || blocks.empty())) RandomStream(order.seed, 0).shuffle(units);
  if (!clusters) return units;
  RowList rows;
  for (const std::uint32_t unit : units)
    rows.insert(rows.end(), blocks[unit].begin(), blocks[unit].end());
  return rows;
}

/// The blocks by the places of their rows in Y.
std::vector<RowList> placed(std::vector<RowList> blocks, const RowList& order) {
  RowList place(order.size());
  for (std::size_t k = 0; k < order.size(); ++k) place[order[k]] = std::uint32_t(k);
  for (RowList& block : blocks)
    for (std::uint32_t& row : block) row = place[row];
  return blocks;
}

/// Rows, weights and blocks of the data in their new order.
void put_rows(const Prepared& data, RowOrder order, WorkingData& out) {
  const auto blocks = row_blocks(data.rows, std::size_t(data.X.rows()));
  const RowList rows = row_order(data, blocks, order);
  out.Y = data.X(rows, Eigen::all);
  if (data.rows.weight.size() > 0) out.weight = data.rows.weight(rows);
  for (const std::uint32_t row : rows)
    if (!data.rows.person.empty()) out.person.push_back(data.rows.person[row]);
  out.blocks = placed(blocks, rows);
  out.clusters = !data.rows.cluster.empty();
  out.design_effect = data.design_effect;
  out.lost = double(data.rows.covariates.cols());
}

/// Normal scores are Gaussian values from here on: parts of the rows are not ranked again.
void take_scores(std::vector<ColumnKind>& kinds) {
  std::replace(kinds.begin(), kinds.end(), ColumnKind::ranks, ColumnKind::gaussian);
  if (std::count(kinds.begin(), kinds.end(), ColumnKind::gaussian) == std::ptrdiff_t(kinds.size()))
    kinds.clear();
}

/// All scales positive: those of all rows where these have none.
Vector positive_scale(const Vector& scale, const Vector& fallback) {
  return (scale.array() > 0).select(scale, fallback);
}

Matrix scaled_rows(const Matrix& rows, const Vector& mean, const Vector& scale) {
  return (rows.rowwise() - mean.transpose()).array().rowwise() / scale.transpose().array();
}

Matrix with_variances(const Matrix& R, const Vector& scale) {
  return Moments{.mean = {}, .scale = scale, .R = R, .repair = {}}.covariance();
}

/// diag(scale) A diag(scale), exactly symmetric.
Matrix congruent(const Matrix& A, const Vector& scale) {
  Matrix out = scale.asDiagonal() * A * scale.asDiagonal();
  symmetrise(out);
  return out;
}

/// The rows, in the units of the part.
void add_samples(const WorkingData& data, const Matrix& rows, TrainingPart& part) {
  const bool drop = rows.hasNaN() && data.moments.missing == Missing::drop;
  const Matrix kept = drop ? complete_rows(rows) : rows;
  part.X = scaled_rows(kept, part.mean, part.scale);
  if (part.X.hasNaN()) part.X = fill_missing(part.X, Vector::Zero(rows.cols()), part.S);
}

/// All rows: their moments are known. Of levels Y has scores, which have means of their own.
TrainingPart all_rows(const WorkingData& data, Moments known) {
  if (!data.moments.kinds.empty()) {
    const double sum = data.weight.sum();
    ColumnMoments of_scores = column_moments(
        data.Y, data.weight.size() > 0 ? Vector(data.weight * (double(data.weight.size()) / sum))
                                       : Vector());
    known.mean = std::move(of_scores.mean);
    known.scale = std::move(of_scores.scale);
  }
  TrainingPart part = part_of(data, known);
  part.n = known.n;  // blocks and covariates are counted
  add_samples(data, data.Y, part);
  return part;
}

}  // namespace

void to_data_units(Estimate& estimate, const Vector& scale) {
  const Vector inverse = scale.cwiseInverse();
  estimate.Theta = congruent(estimate.Theta, inverse);
  estimate.W = congruent(estimate.W, scale);
  if (estimate.Z) *estimate.Z = congruent(*estimate.Z, inverse);
}

WorkingData working_data(const Prepared& data, bool standardize, RowOrder order) {
  WorkingData out;
  out.moments = data.moments_options();
  out.standardize = standardize;
  out.scale = data.moments.scale;
  if (data.X.size() > 0) {
    put_rows(data, order, out);
    if (!out.moments.kinds.empty()) {
      const Vector unit = Vector::Ones(out.scale.size());
      out.Y = gaussian_scores(out.Y, out.moments.kinds, standardize ? unit : out.scale, out.weight);
    } else if (out.moments.ranks) {
      out.Y = normal_scores(out.Y);
      if (!standardize) out.Y = Matrix(out.Y * out.scale.asDiagonal());
    }
    out.all = all_rows(out, data.moments);
    take_scores(out.moments.kinds);
    return out;
  }
  out.all.n = data.moments.n;
  out.all.mean = data.moments.mean;
  out.all.scale = standardize ? out.scale : Vector::Ones(out.scale.size());
  out.all.S = standardize ? data.moments.R : data.moments.covariance();
  return out;
}

WorkingData pose(const Prepared& data, const PoseOptions& options) {
  const bool samples = data.X.size() > 0;
  if (samples && options.uncentred && !data.plain())
    throw Error("a covariance about 0 needs every value, and no ranks, levels or weights");
  const bool standardize = samples && options.standardize && !options.uncentred;
  if (standardize || (samples && !data.plain()))
    return working_data(data, standardize, options.order);
  WorkingData out;
  out.moments = data.moments_options();
  out.standardize = false;
  out.scale = data.moments.scale;
  if (!samples) {
    out.all.S = data.S;
    out.all.n = data.moments.n;
    return out;
  }
  put_rows(data, options.order, out);
  out.all.S = empirical_covariance(data.X, {.centred = !options.uncentred});
  out.all.X = std::move(out.Y);
  out.all.n = double(data.X.rows());
  return out;
}

bool wants_standard_units(const Method& method) {
  return method.input_units() == InputUnits::standardized;
}

Estimate estimate_table(WorkingData data, std::shared_ptr<const Method> method,
                        const Constraints* constraints, ThreadPool* pool) {
  const Matrix& X = data.all.X;
  if (method->needs_samples() && X.size() == 0)
    throw Error("method '" + method->name() + "' needs the samples, a covariance has none");
  if (!data.complete()) method = fitted_to_given_covariance(std::move(method));
  const Problem problem{.S = std::move(data.all.S),  // a large one once
                        .n = data.all.n,
                        .X = X.size() > 0 ? &X : nullptr,
                        .pool = pool,
                        .constraints = constraints};
  Estimate out = method->estimate(problem);
  if (data.standardize) to_data_units(out, data.scale);
  if (out.status == Status::ok && !(out.Theta.allFinite() && out.W.allFinite())) {
    out.status = Status::not_finite;
    out.message = "the estimate has numbers beyond their range; rescale the variables";
  }
  return out;
}

TrainingPart part_of(const WorkingData& data, const RowList& rows) {
  const Vector weight = data.weight.size() > 0 ? Vector(data.weight(rows)) : Vector();
  return part_of(data, Matrix(data.Y(rows, Eigen::all)), weight);
}

TrainingPart part_of(const WorkingData& data, const Moments& m) {
  const Vector ones = Vector::Ones(m.scale.size());
  TrainingPart part;
  part.n = std::max(2.0, (m.n - data.lost) / data.design_effect);
  part.information = m.information;
  part.mean = data.moments.ranks ? Vector::Zero(m.scale.size()) : m.mean;
  const Vector scale = data.moments.ranks ? (data.standardize ? ones : data.scale)
                                          : positive_scale(m.scale, data.scale);
  part.scale = data.standardize ? scale : ones;
  part.S = data.standardize ? m.R : with_variances(m.R, scale);
  return part;
}

TrainingPart part_of(const WorkingData& data, const Matrix& rows, const Vector& weight) {
  TrainingPart part = part_of(data, moments(rows, data.moments, weight));
  add_samples(data, rows, part);
  return part;
}

Problem problem_of(const WorkingData& data, const TrainingPart& part, ThreadPool* pool) {
  return {part.S, part.n, part.X.size() > 0 ? &part.X : nullptr, pool, data.constraints};
}

}  // namespace spodnet
