#include "experiments/graph_honesty/strange_graphs.hpp"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <numeric>

#include "spodnet/core/cholesky.hpp"
#include "spodnet/core/error.hpp"
#include "spodnet/generate/gaussian.hpp"
#include "spodnet/tables/covariance.hpp"

namespace spodnet::experiments {
namespace {

using Pairs = std::vector<std::pair<std::size_t, std::size_t>>;

Pairs grid(std::size_t p) {
  const auto width = std::size_t(std::ceil(std::sqrt(double(p))));
  Pairs out;
  for (std::size_t i = 0; i < p; ++i) {
    if ((i + 1) % width != 0 && i + 1 < p) out.emplace_back(i, i + 1);
    if (i + width < p) out.emplace_back(i, i + width);
  }
  return out;
}

Pairs plane(std::size_t p, RandomStream& random) {
  std::vector<double> x(p), y(p);
  for (std::size_t i = 0; i < p; ++i) x[i] = random.uniform(), y[i] = random.uniform();
  Pairs out;
  for (std::size_t i = 0; i < p; ++i) {
    std::vector<std::size_t> others(p);
    std::iota(others.begin(), others.end(), std::size_t(0));
    std::sort(others.begin(), others.end(), [&](std::size_t a, std::size_t b) {
      return std::hypot(x[a] - x[i], y[a] - y[i]) < std::hypot(x[b] - x[i], y[b] - y[i]);
    });
    for (std::size_t k = 1; k <= 3; ++k) out.emplace_back(i, others[k]);
  }
  return out;
}

Pairs tree(std::size_t p, RandomStream& random) {
  Pairs out;
  for (std::size_t i = 1; i < p; ++i) out.emplace_back(random.below(i), i);
  return out;
}

Pairs bipartite(std::size_t p, RandomStream& random) {
  Pairs out;
  for (std::size_t i = 0; i < p / 2; ++i)
    for (std::size_t k = 0; k < 3; ++k) out.emplace_back(i, p / 2 + random.below(p - p / 2));
  return out;
}

/// Cliques of four, each sharing a node with the next.
Pairs cliques(std::size_t p) {
  Pairs out;
  for (std::size_t first = 0; first + 1 < p; first += 3)
    for (std::size_t i = first; i < std::min(p, first + 4); ++i)
      for (std::size_t j = i + 1; j < std::min(p, first + 4); ++j) out.emplace_back(i, j);
  return out;
}

/// Hubs with seven others on a rim around each.
Pairs wheels(std::size_t p) {
  Pairs out;
  for (std::size_t i = 0; i < p; ++i) {
    const std::size_t hub = i / 8 * 8;
    if (i == hub) continue;
    out.emplace_back(hub, i);
    if (i > hub + 1) out.emplace_back(i - 1, i);
  }
  return out;
}

Pairs pairs_of(const std::string& graph, std::size_t p, RandomStream& random) {
  if (graph == "grid") return grid(p);
  if (graph == "plane") return plane(p, random);
  if (graph == "tree") return tree(p, random);
  if (graph == "bipartite") return bipartite(p, random);
  if (graph == "cliques") return cliques(p);
  if (graph == "wheels") return wheels(p);
  throw Error("graph '" + graph + "' is not known");
}

Matrix unit_variances(const Matrix& Theta) {
  Matrix W;
  if (std::isinf(spd_inverse(Theta, W))) throw Error("a drawn matrix is not positive definite");
  const Vector scale = W.diagonal().cwiseSqrt();
  Matrix out = scale.asDiagonal() * Theta * scale.asDiagonal();
  symmetrise(out);
  return out;
}

/// Levels 1, 2, ... by cut points between these shares, which add to 1.
void cut(Vector& column, const std::vector<double>& shares) {
  for (double& x : column) {
    const double below = 0.5 * std::erfc(-x / std::sqrt(2.0));
    double level = 1, reached = shares[0];
    for (std::size_t k = 1; k < shares.size() && below > reached; ++k)
      level += 1, reached += shares[k];
    x = level;
  }
}

/// Shares of five levels: from 0.5 to 1.5, divided by their sum.
std::vector<double> five_shares(RandomStream& random) {
  std::vector<double> share(5);
  double sum = 0;
  for (double& each : share) sum += each = random.uniform(0.5, 1.5);
  for (double& each : share) each /= sum;
  return share;
}

/// The shares of the levels of one variable; empty: the law has no levels.
std::vector<double> shares_of(const std::string& law, RandomStream& random) {
  if (law == "ordinal") return five_shares(random);
  if (law == "skew2") return {0.9, 0.1};
  if (law == "skew3") return {0.9, 0.08, 0.02};
  if (law == "skew4") return {0.95, 0.03, 0.01, 0.01};
  return {};
}

void cut_columns(Matrix& X, const std::string& law, RandomStream& random) {
  for (Eigen::Index j = 0; j < X.cols(); ++j) {
    const std::vector<double> shares = shares_of(law, random);
    if (shares.empty()) continue;
    Vector column = X.col(j);
    cut(column, shares);
    X.col(j) = column;
  }
}

/// A third of the rows vary three times as much as the others.
void add_spread(Matrix& X, RandomStream& random) {
  for (Eigen::Index i = 0; i < X.rows(); ++i)
    if (random.below(3) == 0) X.row(i) *= 3;
}

void add_factor(Matrix& X, RandomStream& random) {
  Vector loading(X.cols());
  for (double& each : loading) {
    const double share = random.uniform(0.3, 0.5);  // of the variance, X's own being 1
    each = std::sqrt(share / (1 - share)) * (random.uniform() < 0.8 ? 1 : -1);
  }
  for (Eigen::Index i = 0; i < X.rows(); ++i) X.row(i) += random.normal() * loading.transpose();
}

void add_tails(Matrix& X, RandomStream& random) {
  for (Eigen::Index i = 0; i < X.rows(); ++i) {
    double chi2 = 0;
    for (int k = 0; k < 4; ++k) chi2 += std::pow(random.normal(), 2);
    X.row(i) *= std::sqrt(4 / chi2);
  }
}

}  // namespace

const std::vector<std::string>& strange_graphs() {
  static const std::vector<std::string> all = {"grid",      "plane",   "tree",
                                               "bipartite", "cliques", "wheels"};
  return all;
}

const std::vector<std::string>& strange_laws() {
  static const std::vector<std::string> all = {"gaussian", "t4",       "ordinal", "factor",
                                               "skew2",    "skew3",    "skew4",   "null",
                                               "spread",   "lognormal"};
  return all;
}

Matrix strange_precision(const std::string& graph, std::size_t p, RandomStream& random) {
  if (graph == "none") return Matrix::Identity(Eigen::Index(p), Eigen::Index(p));
  Matrix Theta = Matrix::Zero(Eigen::Index(p), Eigen::Index(p));
  for (const auto& [a, b] : pairs_of(graph, p, random)) {
    const auto i = Eigen::Index(a), j = Eigen::Index(b);
    Theta(i, j) = Theta(j, i) = random.uniform(0.5, 1) * (random.uniform() < 0.5 ? 1 : -1);
  }
  const double condition = std::exp(random.uniform(std::log(5.0), std::log(50.0)));
  const Eigen::SelfAdjointEigenSolver<Matrix> eigen(Theta, Eigen::EigenvaluesOnly);
  const double low = eigen.eigenvalues()[0], high = eigen.eigenvalues()[Eigen::Index(p) - 1];
  Theta.diagonal().setConstant((high - condition * low) / (condition - 1));
  return unit_variances(Theta);
}

Matrix strange_rows(const Matrix& Theta, std::size_t n, const std::string& law,
                    RandomStream& random) {
  Matrix X = sample_gaussian(Theta, n, random);
  if (law == "t4") add_tails(X, random);
  if (law == "factor") add_factor(X, random);
  if (law == "spread") add_spread(X, random);
  if (law == "lognormal") X = X.array().exp();
  cut_columns(X, law, random);
  return X;
}

}  // namespace spodnet::experiments
