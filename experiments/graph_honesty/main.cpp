// Whether the edges that `spodnet graph` calls stable are true as often as it says, on graphs and
// rows that no model was trained on (strange_graphs.hpp): p from 10 to 60, n from 50 to 1000, both
// log-uniform.
//   graph_honesty [TABLES [SEED [FIRST [MINUTES [LAW...]]]]]
// Table k has the law k mod L of L (all of strange_laws() unless some are named), and graph
// (k / L) mod 6. One core works at one table; after MINUTES (0: no limit) none is begun. Prints a
// line for each table, then the shares of false edges and the recall of each kind of graph and law;
// docs/graph_reliability.md has the tables.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>
#include <vector>

#include "experiments/graph_honesty/strange_graphs.hpp"
#include "experiments/program.hpp"
#include "spodnet/core/stopwatch.hpp"
#include "spodnet/metrics/edge.hpp"
#include "spodnet/metrics/edge_agreement.hpp"
#include "spodnet/workflow/add_candidates.hpp"
#include "spodnet/workflow/candidate_methods.hpp"
#include "spodnet/workflow/choose_candidate.hpp"
#include "spodnet/workflow/hidden_factor.hpp"
#include "spodnet/workflow/reliability.hpp"
#include "spodnet/workflow/stable_edges.hpp"

namespace spodnet::experiments {
namespace {

constexpr double kAsked[] = {0.05, 0.1, 0.2};
constexpr std::size_t kAsks = 3, kResamples = 200, kChecked = 100;

struct Table5 {
  std::string graph, law;
  std::size_t p = 0, n = 0;
};

struct Found {
  std::size_t stable[kAsks] = {}, wrong[kAsks] = {}, right[kAsks] = {};
  std::size_t any_wrong[kAsks] = {};  ///< tables with a false edge among the stable ones
  std::size_t edges = 0, wrong_edges = 0, true_edges = 0, tables = 0, warned = 0;

  void add(const Found& other) {
    for (std::size_t k = 0; k < kAsks; ++k) {
      stable[k] += other.stable[k];
      wrong[k] += other.wrong[k];
      right[k] += other.right[k];
      any_wrong[k] += other.any_wrong[k];
    }
    edges += other.edges, wrong_edges += other.wrong_edges, true_edges += other.true_edges;
    tables += other.tables, warned += other.warned;
  }
};

std::size_t between(double low, double high, RandomStream& random) {
  return std::size_t(std::round(std::exp(random.uniform(std::log(low), std::log(high)))));
}

/// The chosen method's edges with their shares, and what each q keeps: the steps of analyse().
Found examine(const Matrix& X, const Matrix& truth, std::uint64_t seed, ThreadPool& pool) {
  const Prepared data = prepare_samples({{}, {}, X}, {.kind = TableKind::automatic}, "experiment");
  AnalysisOptions options;
  options.seed = seed;
  Analysis analysis = begin_analysis(data, options, {.pool = pool});
  add_candidates(analysis);
  const Candidate& chosen = analysis.candidates[choose_candidate(analysis)];
  const std::size_t notes = analysis.notes.size();
  tell_of_hidden_factor(analysis, chosen);
  Found found;
  found.tables = 1;
  found.warned = analysis.notes.size() > notes;
  const Matrix& Theta = chosen.estimate.Theta;
  const std::vector<EdgePlace> edges = edges_of(Theta);
  const auto refit = [&](const Estimate& e) { return resampling_method(chosen.method, e); };
  const Matrix partial = partial_correlations(Theta, Theta);
  const bool by_error = margins_of(analysis).by_error();
  const BootstrapResult shares = bootstrap(
      analysis.working, *refit(chosen.estimate), edges, partial,
      {.resamples = kResamples, .seed = seed, .Theta = by_error ? &Theta : nullptr}, pool);
  ReliabilityOptions checks;
  checks.data_sets = data.p() <= 50 ? 24 : 12;
  checks.resamples = kChecked;
  checks.density = density(Theta);
  checks.loadings = hidden_loadings(chosen, analysis.working.all.S);
  checks.seed = seed + 1;
  checks.margins = margins_of(analysis);
  const Reliability reliability =
      measure_reliability(analysis.plan, *chosen.method, refit, checks, pool);
  const std::vector<double> all = supports_of(shares, edges, partial, by_error);
  found.edges = edges.size();
  found.true_edges = count_edges(truth);
  for (const auto& [i, j] : edges) found.wrong_edges += !is_edge(truth, i, j);
  std::vector<bool> doubtful;
  for (const EdgePlace& edge : edges)
    doubtful.push_back(std::count(data.doubtful.begin(), data.doubtful.end(),
                                  std::pair(std::size_t(edge.i), std::size_t(edge.j))) > 0);
  const std::vector<bool> kept = edges_despite_factors(analysis, chosen, edges);
  for (std::size_t k = 0; k < kAsks; ++k) {
    const StableEdges called = stable_edges(reliability, all, kept, kAsked[k], doubtful);
    for (std::size_t e = 0; e < edges.size(); ++e) {
      if (!called.stable[e]) continue;
      ++found.stable[k];
      ++(is_edge(truth, edges[e].i, edges[e].j) ? found.right[k] : found.wrong[k]);
    }
    found.any_wrong[k] = found.wrong[k] > 0;
  }
  return found;
}

void print_line(std::size_t k, const Table5& t, const Found& f, double seconds) {
  std::string line = fmt::format("table,{},{},{},{},{},{},{},{},{}", k, t.graph, t.law, t.p, t.n,
                                 f.true_edges, f.edges, f.wrong_edges, f.warned);
  for (std::size_t q = 0; q < kAsks; ++q) line += fmt::format(",{},{}", f.stable[q], f.wrong[q]);
  std::printf("%s,%.1f\n", line.c_str(), seconds);
  std::fflush(stdout);
}

void print_sums(const std::map<std::string, Found>& sums) {
  std::printf(
      "\n| kind | tables | false at 0.05 | 0.1 | 0.2 | recall at 0.05 | 0.1 | 0.2 | tables with a "
      "false one at 0.1 | false among all edges | warned |\n"
      "|---|---|---|---|---|---|---|---|---|---|---|\n");
  for (const auto& [kind, f] : sums) {
    std::string line = fmt::format("| {} | {} |", kind, f.tables);
    for (std::size_t q = 0; q < kAsks; ++q)
      line += fmt::format(" {} of {} ({:.1f} %) |", f.wrong[q], f.stable[q],
                          f.stable[q] ? 100.0 * double(f.wrong[q]) / double(f.stable[q]) : 0);
    for (std::size_t q = 0; q < kAsks; ++q)
      line += fmt::format(" {:.2f} |",
                          double(f.right[q]) / double(std::max<std::size_t>(1, f.true_edges)));
    line += fmt::format(" {} | {:.0f} % | {} |", f.any_wrong[1],
                        100.0 * double(f.wrong_edges) / double(std::max<std::size_t>(1, f.edges)),
                        f.warned);
    std::printf("%s\n", line.c_str());
  }
}

struct Seen {
  Table5 table;
  Found found;
};

/// Table k, its law the k-th of these in turn.
Seen seen_of(std::size_t k, std::uint64_t seed, const std::vector<std::string>& laws) {
  RandomStream random(seed, k);
  Table5 table{strange_graphs()[k / laws.size() % strange_graphs().size()], laws[k % laws.size()]};
  if (table.law == "null") table.graph = "none";
  table.p = between(10, 60, random);
  table.n = between(50, 1000, random);
  const Matrix truth = strange_precision(table.graph, table.p, random);
  const Matrix X = strange_rows(truth, table.n, table.law, random);
  const Stopwatch watch;
  ThreadPool pool(1);
  const Found found = examine(X, truth, k, pool);
  print_line(k, table, found, watch.seconds());
  return {table, found};
}

int run(int argc, char** argv) {
  const std::size_t tables = argc > 1 ? std::strtoul(argv[1], nullptr, 10) : 600;
  const std::uint64_t seed = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 7;
  const std::size_t first = argc > 3 ? std::strtoul(argv[3], nullptr, 10) : 0;
  const double minutes = argc > 4 ? std::strtod(argv[4], nullptr) : 0;
  std::vector<std::string> laws(argv + std::min(argc, 5), argv + argc);
  if (laws.empty()) laws = strange_laws();
  const Stopwatch watch;
  ThreadPool pool;
  std::vector<Seen> seen(tables);
  pool.run(tables, [&](std::size_t k, int) {
    if (minutes <= 0 || watch.seconds() < 60 * minutes) seen[k] = seen_of(first + k, seed, laws);
  });
  std::map<std::string, Found> sums;
  for (const auto& [table, found] : seen) {
    if (found.tables == 0) continue;
    sums["law: " + table.law].add(found);
    sums["graph: " + table.graph + (table.law == "factor" ? ", factor" : "")].add(found);
  }
  print_sums(sums);
  return 0;
}

}  // namespace
}  // namespace spodnet::experiments

int main(int argc, char** argv) {
  using namespace spodnet::experiments;
  return run_program("graph_honesty", run, argc, argv);
}
