// How far a graph of `spodnet graph` can be trusted, measured where the truth is known: data sets
// of p = 30 variables, alpha = 0.95 as in the paper, 20 each with n = 60 and n = 300 samples.
//   graph_reliability [DATA_SETS [RESAMPLES [SEED]]]
// Prints NMSE and F1 of the edges of `auto` and of the cross-validated graphical lasso, what
// missing values cost, and how often edges are true by their bootstrap share. docs/graph.md has the
// tables.

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include "experiments/program.hpp"
#include "spodnet/generate/dataset.hpp"
#include "spodnet/metrics/nmse.hpp"
#include "spodnet/metrics/support.hpp"
#include "spodnet/workflow/analyse.hpp"

namespace spodnet::experiments {
namespace {

constexpr std::size_t kP = 30;
constexpr double kAlpha = 0.95, kMissing = 0.1;

struct Sums {
  double nmse = 0, f1 = 0, precision = 0, recall = 0, edges = 0;

  void add(const Answer& answer, const Matrix& truth) {
    const SupportScores scores = support_scores(answer.Theta, truth);
    nmse += spodnet::nmse(answer.Theta, truth);
    f1 += scores.f1_offdiag;
    precision += scores.precision;
    recall += scores.recall;
    edges += double(answer.edges.size());
  }
};

/// Edges by share: 0-10 %, ..., 90-100 %.
struct Bins {
  std::size_t edges[10] = {}, correct[10] = {};

  void add(const Answer& answer, const Matrix& truth) {
    for (const AnswerEdge& edge : answer.edges) {
      const auto bin = std::min<std::size_t>(9, std::size_t(10 * edge.confidence->share + 1e-9));
      ++edges[bin];
      correct[bin] += truth(Eigen::Index(edge.i), Eigen::Index(edge.j)) != 0;
    }
  }
};

Matrix with_gaps(Matrix X, std::uint64_t seed) {
  RandomStream random(seed, 1);
  for (double& x : X.reshaped())
    if (random.uniform() < kMissing) x = std::numeric_limits<double>::quiet_NaN();
  return X;
}

struct Study {
  std::map<std::string, Sums> sums;
  std::map<std::string, std::size_t> chosen;
  std::size_t stable = 0, stable_wrong = 0;
  Bins bins;
};

class Runner {
 public:
  Runner(std::size_t resamples, std::filesystem::path cache)
      : resamples_(resamples), cache_(std::move(cache)) {}

  void run(const Matrix& X, const Matrix& truth, std::uint64_t seed, Study& study) {
    AnalysisOptions options;
    options.cache = cache_;
    options.seed = seed;
    const Matrix gaps = with_gaps(X, seed);
    study.sums["auto, 10 % missing, pairwise"].add(answer(gaps, {}, options), truth);
    study.sums["auto, 10 % missing, em"].add(answer(gaps, {.missing = Missing::em}, options),
                                             truth);
    options.resamples = resamples_;
    options.stable = 0.1;
    const Answer found = answer(X, {}, options);
    study.sums["auto"].add(found, truth);
    study.bins.add(found, truth);
    ++study.chosen[found.method];
    for (const AnswerEdge& edge : found.edges) {
      study.stable += edge.confidence->stable;
      study.stable_wrong +=
          edge.confidence->stable && truth(Eigen::Index(edge.i), Eigen::Index(edge.j)) == 0;
    }
    AnalysisOptions lasso;
    lasso.method = "glasso-cv";
    study.sums["glasso-cv"].add(answer(X, {}, lasso), truth);
    lasso.standardize = false;
    study.sums["glasso-cv, not standardised"].add(answer(X, {}, lasso), truth);
  }

 private:
  Answer answer(const Matrix& X, const PrepareOptions& prepare, const AnalysisOptions& options) {
    const Prepared data = prepare_samples({{}, {}, X}, prepare, "experiment");
    return analyse(data, options, {.pool = pool_});
  }

  std::size_t resamples_;
  std::filesystem::path cache_;
  ThreadPool pool_;
};

void print(const Study& study, std::size_t n, std::size_t count) {
  std::printf("\np = %zu, n = %zu, alpha = %g, %zu data sets\n\n", kP, n, kAlpha, count);
  std::printf(
      "| method | NMSE | F1 of edges | precision | recall | edges |\n|---|---|---|---|---|---|\n");
  for (const auto& [name, s] : study.sums) {
    const double c = double(count);
    std::printf("| %s | %.4f | %.3f | %.3f | %.3f | %.1f |\n", name.c_str(), s.nmse / c, s.f1 / c,
                s.precision / c, s.recall / c, s.edges / c);
  }
  for (const auto& [name, times] : study.chosen)
    std::printf("\nauto chose %s %zu times", name.c_str(), times);
  std::printf("\n\n| share of resamples | edges | true |\n|---|---|---|\n");
  for (int b = 9; b >= 0; --b)
    if (study.bins.edges[b] > 0)
      std::printf("| %d to %d %% | %zu | %.0f %% |\n", 10 * b, 10 * b + 10, study.bins.edges[b],
                  100.0 * double(study.bins.correct[b]) / double(study.bins.edges[b]));
  std::printf("\n--stable 0.1 kept %zu edges, of which %zu (%.1f %%) are false\n", study.stable,
              study.stable_wrong,
              study.stable ? 100.0 * double(study.stable_wrong) / double(study.stable) : 0.0);
  std::fflush(stdout);
}

int run(int argc, char** argv) {
  const std::size_t count = argc > 1 ? std::strtoul(argv[1], nullptr, 10) : 20;
  const std::size_t resamples = argc > 2 ? std::strtoul(argv[2], nullptr, 10) : 100;
  const std::uint64_t seed = argc > 3 ? std::strtoull(argv[3], nullptr, 10) : 2024;
  const auto cache = std::filesystem::temp_directory_path() / "spodnet-graph-reliability";
  std::filesystem::remove_all(cache);  // each run trains its own models
  Runner runner(resamples, cache);
  ThreadPool pool;
  for (const std::size_t n : {60, 300}) {
    const DataSet data = generate_dataset({.p = kP,
                                           .n = n,
                                           .alpha = {{kAlpha}, false},
                                           .count = count,
                                           .seed = seed,
                                           .keep_samples = true},
                                          pool);
    Study study;
    for (std::size_t k = 0; k < count; ++k) runner.run(data.X[k], data.Theta_true[k], k, study);
    print(study, n, count);
  }
  std::filesystem::remove_all(cache);
  return 0;
}

}  // namespace
}  // namespace spodnet::experiments

int main(int argc, char** argv) {
  using namespace spodnet::experiments;
  return run_program("graph_reliability", run, argc, argv);
}
