#include "spodnet/metrics/support.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <utility>

#include "spodnet/core/error.hpp"
#include "spodnet/core/random.hpp"
#include "spodnet/metrics/nmse.hpp"

namespace spodnet {
namespace {

using Pairs = std::set<std::pair<int, int>>;

Matrix random_support(Eigen::Index p, double share, RandomStream& random) {
  Matrix Theta = Matrix::Identity(p, p);
  for (Eigen::Index i = 0; i < p; ++i)
    for (Eigen::Index j = 0; j < i; ++j)
      if (random.uniform() < share) Theta(i, j) = Theta(j, i) = random.normal();
  return Theta;
}

Pairs pairs_of(const Matrix& Theta, bool diagonal) {
  Pairs pairs;
  for (int i = 0; i < Theta.rows(); ++i)
    for (int j = 0; j < Theta.cols(); ++j)
      if ((diagonal || i != j) && Theta(i, j) != 0) pairs.insert({i, j});
  return pairs;
}

Pairs intersection(const Pairs& a, const Pairs& b) {
  Pairs both;
  std::set_intersection(a.begin(), a.end(), b.begin(), b.end(), std::inserter(both, both.end()));
  return both;
}

double set_f1(const Pairs& a, const Pairs& b) {
  if (a.empty() && b.empty()) return 1;
  return 2.0 * double(intersection(a, b).size()) / double(a.size() + b.size());
}

/// Pearson correlation of two 0/1 vectors, which is what Matthews' coefficient is.
double correlation(const Matrix& A, const Matrix& B) {
  std::vector<double> a, b;
  for (Eigen::Index i = 0; i < A.rows(); ++i)
    for (Eigen::Index j = 0; j < i; ++j) a.push_back(A(i, j) != 0), b.push_back(B(i, j) != 0);
  const Eigen::Map<Eigen::ArrayXd> x(a.data(), a.size()), y(b.data(), b.size());
  const Eigen::ArrayXd xc = x - x.mean(), yc = y - y.mean();
  return (xc * yc).sum() / std::sqrt(xc.square().sum() * yc.square().sum());
}

TEST(Support, AgreesWithSetsAndCorrelation) {
  RandomStream random(1, 0);
  for (int trial = 0; trial < 50; ++trial) {
    const Matrix truth = random_support(12, 0.4, random), found = random_support(12, 0.5, random);
    const SupportScores scores = support_scores(found, truth);
    const Pairs t = pairs_of(truth, false), f = pairs_of(found, false);
    const double hits = double(intersection(t, f).size());
    EXPECT_DOUBLE_EQ(scores.f1, set_f1(pairs_of(found, true), pairs_of(truth, true)));
    EXPECT_DOUBLE_EQ(scores.f1_offdiag, set_f1(f, t));
    EXPECT_DOUBLE_EQ(scores.precision, hits / double(f.size()));
    EXPECT_DOUBLE_EQ(scores.recall, hits / double(t.size()));
    EXPECT_DOUBLE_EQ(scores.hamming, (double(f.size()) + double(t.size()) - 2 * hits) / 2);
    EXPECT_NEAR(scores.matthews, correlation(found, truth), 1e-12);
    EXPECT_DOUBLE_EQ(density(found), double(f.size()) / (12 * 11));
  }
}

TEST(Support, CountsByHand) {
  Matrix truth(3, 3), found(3, 3);
  truth << 1, 2, 0, 2, 1, 0, 0, 0, 1;  // edge 0-1
  found << 1, 0, 3, 0, 1, 4, 3, 4, 1;  // edges 0-2, 1-2
  const SupportCounts all = count_entries(found, truth), edges = count_edges(found, truth);
  EXPECT_EQ(all.true_positive, 3u);
  EXPECT_EQ(all.false_positive, 4u);
  EXPECT_EQ(all.false_negative, 2u);
  EXPECT_EQ(all.true_negative, 0u);
  EXPECT_EQ(edges.true_positive, 0u);
  EXPECT_EQ(edges.false_positive, 2u);
  EXPECT_EQ(edges.false_negative, 1u);
  const SupportScores scores = support_scores(found, truth);
  EXPECT_DOUBLE_EQ(scores.f1, 6.0 / 12.0);
  EXPECT_EQ(scores.f1_offdiag, 0);
  EXPECT_EQ(scores.hamming, 3);
  EXPECT_DOUBLE_EQ(scores.matthews, -1);
}

TEST(Support, EmptySets) {
  const Matrix empty = Matrix::Identity(4, 4);
  Matrix one = empty;
  one(0, 1) = one(1, 0) = 1;
  const SupportScores both = support_scores(empty, empty);
  for (double score : {both.f1, both.f1_offdiag, both.precision, both.recall, both.matthews})
    EXPECT_EQ(score, 1);
  for (const SupportScores& scores : {support_scores(empty, one), support_scores(one, empty)})
    for (double score : {scores.f1_offdiag, scores.precision, scores.recall, scores.matthews})
      EXPECT_EQ(score, 0);
  const SupportScores full = support_scores(Matrix::Ones(4, 4), Matrix::Ones(4, 4));
  EXPECT_EQ(full.matthews, 1);
  const Matrix single = Matrix::Ones(1, 1);
  EXPECT_EQ(support_scores(single, single).f1_offdiag, 1);
  EXPECT_EQ(density(single), 0);
}

TEST(Support, RoundsAtTenDecimals) {
  EXPECT_FALSE(is_edge(0.0));
  EXPECT_FALSE(is_edge(-4.9e-11));
  EXPECT_TRUE(is_edge(5.1e-11));
  EXPECT_TRUE(is_edge(-1.0));
  EXPECT_TRUE(is_edge(std::nan("")));
}

TEST(Support, AnEdgeMayShowInEitherTriangle) {
  Matrix Theta = Matrix::Identity(3, 3);
  Theta(0, 2) = 1;
  EXPECT_DOUBLE_EQ(density(Theta), 1.0 / 3);
  EXPECT_DOUBLE_EQ(density(Theta.transpose()), 1.0 / 3);
}

TEST(Support, RefusesDifferentShapes) {
  EXPECT_THROW(support_scores(Matrix::Zero(2, 2), Matrix::Zero(3, 3)), Error);
  EXPECT_THROW(density(Matrix::Zero(2, 3)), Error);
}

TEST(Nmse, EntryByEntry) {
  RandomStream random(2, 0);
  const Matrix truth = random_support(9, 0.4, random), found = random_support(9, 0.4, random);
  double error = 0, scale = 0;
  for (Eigen::Index i = 0; i < 9; ++i)
    for (Eigen::Index j = 0; j < 9; ++j) {
      error += std::pow(found(i, j) - truth(i, j), 2);
      scale += truth(i, j) * truth(i, j);
    }
  EXPECT_NEAR(nmse(found, truth), error / scale, 1e-12);
  EXPECT_EQ(nmse(truth, truth), 0);
  EXPECT_DOUBLE_EQ(nmse(Matrix::Zero(9, 9), truth), 1);
  EXPECT_THROW(nmse(found, Matrix::Zero(3, 3)), Error);
}

}  // namespace
}  // namespace spodnet
