#include "spodnet/analysis/working_data.hpp"

#include <numeric>

#include "spodnet/core/random.hpp"
#include "spodnet/data/em.hpp"

namespace spodnet {
namespace {

Matrix shuffled_rows(const Matrix& X, std::uint64_t seed) {
  std::vector<std::uint32_t> order(std::size_t(X.rows()));
  std::iota(order.begin(), order.end(), 0u);
  RandomStream(seed, 0).shuffle(order);
  return X(order, Eigen::all);
}

/// All scales positive: those of all rows where these have none.
Vector positive_scale(const Vector& scale, const Vector& fallback) {
  return (scale.array() > 0).select(scale, fallback);
}

Matrix scaled_rows(const Matrix& rows, const Vector& mean, const Vector& scale) {
  return (rows.rowwise() - mean.transpose()).array().rowwise() / scale.transpose().array();
}

Matrix scaled(const Matrix& R, const Vector& scale) {
  return Moments{.mean = {}, .scale = scale, .R = R, .repair = {}}.covariance();
}

}  // namespace

WorkingData working_data(const PreparedData& data, bool standardize, std::uint64_t seed) {
  WorkingData out;
  out.moments = {.missing = data.options.missing, .ranks = data.options.ranks};
  out.standardize = standardize;
  out.scale = data.moments.scale;
  if (data.X.size() > 0) {
    out.Y = shuffled_rows(data.X, seed);
    if (out.moments.ranks) {
      out.Y = normal_scores(out.Y);
      if (!standardize) out.Y = Matrix(out.Y * out.scale.asDiagonal());
    }
    out.all = part_of(out, out.Y);
    return out;
  }
  out.all.n = data.moments.n;
  out.all.mean = data.moments.mean;
  out.all.scale = standardize ? out.scale : Vector::Ones(out.scale.size());
  out.all.S = standardize ? data.moments.R : data.moments.covariance();
  return out;
}

TrainingPart part_of(const WorkingData& data, const Matrix& rows) {
  const Moments m = moments(rows, data.moments);
  const Vector ones = Vector::Ones(rows.cols());
  TrainingPart part;
  part.n = m.n;
  part.mean = data.moments.ranks ? Vector::Zero(rows.cols()) : m.mean;
  const Vector scale = data.moments.ranks ? (data.standardize ? ones : data.scale)
                                          : positive_scale(m.scale, data.scale);
  part.scale = data.standardize ? scale : ones;
  part.S = data.standardize ? m.R : scaled(m.R, scale);
  const bool drop = rows.hasNaN() && data.moments.missing == Missing::drop;
  const Matrix kept = drop ? complete_rows(rows) : rows;
  part.X = scaled_rows(kept, part.mean, part.scale);
  if (part.X.hasNaN()) part.X = fill_missing(part.X, Vector::Zero(rows.cols()), part.S);
  return part;
}

Problem problem_of(const WorkingData& data, const TrainingPart& part, ThreadPool* pool) {
  return {part.S, part.n, part.X.size() > 0 ? &part.X : nullptr, pool, data.constraints};
}

}  // namespace spodnet
