#include "spodnet/metrics/edge_agreement.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "support/expect_error.hpp"

namespace spodnet::test {
namespace {

/// Partial correlations of 4 variables from the pairs (1,0), (2,0), (2,1), (3,0), (3,1), (3,2).
Matrix graph(const std::array<double, 6>& pairs) {
  Matrix A = Matrix::Identity(4, 4);
  std::size_t at = 0;
  for (Eigen::Index i = 0; i < 4; ++i)
    for (Eigen::Index j = 0; j < i; ++j) A(i, j) = A(j, i) = pairs[at++];
  return A;
}

TEST(EdgeAgreement, CountsByHand) {
  const Matrix a = graph({0.5, -0.4, 0, 0.3, 0, 0});
  const Matrix b = graph({0.2, 0.3, 0.25, 0, 0.1, 0});
  const EdgeAgreement both = edge_agreement(a, b);
  EXPECT_EQ(both.edges_a, 3u);
  EXPECT_EQ(both.edges_b, 4u);
  EXPECT_EQ(both.common, 2u);
  EXPECT_DOUBLE_EQ(both.jaccard, 2.0 / 5);
  EXPECT_DOUBLE_EQ(both.sign_agreement, 0.5);
  EXPECT_EQ(both.top, 3u);  // a: pairs 0, 1, 3; b: 1, 2, 0
  EXPECT_DOUBLE_EQ(both.top_overlap, 2.0 / 3);
  const EdgeAgreement back = edge_agreement(b, a);
  EXPECT_EQ(back.jaccard, both.jaccard);
  EXPECT_EQ(back.top_overlap, both.top_overlap);
  EXPECT_NEAR(back.correlation, both.correlation, 1e-15);
}

TEST(EdgeAgreement, OfAGraphWithItselfIsComplete) {
  const Matrix a = graph({0.5, -0.4, 0, 0.3, 0, 1e-300});
  const EdgeAgreement same = edge_agreement(a, a);
  EXPECT_EQ(same.jaccard, 1);
  EXPECT_EQ(same.sign_agreement, 1);
  EXPECT_EQ(same.top_overlap, 1);
  EXPECT_NEAR(same.correlation, 1, 1e-15);
}

TEST(EdgeAgreement, OfEmptyGraphs) {
  const Matrix none = graph({}), some = graph({0.5, 0, 0, 0, 0, 0});
  EXPECT_EQ(edge_agreement(none, none).jaccard, 1);
  EXPECT_EQ(edge_agreement(none, some).jaccard, 0);
  EXPECT_TRUE(std::isnan(edge_agreement(none, some).sign_agreement));
  EXPECT_TRUE(std::isnan(edge_agreement(none, some).top_overlap));
  EXPECT_TRUE(std::isnan(edge_agreement(none, some).correlation));
  expect_error([&] { (void)edge_agreement(none, Matrix::Identity(3, 3)); }, {"4 x 4", "3 x 3"});
  EXPECT_EQ(edge_agreement(Matrix::Ones(1, 1), Matrix::Ones(1, 1)).jaccard, 1);
}

TEST(PartialCorrelations, OppositeTheSignOfTheta) {
  Matrix Theta(2, 2);
  Theta << 4, 1, 1, 9;
  EXPECT_DOUBLE_EQ(partial_correlations(Theta, Theta)(0, 1), -1.0 / 6);
  EXPECT_EQ(partial_correlations(Matrix::Identity(2, 2), Theta), Matrix::Identity(2, 2));
}

}  // namespace
}  // namespace spodnet::test
