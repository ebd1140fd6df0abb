#include "spodnet/metrics/edge.hpp"

#include <gtest/gtest.h>

#include "spodnet/metrics/edge_agreement.hpp"
#include "spodnet/metrics/graph.hpp"
#include "spodnet/metrics/support.hpp"

namespace spodnet::test {
namespace {

/// A chain 0 - 1 - 2 - 3 and nothing else.
Matrix chain() {
  Matrix Theta = 2 * Matrix::Identity(4, 4);
  for (Eigen::Index i = 0; i < 3; ++i) Theta(i, i + 1) = Theta(i + 1, i) = -0.5;
  return Theta;
}

TEST(Edge, UnitsDoNotMatter) {
  for (const double unit : {1e-9, 1.0, 1e9}) {
    Vector scale(4);
    scale << unit, 1, 3 * unit, 0.2;
    const Matrix Theta = scale.asDiagonal() * chain() * scale.asDiagonal();
    EXPECT_EQ(count_edges(Theta), 3u) << unit;
    EXPECT_EQ(edges_of(Theta).size(), 3u);
    EXPECT_DOUBLE_EQ(density(Theta), 0.5);
    EXPECT_EQ(count_edges(Theta, Theta).true_positive, 3u);
  }
}

TEST(Edge, EveryCountGoesByTheSameRule) {
  Matrix Theta = chain();
  Theta(0, 3) = Theta(3, 0) = 0.9e-10;  // a partial correlation of 0.45e-10: rounding
  const Matrix partial = partial_correlations(Theta, Theta);
  EXPECT_EQ(count_edges(Theta), 3u);
  EXPECT_EQ(count_edges(partial), 3u);
  EXPECT_EQ(graph_of(Theta).links.size(), 6u);
  EXPECT_EQ(graph_of(partial).links.size(), 6u);
  EXPECT_EQ(edge_agreement(partial, partial).common, 3u);
  Theta(0, 3) = Theta(3, 0) = 1.1e-10;
  EXPECT_EQ(count_edges(Theta), 4u);
  EXPECT_EQ(graph_of(Theta).links.size(), 8u);
}

TEST(Edge, AMatrixWithoutADiagonalHasEdgesWhereItIsNotZero) {
  Matrix Z = Matrix::Zero(3, 3);
  Z(0, 1) = Z(1, 0) = 1e-30;
  EXPECT_EQ(count_edges(Z), 1u);
}

}  // namespace
}  // namespace spodnet::test
