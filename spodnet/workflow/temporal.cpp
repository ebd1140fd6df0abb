#include "spodnet/workflow/temporal.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "spodnet/core/error.hpp"
#include "spodnet/core/random.hpp"
#include "spodnet/metrics/edge_agreement.hpp"
#include "spodnet/metrics/louvain.hpp"
#include "spodnet/tables/covariance.hpp"
#include "spodnet/workflow/bootstrap.hpp"
#include "spodnet/workflow/candidate_methods.hpp"

namespace spodnet {
namespace {

constexpr std::size_t kFewestPersons = 10;  // to draw persons, not blocks of their rows
constexpr std::size_t kVarAtOnce = 32;      // resamples between two looks at `stop`

/// The graph of the residuals: correlations of n pairs, lambda chosen or fixed.
Estimate residual_graph(const Matrix& residuals, const Method& method, ThreadPool* pool) {
  const Moments m = moments(residuals);
  return method.estimate({.S = m.R, .n = m.n, .X = nullptr, .pool = pool});
}

/// Pairs that are drawn together: those of a person, or blocks of successive ones.
std::vector<RowList> units_of(const LaggedRows& rows, std::size_t& block) {
  RowFacts facts;
  const auto m = std::size_t(rows.Y.rows());
  block = 0;
  if (rows.persons >= kFewestPersons) {
    facts.cluster = rows.person;
  } else {
    block = std::max<std::size_t>(2, std::size_t(std::lround(std::cbrt(double(m)) * 2)));
    facts.block_length = std::min(block, m);
  }
  return row_blocks(facts, m);
}

RowList every_pair(const LaggedRows& rows) {
  RowList all(std::size_t(rows.Y.rows()));
  std::iota(all.begin(), all.end(), 0u);
  return all;
}

Matrix all_effects(const LaggedRows& rows, const RowList& places) {
  return unbiased_effects(rows, places, Matrix::Ones(rows.X.cols(), rows.Y.cols()));
}

/// One resample: everything fitted again.
struct Drawn {
  Matrix B, effects, partial;  // effects: all of them fitted at once
  bool ok = false;
};

Drawn drawn_again(const LaggedRows& rows, const std::vector<RowList>& units, bool persons,
                  const Method& method, double gamma, RandomStream random) {
  const RowList places = resampled_rows(units, persons, std::size_t(rows.Y.rows()), random);
  const Matrix X = rows.X(places, Eigen::all), Y = rows.Y(places, Eigen::all);
  Drawn out;
  const SparseVar fit = fit_sparse_var(X, Y, gamma);
  const Estimate graph = residual_graph(fit.residuals, method, nullptr);
  out.ok = graph.status == Status::ok;
  if (!out.ok) return out;
  out.B = fit.B;
  out.effects = all_effects(rows, places);
  out.partial = partial_correlations(graph.Theta, graph.Theta);
  return out;
}

EntryConfidence confidence_of(const std::vector<Drawn>& all, Matrix Drawn::*which, Eigen::Index p) {
  EntryConfidence out{Matrix::Zero(p, p), Matrix::Zero(p, p), Matrix::Zero(p, p)};
  std::vector<double> values;
  for (Eigen::Index i = 0; i < p; ++i)
    for (Eigen::Index j = 0; j < p; ++j) {
      values.clear();
      double kept = 0;
      for (const Drawn& each : all) {
        if (!each.ok) continue;
        values.push_back((each.*which)(i, j));
        kept += values.back() != 0;
      }
      if (values.empty()) continue;
      std::sort(values.begin(), values.end());
      out.share(i, j) = kept / double(values.size());
      out.low(i, j) = quantile(values, 0.025);
      out.high(i, j) = quantile(values, 0.975);
    }
  return out;
}

/// Student's 97.5 % point.
double student_point(double degrees) {
  const double z = 1.959964, z3 = z * z * z;
  return z + (z3 + z) / (4 * degrees) +
         (5 * z3 * z * z + 16 * z3 + 3 * z) / (96 * degrees * degrees);
}

/// Ranges of the effects: all of them fitted at once, plus and minus their spread over the
/// resamples, which is too small by sqrt(1 - 1 / units), times Student's t.
void put_ranges(const std::vector<Drawn>& all, const Matrix& effects, std::size_t units,
                EntryConfidence& out) {
  Matrix sum = Matrix::Zero(effects.rows(), effects.cols()), squares = sum;
  double count = 0;
  for (const Drawn& each : all)
    if (each.ok) sum += each.effects, squares += each.effects.cwiseAbs2(), ++count;
  if (count == 0) return;
  const double u = std::max(2.0, double(units));
  const Matrix spread = (squares / count - (sum / count).cwiseAbs2()).cwiseMax(0).cwiseSqrt();
  const Matrix half = student_point(u - 1) * std::sqrt(u / (u - 1)) * spread;
  out.low = effects - half;
  out.high = effects + half;
}

void add_resamples(const LaggedRows& rows, const Method& fixed, const TemporalOptions& options,
                   const RunContext& run, Temporal& out) {
  const auto units = units_of(rows, out.block);
  std::vector<Drawn> all(options.resamples);
  for (std::size_t first = 0; first < all.size(); first += kVarAtOnce) {
    out.interrupted = run.stopped();
    if (out.interrupted) return;
    const std::size_t count = std::min(kVarAtOnce, all.size() - first);
    run.pool.run(count, [&](std::size_t k, int) {
      all[first + k] = drawn_again(rows, units, out.block == 0, fixed, options.gamma,
                                   RandomStream(options.seed, first + k + 1));
    });
    run.report("resampling", double(first + count) / double(all.size()));
  }
  for (const Drawn& each : all) ++(each.ok ? out.resamples : out.failures);
  const Eigen::Index p = rows.Y.cols();
  out.B_confidence = confidence_of(all, &Drawn::B, p);
  put_ranges(all, all_effects(rows, every_pair(rows)), units.size(), out.B_confidence);
  out.partial_confidence = confidence_of(all, &Drawn::partial, p);
  out.notes.push_back(
      {AnswerNote::Kind::done,
       out.block == 0
           ? fmt::format("confidence: {} resamples of the {} persons, everything fitted again",
                         out.resamples, rows.persons)
           : fmt::format(
                 "confidence: {} resamples in blocks of {} successive pairs ({} persons are "
                 "too few to be drawn), everything fitted again",
                 out.resamples, out.block, rows.persons)});
  if (out.failures > 0)
    out.notes.push_back(
        {AnswerNote::Kind::warning,
         fmt::format("{} resamples had numerical trouble: they do not count", out.failures)});
}

/// Places by the strongest links of either kind.
void add_places(std::uint64_t seed, Temporal& out) {
  Matrix strongest = out.partial.cwiseAbs().cwiseMax(out.B.cwiseAbs());
  strongest = strongest.cwiseMax(Matrix(strongest.transpose()));
  strongest.diagonal().setZero();
  const WeightedGraph graph = graph_of(strongest);
  const Communities found = louvain(graph, {.seed = seed});
  out.community.assign(found.community.begin(), found.community.end());
  out.points = force_layout(graph, out.community);
}

}  // namespace

Temporal temporal(const LaggedRows& rows, const TemporalOptions& options, const RunContext& run) {
  std::shared_ptr<const Method> method = make_method(options.method, run.models, run.engine);
  if (method->needs_samples())
    throw Error(options.method + ": splits samples: use a method that needs the covariance alone");
  Temporal out;
  out.names = rows.names;
  out.pairs = std::size_t(rows.Y.rows());
  out.persons = rows.persons;
  for (const DataNote& note : rows.notes)
    out.notes.push_back({note.warning ? AnswerNote::Kind::warning : AnswerNote::Kind::done,
                         note.text, note.advice, note.value});
  const SparseVar fit = fit_sparse_var(rows.X, rows.Y, options.gamma);
  out.B = unbiased_effects(rows, every_pair(rows), fit.B);
  out.explained = 1 - fit.residuals.colwise().squaredNorm().transpose().array() /
                          rows.Y.colwise().squaredNorm().transpose().array();
  const Estimate graph = residual_graph(fit.residuals, *method, &run.pool);
  if (graph.status != Status::ok) throw Error(options.method + ": " + graph.message);
  out.Theta = graph.Theta;
  out.partial = partial_correlations(graph.Theta, graph.Theta);
  const auto fixed = resampling_method(method, graph);
  out.method = fixed->name();
  if (options.resamples > 0) add_resamples(rows, *fixed, options, run, out);
  if (!out.interrupted) add_places(options.seed, out);
  return out;
}

}  // namespace spodnet
