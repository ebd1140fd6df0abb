#include "spodnet/metrics/centrality.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "spodnet/core/random.hpp"
#include "spodnet/tables/covariance.hpp"

namespace spodnet::test {
namespace {

Matrix random_partials(Eigen::Index p, double density, std::uint64_t seed) {
  RandomStream random(seed);
  Matrix w = Matrix::Identity(p, p);
  for (Eigen::Index i = 0; i < p; ++i)
    for (Eigen::Index j = 0; j < i; ++j)
      if (random.uniform() < density) w(i, j) = w(j, i) = random.uniform(-0.6, 0.6);
  return w;
}

/// Every simple path from `at`, its length and the nodes on it: all there is to know, slowly.
struct AllPaths {
  const Matrix& w;
  std::vector<std::vector<double>> lengths;               // by end
  std::vector<std::vector<std::vector<bool>>> passes_by;  // by end
  std::vector<bool> on;

  AllPaths(const Matrix& partial, std::size_t source)
      : w(partial),
        lengths(std::size_t(w.rows())),
        passes_by(lengths.size()),
        on(lengths.size(), false) {
    walk(source, 0);
  }
  void walk(std::size_t at, double length) {
    on[at] = true;
    lengths[at].push_back(length);
    passes_by[at].push_back(on);
    for (std::size_t next = 0; next < on.size(); ++next) {
      const double weight = w(Eigen::Index(at), Eigen::Index(next));
      if (!on[next] && weight != 0) walk(next, length + 1 / std::abs(weight));
    }
    on[at] = false;
  }
  double shortest(std::size_t end) const {
    double least = std::numeric_limits<double>::infinity();
    for (const double length : lengths[end]) least = std::min(least, length);
    return least;
  }
  /// The share of the shortest paths to `end` that pass through `node`.
  double share_through(std::size_t node, std::size_t end) const {
    double all = 0, through = 0;
    for (std::size_t k = 0; k < lengths[end].size(); ++k) {
      if (lengths[end][k] > shortest(end) * (1 + 1e-9)) continue;
      ++all;
      through += passes_by[end][k][node];
    }
    return all > 0 ? through / all : 0;
  }
};

Matrix measures(const Matrix& w, const std::vector<std::size_t>& community) {
  return node_measures(w, community, Vector::Constant(w.rows(), 0.25));
}

TEST(Centrality, IsWhatAllPathsSay) {
  for (std::uint64_t seed = 0; seed < 12; ++seed) {
    const Matrix w = random_partials(7, seed < 6 ? 0.5 : 0.25, seed);
    const std::vector<std::size_t> community = {0, 0, 1, 1, 2, 2, 0};
    const Matrix found = measures(w, community);
    std::vector<AllPaths> from;
    for (std::size_t i = 0; i < 7; ++i) from.emplace_back(w, i);
    for (std::size_t i = 0; i < 7; ++i) {
      double strength = 0, influence = 0, bridge = 0, reached = 0, distances = 0, between = 0;
      for (std::size_t j = 0; j < 7; ++j) {
        if (j == i) continue;
        const double weight = w(Eigen::Index(i), Eigen::Index(j));
        strength += std::abs(weight);
        influence += weight;
        bridge += community[i] != community[j] ? std::abs(weight) : 0;
        if (std::isfinite(from[i].shortest(j))) ++reached, distances += from[i].shortest(j);
        for (std::size_t k = j + 1; k < 7; ++k)
          if (k != i) between += from[j].share_through(i, k);
      }
      const auto row = found.row(Eigen::Index(i));
      EXPECT_NEAR(row[0], strength, 1e-14);
      EXPECT_NEAR(row[1], influence, 1e-14);
      EXPECT_NEAR(row[2], reached > 0 ? reached / 6 * reached / distances : 0, 1e-14);
      EXPECT_NEAR(row[3], between, 1e-12);
      EXPECT_NEAR(row[4], bridge, 1e-14);
      EXPECT_EQ(row[5], strength > 0 ? 0.25 : 0);
    }
  }
}

/// centrality() of R's qgraph 1.9.3, whose closeness is ours / (p - 1) in a connected graph and
/// whose betweenness counts each pair in both directions.
TEST(Centrality, IsWhatQgraphGives) {
  Matrix w = Matrix::Identity(6, 6);
  const auto set = [&](int i, int j, double value) { w(i - 1, j - 1) = w(j - 1, i - 1) = value; };
  set(1, 2, 0.3), set(1, 3, -0.2), set(2, 3, 0.25), set(3, 4, 0.4);
  set(4, 5, -0.35), set(4, 6, 0.15), set(5, 6, 0.22), set(2, 6, 0.11);
  const Matrix found = measures(w, std::vector<std::size_t>(6, 0));
  const double strength[] = {0.50, 0.66, 0.85, 0.90, 0.57, 0.48};
  const double influence[] = {0.10, 0.66, 0.45, 0.20, -0.13, 0.48};
  const double closeness[] = {0.0258968609865471, 0.0309776049349604, 0.0384263494967978,
                              0.0384263494967978, 0.0307938412317536, 0.0238698010849910};
  const double betweenness[] = {0, 2, 8, 8, 0, 0};
  for (Eigen::Index i = 0; i < 6; ++i) {
    EXPECT_NEAR(found(i, 0), strength[i], 1e-14);
    EXPECT_NEAR(found(i, 1), influence[i], 1e-14);
    EXPECT_NEAR(found(i, 2) / 5, closeness[i], 1e-15);
    EXPECT_NEAR(found(i, 3) * 2, betweenness[i], 1e-12);
    EXPECT_EQ(found(i, 4), 0);
  }
}

TEST(Centrality, SharesTiesAndLeavesIsolatedNodesAtZero) {
  Matrix w = Matrix::Identity(5, 5);  // a ring of four equal edges and a node alone
  for (int i = 0; i < 4; ++i) w(i, (i + 1) % 4) = w((i + 1) % 4, i) = 0.2;
  const Matrix found = measures(w, {0, 0, 0, 0, 1});
  for (Eigen::Index i = 0; i < 4; ++i) EXPECT_DOUBLE_EQ(found(i, 3), 0.5);
  EXPECT_EQ(found.row(4), Matrix::Zero(1, 6).row(0));
}

TEST(Predictability, IsTheShareOfVarianceThatTheRegressionExplains) {
  RandomStream random(4);
  Matrix X(50, 4);
  for (double& x : X.reshaped()) x = random.normal();
  X.col(1) += 0.8 * X.col(0);
  X.col(2) -= 0.5 * X.col(1);
  Matrix Theta(4, 4);  // not that of these rows: any SPD matrix says a regression
  Theta << 2, -0.9, 0, 0, -0.9, 2.2, 0.7, 0, 0, 0.7, 1.5, 0, 0, 0, 0, 1;
  const Matrix centred = X.rowwise() - X.colwise().mean();
  const Vector found = predictability(Theta, empirical_covariance(X));
  for (Eigen::Index i = 0; i < 4; ++i) {
    Vector fitted = Vector::Zero(50);
    for (Eigen::Index j = 0; j < 4; ++j)
      if (j != i) fitted -= Theta(i, j) / Theta(i, i) * centred.col(j);
    const double left = (centred.col(i) - fitted).squaredNorm();
    EXPECT_NEAR(found[i], 1 - left / centred.col(i).squaredNorm(), 1e-12);
  }
  EXPECT_NEAR(found[3], 0, 1e-14);
}

/// Many nodes are taken in their order in another way than few.
TEST(Centrality, IsolatedNodesChangeNothingForTheOthers) {
  constexpr Eigen::Index few = 60, many = 600;
  const Matrix small = random_partials(few, 0.1, 11);
  Matrix large = Matrix::Identity(many, many);
  large.topLeftCorner(few, few) = small;
  const auto measures = [](const Matrix& w) {
    return node_measures(w, std::vector<std::size_t>(std::size_t(w.rows()), 0),
                         Vector::Zero(w.rows()));
  };
  Matrix a = measures(small), b = measures(large).topRows(few);
  b.col(Eigen::Index(NodeMeasure::closeness)) *= double(many - 1) / double(few - 1);
  EXPECT_LT((a - b).cwiseAbs().maxCoeff(), 1e-12);
  EXPECT_GT(a.col(Eigen::Index(NodeMeasure::betweenness)).maxCoeff(), 10);
}

}  // namespace
}  // namespace spodnet::test
