#include "spodnet/estimators/compare.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "spodnet/core/error.hpp"
#include "spodnet/core/stopwatch.hpp"
#include "spodnet/estimators/glasso.hpp"
#include "spodnet/metrics/louvain.hpp"

namespace spodnet {
namespace {

void score_graph(const CompareOptions& options, ComparedMethod& out) {
  const Matrix& Theta = out.estimate.Theta;
  const Matrix& graph = out.estimate.Z ? *out.estimate.Z : Theta;
  out.partial = partial_correlations(graph, Theta);
  out.edges = count_edges(out.partial);
  out.scores = score(Theta, Matrix(), {.W = &out.estimate.W});
  const double p = double(Theta.rows());
  out.scores.density = p > 1 ? double(out.edges) / (p * (p - 1) / 2) : 0;
  if (options.louvain_restarts == 0) return;
  const Communities found =
      louvain(graph_of(options.held_out.standardize ? out.partial : graph),
              {.restarts = options.louvain_restarts, .seed = options.held_out.seed});
  out.scores.modularity = found.modularity;
  out.scores.communities = double(found.count);
}

void run_method(const Method& method, const Matrix& X, const TrainingPart& all,
                const CompareOptions& options, ComparedMethod& out) {
  const Stopwatch watch;
  out.estimate = method.estimate({.S = all.S,
                                  .n = all.n,
                                  .X = all.X.size() > 0 ? &all.X : nullptr,
                                  .pool = options.held_out.pool,
                                  .constraints = options.held_out.constraints});
  out.seconds = watch.seconds();
  out.note = out.estimate.message;
  score_graph(options, out);
  out.held_out = held_out_likelihood(method, X, options.held_out);
  if (out.note.empty()) out.note = out.held_out.message;
  out.done = true;
}

/// Best first; the lead over each is paired fold by fold.
void rank(std::vector<ComparedMethod>& methods) {
  std::stable_sort(methods.begin(), methods.end(), [](const auto& a, const auto& b) {
    return a.done != b.done ? a.done : a.done && a.held_out.mean > b.held_out.mean;
  });
  for (ComparedMethod& method : methods) {
    if (!method.done) continue;
    const auto &best = methods.front().held_out.folds, &own = method.held_out.folds;
    const double count = double(own.size());
    double squares = 0;
    method.behind = methods.front().held_out.mean - method.held_out.mean;
    for (std::size_t k = 0; k < own.size(); ++k)
      squares += (best[k] - own[k] - method.behind) * (best[k] - own[k] - method.behind);
    method.behind_sd = std::sqrt(squares / (count - 1));
  }
}

}  // namespace

EdgeAgreement Comparison::agreement(std::size_t a, std::size_t b) const {
  return edge_agreement(methods[a].partial, methods[b].partial);
}

Comparison compare_methods(std::span<const NamedMethod> methods, const Matrix& X,
                           const CompareOptions& options) {
  if (methods.empty()) throw Error("compare_methods: no method was given");
  const HeldOutOptions& held_out = options.held_out;
  check_held_out(X, held_out);
  std::vector<std::uint32_t> rows(std::size_t(X.rows()));
  std::iota(rows.begin(), rows.end(), 0u);
  const TrainingPart all = held_out.prepare
                               ? held_out.prepare(rows)
                               : centred_part(X, column_deviations(X), held_out.standardize);
  Comparison out;
  out.n = double(X.rows());
  out.p = std::size_t(X.cols());
  out.folds = held_out.folds;
  for (const auto& [name, method] : methods) {
    out.interrupted = options.stop && options.stop->load();
    if (out.interrupted) break;
    if (options.progress)
      options.progress(double(out.methods.size()) / double(methods.size()), name);
    ComparedMethod& compared = out.methods.emplace_back();
    compared.name = name;
    try {
      run_method(*method, X, all, options, compared);
    } catch (const Error& error) {
      compared.note = error.what();
    }
  }
  rank(out.methods);
  return out;
}

}  // namespace spodnet
