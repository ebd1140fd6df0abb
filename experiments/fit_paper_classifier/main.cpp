// The weights by which the pretrained method tells the paper's matrices from others.
//   fit_paper_classifier OUT.safetensors [COUNT [SEED]]
// Draws COUNT problems (p 5:320, n 5:6000, alpha 0.6:0.98), half of them the paper's, half of the
// kinds that the pretrained models have seen; keeps those whose variances look like the paper's;
// fits a logistic regression by Newton's method. Prints how often each kind is taken for the
// paper's, the kinds held out of training among them, on problems of the next seed.

#include <fmt/format.h>

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "spodnet/core/error.hpp"
#include "spodnet/generate/mixed_dataset.hpp"
#include "spodnet/io/safetensors.hpp"
#include "spodnet/models/paper_classifier.hpp"
#include "spodnet/models/pretrained.hpp"

namespace spodnet::experiments {
namespace {

using enum PrecisionFamily;
constexpr PrecisionFamily kOthers[] = {erdos_renyi, scale_free, power_law, bands, blocks};
constexpr double kRidge = 1e-2, kSure = 0.8;
constexpr int kNewtonSteps = 30;
constexpr std::size_t kTestShare = 10, kTogether = 250;

struct Problems {
  std::vector<ClassifierTerms> terms;
  std::vector<double> is_papers;
};

void draw(PrecisionFamily family, std::size_t count, std::uint64_t seed, ThreadPool& pool,
          Problems& problems) {
  DataSetOptions options;
  options.p = {5, 320}, options.n = {5, 6000}, options.alpha = {{0.6, 0.98}, true};
  options.generator.families = {family};
  options.seed = seed;
  for (std::size_t first = 0; first < count; first += kTogether) {
    options.first_index = first, options.count = std::min(kTogether, count - first);
    for (const MatrixPair& pair : generate_mixed(options, pool, CovarianceFrom::wishart))
      if (within_training_range(PretrainedForm::paper, pair.S, pair.n)) {
        problems.terms.push_back(classifier_terms(pair.S, pair.n));
        problems.is_papers.push_back(family == sparse_cholesky);
      }
  }
}

Matrix rows_of(const Problems& problems) {
  Matrix X(Eigen::Index(problems.terms.size()), Eigen::Index(kClassifierTerms));
  for (std::size_t k = 0; k < problems.terms.size(); ++k)
    X.row(Eigen::Index(k)) =
        Eigen::Map<const Vector>(problems.terms[k].data(), Eigen::Index(kClassifierTerms))
            .transpose();
  return X;
}

Vector probabilities(const Matrix& X, const Vector& weights) {
  return (1 + (-(X * weights).array()).exp()).inverse();
}

/// Newton's method for the penalised log-likelihood.
Vector fit(const Problems& problems) {
  const Matrix X = rows_of(problems);
  const Eigen::Map<const Vector> y(problems.is_papers.data(), X.rows());
  Vector weights = Vector::Zero(X.cols());
  for (int step = 0; step < kNewtonSteps; ++step) {
    const Vector P = probabilities(X, weights);
    const Vector slope = X.transpose() * (y - P) - kRidge * weights;
    Matrix curvature = X.transpose() * (P.array() * (1 - P.array())).matrix().asDiagonal() * X;
    curvature.diagonal().array() += kRidge;
    weights += curvature.llt().solve(slope);
  }
  return weights;
}

double share_taken(const Problems& problems, const Vector& weights) {
  if (problems.terms.empty()) return 0;
  return (probabilities(rows_of(problems), weights).array() > kSure).cast<double>().mean();
}

void report(const Vector& weights, std::size_t count, std::uint64_t seed, ThreadPool& pool) {
  for (const PrecisionFamily family : sparse_families()) {
    Problems problems;
    draw(family, count, seed, pool, problems);
    fmt::print("{}: {} problems, taken for the paper's {:.3f}\n", to_string(family),
               problems.terms.size(), share_taken(problems, weights));
  }
}

void run(const std::string& out, std::size_t count, std::uint64_t seed) {
  ThreadPool pool(0);
  Problems problems;
  draw(sparse_cholesky, count / 2, seed, pool, problems);
  for (const PrecisionFamily family : kOthers)
    draw(family, count / 2 / std::size(kOthers), seed, pool, problems);
  const Vector weights = fit(problems);
  TensorFile file;
  file.metadata = {{"count", std::to_string(count)}, {"seed", std::to_string(seed)}};
  file.tensors["weights"] = {{kClassifierTerms}, {weights.data(), weights.data() + weights.size()}};
  write_safetensors(out, file);
  report(weights, count / kTestShare, seed + 1, pool);
}

}  // namespace
}  // namespace spodnet::experiments

int main(int argc, char** argv) try {
  if (argc < 2) throw spodnet::Error("usage: fit_paper_classifier OUT.safetensors [COUNT [SEED]]");
  const auto number = [&](int k, long usual) { return argc > k ? std::atol(argv[k]) : usual; };
  spodnet::experiments::run(argv[1], std::size_t(number(2, 40000)), std::uint64_t(number(3, 1)));
} catch (const std::exception& error) {
  std::fprintf(stderr, "fit_paper_classifier: %s\n", error.what());
  return 2;
}
