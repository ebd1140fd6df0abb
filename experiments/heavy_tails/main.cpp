// NMSE where rows have heavy tails or some are wrong (docs/lab/factors_and_tails.md).
//   heavy_tails COUNT SEED P...
// Graphs of four kinds with correlations as their scale; n = p, 3 p, 10 p rows: t with 3 or 4
// degrees of freedom, or Gaussian with 5 % of the rows replaced by noise of five times the size.
// Estimates are compared on the scale of correlations. `ranks`: the method is given normal scores.

#include <fmt/format.h>

#include <cmath>
#include <cstdlib>
#include <string>
#include <vector>

#include "experiments/program.hpp"
#include "spodnet/core/cholesky.hpp"
#include "spodnet/core/error.hpp"
#include "spodnet/core/random.hpp"
#include "spodnet/estimators/method.hpp"
#include "spodnet/generate/gaussian.hpp"
#include "spodnet/generate/precision_family.hpp"
#include "spodnet/generate/wishart.hpp"
#include "spodnet/metrics/nmse.hpp"
#include "spodnet/tables/covariance.hpp"
#include "spodnet/tables/ranks.hpp"

namespace spodnet::experiments {
namespace {

struct Contender {
  const char* name;
  const char* method;
  bool ranks;
};
constexpr Contender kContenders[] = {
    {"pretrained", "pretrained:form=tables", false},
    {"pretrained:rows=robust", "pretrained:form=tables,rows=robust", false},
    {"pretrained, ranks", "pretrained:form=tables", true},
    {"glasso-cv, ranks", "glasso-cv", true},
    {"tyler", "tyler", false},
    {"glasso-cv", "glasso-cv", false}};
const std::string kRows[] = {"t(3)", "t(4)", "5 % wrong"};

/// On the scale of correlations: W gets unit diagonal.
Matrix of_correlations(const Matrix& Theta) {
  Matrix W;
  if (!std::isfinite(spd_inverse(Theta, W))) throw Error("heavy_tails: an estimate is not SPD");
  const Vector d = W.diagonal().cwiseSqrt();
  return d.asDiagonal() * Theta * d.asDiagonal();
}

void spoil_rows(Matrix& X, const std::string& rows, RandomStream& random) {
  const double nu = rows == "t(3)" ? 3 : 4;
  for (Eigen::Index k = 0; k < X.rows(); ++k) {
    if (rows != "5 % wrong")
      X.row(k) /= std::sqrt(sample_chi_square(nu, random) / nu);
    else if (random.uniform() < 0.05)
      for (Eigen::Index j = 0; j < X.cols(); ++j) X(k, j) = 5 * random.normal();
  }
}

double score(const Method& method, const Matrix& X, const Matrix& truth) {
  const Estimate got =
      method.estimate({.S = empirical_covariance(X), .n = double(X.rows()), .X = &X});
  return nmse(of_correlations(got.Theta), truth);
}

int run(int argc, char** argv) {
  if (argc < 4) throw Error("usage: heavy_tails COUNT SEED P...");
  const int count = std::atoi(argv[1]);
  const auto seed = std::uint64_t(std::atoll(argv[2]));
  const ModelRegistry models = builtin_models();
  std::vector<std::unique_ptr<Method>> methods;
  std::string head = "| rows | p | n |", rule = "|---|---|---|";
  for (const Contender& each : kContenders) {
    methods.push_back(make_method(each.method, models));
    head += fmt::format(" {} |", each.name), rule += "---|";
  }
  fmt::print("{}\n{}\n", head, rule);
  ThreadPool pool(0);
  using enum PrecisionFamily;
  const PrecisionFamily families[] = {erdos_renyi, scale_free, small_world, bands};
  for (const std::string& rows : kRows)
    for (int k = 3; k < argc; ++k)
      for (const std::size_t ratio : {1, 3, 10}) {
        const auto p = std::size_t(std::atoi(argv[k]));
        std::vector<std::vector<double>> scores(static_cast<std::size_t>(count));
        pool.run(scores.size(), [&](std::size_t each, int) {
          RandomStream random(seed, 1000 * p + each);
          const PrecisionDraw kind{families[each % 4], Signs::mixed, 10.0, true};
          const Matrix Theta = of_correlations(make_precision(kind, p, 0.9, random));
          Matrix X = sample_gaussian(Theta, ratio * p, random);
          spoil_rows(X, rows, random);
          const Matrix Z = normal_scores(X);
          for (std::size_t m = 0; m < methods.size(); ++m)
            scores[each].push_back(score(*methods[m], kContenders[m].ranks ? Z : X, Theta));
        });
        std::string line = fmt::format("| {} | {} | {} |", rows, p, ratio * p);
        for (std::size_t m = 0; m < methods.size(); ++m) {
          double sum = 0;
          for (const auto& each : scores) sum += each[m];
          line += fmt::format(" {:.4f} |", sum / count);
        }
        fmt::print("{}\n", line);
        std::fflush(stdout);
      }
  return 0;
}

}  // namespace
}  // namespace spodnet::experiments

int main(int argc, char** argv) {
  using namespace spodnet::experiments;
  return run_program("heavy_tails", run, argc, argv);
}
