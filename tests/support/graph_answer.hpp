#pragma once

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>
#include <vector>

#include "spodnet/core/cholesky.hpp"
#include "spodnet/core/random.hpp"
#include "spodnet/estimators/glasso.hpp"
#include "spodnet/generate/gaussian.hpp"
#include "spodnet/metrics/centrality.hpp"
#include "spodnet/metrics/louvain.hpp"
#include "spodnet/tables/covariance.hpp"
#include "spodnet/workflow/answer.hpp"

namespace spodnet::test {

/// An analysis of made-up data: `groups` of variables that hang together, graphical lasso at
/// `lambda` on the correlations, bootstrap by the same.
struct AnswerCase {
  std::vector<std::string> names;
  std::size_t n = 100, groups = 3, resamples = 0;
  double inside = 0.5;   ///< probability of an edge inside a group
  double outside = 0.1;  ///< expected edges to other groups, per variable
  double lambda = 0.2;
  std::uint64_t seed = 1;
};

inline Matrix grouped_precision(const AnswerCase& options, RandomStream& random) {
  const auto p = Eigen::Index(options.names.size());
  const auto group = [&](Eigen::Index i) {
    return std::size_t(i) * options.groups / std::size_t(p);
  };
  Matrix Theta = Matrix::Zero(p, p);
  for (Eigen::Index i = 0; i < p; ++i)
    for (Eigen::Index j = 0; j < i; ++j) {
      const double chance = group(i) == group(j) ? options.inside : options.outside / double(p);
      if (random.uniform() >= chance) continue;
      const double sign = random.uniform() < 0.7 ? -1 : 1;
      Theta(i, j) = Theta(j, i) = sign * random.uniform(0.3, 1);
    }
  for (Eigen::Index i = 0; i < p; ++i) Theta(i, i) = 0.3 + 0.8 * Theta.row(i).cwiseAbs().sum();
  for (Matrix inverse; std::isinf(spd_inverse(Theta, inverse));) Theta.diagonal() *= 1.1;
  return Theta;
}

inline Matrix correlations(const Matrix& X) {
  Matrix S = empirical_covariance(X);
  const Vector scale = S.diagonal().cwiseSqrt().cwiseInverse();
  S = Matrix(scale.asDiagonal() * S * scale.asDiagonal());
  symmetrise(S);
  return S;
}

inline Matrix partial_of(const Matrix& Theta) {
  const Vector scale = Theta.diagonal().cwiseSqrt().cwiseInverse();
  Matrix partial = -Matrix(scale.asDiagonal() * Theta * scale.asDiagonal());
  symmetrise(partial);
  partial.diagonal().setOnes();
  return partial;
}

/// Communities of Louvain, renumbered with the largest first.
inline void add_communities(Answer& answer) {
  const Communities found = louvain(graph_of(
      Matrix(answer.partial - Matrix::Identity(answer.partial.rows(), answer.partial.cols()))));
  std::vector<std::size_t> size(found.count, 0), order(found.count), rank(found.count);
  for (const std::uint32_t c : found.community) ++size[c];
  std::iota(order.begin(), order.end(), std::size_t(0));
  std::ranges::stable_sort(order, std::ranges::greater(), [&](std::size_t c) { return size[c]; });
  for (std::size_t k = 0; k < order.size(); ++k) rank[order[k]] = k;
  for (const std::uint32_t c : found.community) answer.community.push_back(rank[c]);
  answer.modularity = found.modularity;
}

/// The measures of the nodes, and ranges and differences as a bootstrap would leave them.
inline void add_nodes(Answer& answer, const Matrix& S, bool confidence) {
  answer.nodes.value =
      node_measures(answer.partial, answer.community, predictability(answer.Theta, S));
  if (!confidence) return;
  answer.nodes.low = answer.nodes.value.array() - 0.125;
  answer.nodes.high = answer.nodes.value.array() + 0.25;
  answer.nodes.stability = Vector::LinSpaced(Eigen::Index(kNodeMeasures), 0, 0.75);
  for (std::size_t e = 1; e < answer.edges.size(); ++e)
    answer.edge_differences.push_back({e - 1, e, -0.1, e % 2 ? 0.2 : -0.05});
  for (std::size_t i = 1; i < answer.names.size(); ++i)
    answer.strength_differences.push_back({i - 1, i, 0.1, 0.3});
  answer.influence_differences = {{0, 1, -0.1, 0.3}};
}

inline void add_confidence(Answer& answer, const Matrix& X, const AnswerCase& options) {
  std::vector<Matrix> partials;
  for (std::size_t b = 0; b < options.resamples; ++b) {
    RandomStream random(options.seed, 1000 + b);
    Matrix drawn(X.rows(), X.cols());
    for (Eigen::Index k = 0; k < X.rows(); ++k)
      drawn.row(k) = X.row(Eigen::Index(random.below(std::uint64_t(X.rows()))));
    partials.push_back(partial_of(glasso(correlations(drawn), {.lambda = options.lambda}).Theta));
  }
  for (AnswerEdge& edge : answer.edges) {
    std::vector<double> values;
    double present = 0, agree = 0;
    for (const Matrix& partial : partials) {
      values.push_back(partial(Eigen::Index(edge.i), Eigen::Index(edge.j)));
      present += values.back() != 0;
      agree += values.back() * edge.partial_correlation > 0;
    }
    std::ranges::sort(values);
    const auto at = [&](double q) { return values[std::size_t(q * double(values.size() - 1))]; };
    edge.confidence =
        EdgeConfidence{present / double(values.size()), present > 0 ? agree / present : 0,
                       at(0.025), at(0.975), present >= 0.8 * double(values.size())};
  }
}

inline Answer make_answer(const AnswerCase& options) {
  RandomStream random(options.seed);
  const Matrix truth = grouped_precision(options, random);
  const Matrix X = sample_gaussian(truth, options.n, random);
  const GlassoResult found = glasso(correlations(X), {.lambda = options.lambda});
  Answer answer;
  answer.title = "measurements.csv";
  answer.names = options.names;
  answer.n = double(options.n);
  answer.method = "glasso-ebic";
  answer.Theta = found.Theta;
  answer.W = found.W;
  answer.partial = partial_of(found.Theta);
  const auto p = Eigen::Index(options.names.size());
  for (Eigen::Index i = 0; i < p; ++i)
    for (Eigen::Index j = i + 1; j < p; ++j)
      if (found.Theta(i, j) != 0)
        answer.edges.push_back({std::size_t(i), std::size_t(j), found.Theta(i, j),
                                answer.partial(i, j), std::nullopt});
  std::ranges::stable_sort(answer.edges, std::ranges::greater(), [](const AnswerEdge& edge) {
    return std::abs(edge.partial_correlation);
  });
  answer.eigenvalues = Eigen::SelfAdjointEigenSolver<Matrix>(found.Theta).eigenvalues();
  add_communities(answer);
  answer.resamples = options.resamples;
  if (options.resamples > 0) add_confidence(answer, X, options);
  add_nodes(answer, correlations(X), options.resamples > 0);
  const Vector& y = answer.eigenvalues;
  answer.certificate = {found.residual, y[0], y[p - 1], y[p - 1] / y[0],
                        p > 1 ? 2.0 * double(answer.edges.size()) / double(p * (p - 1)) : 0};
  return answer;
}

/// The words around an answer: notes, candidates, settings.
inline void add_words(Answer& answer) {
  using Kind = AnswerNote::Kind;
  answer.notes = {
      {Kind::done, "Read 178 rows and 13 numeric columns; the first column holds row names."},
      {Kind::done,
       "7 missing values (0.3 %) in 4 columns: covariances were computed pairwise and "
       "made positive definite again (largest change 0.004)."},
      {Kind::done, "Every variable was scaled to variance 1; Theta is given back in your units."},
      {Kind::warning,
       "'Proline' has heavy tails (kurtosis 9.1): a few rows may decide its edges. "
       "Try --robust spearman and compare."},
      {Kind::choice,
       "chosen, glasso-ebic: the smallest error on synthetic data of this shape among those whose "
       "held-out likelihood is within one standard error of the best"}};
  answer.candidates = {
      {"glasso-ebic", -14.213, 0.31, 0.182, answer.edges.size(), 0.04, true, ""},
      {"ubg (trained to p = 13, n = 178)", -14.287, 0.29, 0.191, 31, 3.9, false, ""},
      {"glasso-cv", -14.262, 0.33, 0.240, 41, 0.21, false, ""},
      {"ledoit-wolf", -14.802, 0.40, std::nullopt, 78, 0.001, false, ""},
      {"empirical", NAN, NAN, std::nullopt, 0, 0, false, "the covariance is singular"}};
  answer.settings = {{"file", "/home/user/measurements/of-2026/all-of-them-in-one-table.csv"},
                     {"method", "auto"},
                     {"bootstrap", std::to_string(answer.resamples)},
                     {"standardize", "yes"},
                     {"missing", "pairwise"},
                     {"seed", "0"}};
  if (answer.resamples > 0) {
    answer.stable_q = 0.1;
    answer.stable_check =
        "On 200 synthetic data sets of this shape, the edges kept at this share had 7 % false "
        "ones.";
  }
  answer.seconds = 4.2;
}

}  // namespace spodnet::test
