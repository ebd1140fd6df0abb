// F1 of the graph behind hidden factors (docs/lab/factors_and_tails.md), where the truth is known.
//   hidden_factors COUNT SEED RESAMPLES P...
// Each data set has an Erdos-Renyi graph with three edges per variable, 1 to 4 factors with 20 to
// 60 % of the variance, and n = p, 3 p or 10 p samples. With RESAMPLES > 0 also the share of false
// edges that `graph` calls stable at 0.1.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <cstdlib>
#include <string>
#include <vector>

#include "experiments/program.hpp"
#include "spodnet/core/cholesky.hpp"
#include "spodnet/core/error.hpp"
#include "spodnet/generate/gaussian.hpp"
#include "spodnet/generate/precision_family.hpp"
#include "spodnet/metrics/support.hpp"
#include "spodnet/tables/covariance.hpp"
#include "spodnet/workflow/analyse.hpp"
#include "spodnet/workflow/candidate_methods.hpp"

namespace spodnet::experiments {
namespace {

const char* const kMethods[] = {"pretrained:factors=given", "glasso-latent-ebic:factors=given",
                                "pretrained:target=precision,refit=true", "glasso-ebic"};

struct FactorTable {
  Matrix A, X;  ///< precision given the factors; samples
};

FactorTable draw_table(std::size_t p, std::size_t n, RandomStream& random) {
  const auto factors = Eigen::Index(1 + random.below(4));
  const double share = random.uniform(0.2, 0.6);
  const PrecisionDraw kind{PrecisionFamily::erdos_renyi, Signs::mixed, 10.0, false};
  FactorTable table{make_precision(kind, p, 1 - std::min(0.5, 3.0 / double(p)), random), {}};
  Matrix Sigma, Theta;
  (void)spd_inverse(table.A, Sigma);
  const Vector scale = Sigma.diagonal().cwiseSqrt().cwiseInverse();
  Sigma = scale.asDiagonal() * Sigma * scale.asDiagonal();
  Matrix Lambda(Eigen::Index(p), factors);
  for (double& x : Lambda.reshaped()) x = random.normal();
  Lambda *= std::sqrt(share / (1 - share) * double(p) / Lambda.squaredNorm());
  Sigma += Lambda * Lambda.transpose();
  (void)spd_inverse(Sigma, Theta);
  table.X = sample_gaussian(Theta, n, random);
  return table;
}

struct FactorSums {
  double f1[std::size(kMethods)] = {}, automatic = 0, taken = 0;
  std::size_t stable = 0, wrong = 0;

  void add(const FactorTable& table, std::size_t resamples, const ModelRegistry& models,
           ThreadPool& pool) {
    const double n = double(table.X.rows());
    const Prepared data = prepare_samples({{}, {}, table.X}, {}, "drawn");
    AnalysisOptions options;
    options.resamples = resamples;
    if (resamples > 0) options.stable = 0.1;
    const Answer answer = analyse(data, options, {.pool = pool, .models = models});
    automatic += support_scores(answer.Theta, table.A).f1_offdiag;
    taken += answer.method == kMethods[0];
    for (const AnswerEdge& edge : answer.edges)
      if (resamples > 0 && edge.confidence->stable)
        ++stable, wrong += table.A(Eigen::Index(edge.i), Eigen::Index(edge.j)) == 0;
    for (std::size_t m = 0; m < std::size(kMethods); ++m)
      f1[m] += support_scores(make_method(kMethods[m], models)
                                  ->estimate({.S = empirical_covariance(table.X), .n = n})
                                  .Theta,
                              table.A)
                   .f1_offdiag;
  }
};

int run(int argc, char** argv) {
  if (argc < 5) throw Error("usage: hidden_factors COUNT SEED RESAMPLES P...");
  const int count = std::atoi(argv[1]);
  const auto seed = std::uint64_t(std::atoll(argv[2])),
             resamples = std::uint64_t(std::atoll(argv[3]));
  const ModelRegistry models = builtin_models();
  ThreadPool pool(0);
  fmt::print(
      "| p | n | {} | auto (took factors in) | false among stable "
      "|\n|---|---|---|---|---|---|---|---|\n",
      fmt::join(kMethods, " | "));
  for (int k = 4; k < argc; ++k)
    for (const std::size_t ratio : {1, 3, 10}) {
      const auto p = std::size_t(std::atoi(argv[k]));
      FactorSums sums;
      for (int each = 0; each < count; ++each) {
        RandomStream random(seed, std::uint64_t(1000 * p + std::size_t(each)));
        sums.add(draw_table(p, ratio * p, random), resamples, models, pool);
      }
      fmt::print("| {} | {} |", p, ratio * p);
      for (const double f1 : sums.f1) fmt::print(" {:.3f} |", f1 / count);
      fmt::print(" {:.3f} ({:.0f} of {}) | {} of {} |\n", sums.automatic / count, sums.taken, count,
                 sums.wrong, sums.stable);
      std::fflush(stdout);
    }
  return 0;
}

}  // namespace
}  // namespace spodnet::experiments

int main(int argc, char** argv) {
  using namespace spodnet::experiments;
  return run_program("hidden_factors", run, argc, argv);
}
