#include "spodnet/metrics/layout.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "spodnet/core/random.hpp"
#include "spodnet/metrics/quadtree.hpp"
#include "spodnet/report/exports.hpp"

namespace spodnet {
namespace {

double distance(Point a, Point b) { return std::hypot(a.x - b.x, a.y - b.y); }

Points random_points(std::size_t count, std::uint64_t seed) {
  RandomStream random(seed);
  Points points(count);
  for (Point& p : points) p = {random.normal(), 3 * random.normal()};
  return points;
}

Point repulsion_from_definition(const Points& points, Point p) {
  Point force;
  for (const Point& q : points) {
    const double d2 = distance(p, q) * distance(p, q);
    if (d2 > 0) force = {force.x + (p.x - q.x) / d2, force.y + (p.y - q.y) / d2};
  }
  return force;
}

TEST(Quadtree, IsExactWhenNoCellActsAsOne) {
  Points points = random_points(200, 1);
  points.push_back(points[7]);  // coincident
  points.push_back(points[7]);
  const Quadtree tree(points);
  for (const Point& p : points) {
    const Point exact = repulsion_from_definition(points, p), found = tree.repulsion(p, 0);
    EXPECT_NEAR(found.x, exact.x, 1e-9 * (1 + std::abs(exact.x)));
    EXPECT_NEAR(found.y, exact.y, 1e-9 * (1 + std::abs(exact.y)));
  }
}

TEST(Quadtree, IsCloseWhenDistantCellsActAsOne) {
  const Points points = random_points(1000, 2);
  const Quadtree tree(points);
  double error = 0, size = 0;
  for (const Point& p : points) {
    const Point exact = repulsion_from_definition(points, p);
    error += distance(exact, tree.repulsion(p, 0.7));
    size += distance(exact, {});
  }
  EXPECT_LT(error, 0.03 * size);
}

/// `cliques` complete graphs of `size` variables, the next one joined by one edge; then loose ones.
Answer cliques_answer(std::size_t cliques, std::size_t size, std::size_t loose) {
  Answer answer;
  for (std::size_t i = 0; i < cliques * size + loose; ++i) {
    answer.names.push_back(std::to_string(i));
    answer.community.push_back(i < cliques * size ? i / size : cliques + i - cliques * size);
    for (std::size_t j = 0; j < i && i < cliques * size; ++j)
      if (i / size == j / size || (i == j + 1 && i % size == 0))
        answer.edges.push_back({j, i, -0.2, 0.2, std::nullopt});
  }
  return answer;
}

TEST(Layout, TheSameAnswerGivesTheSamePicture) {
  const Answer answer = cliques_answer(4, 6, 3);
  const Points first = answer_layout(answer), second = answer_layout(answer);
  for (std::size_t i = 0; i < first.size(); ++i) EXPECT_EQ(distance(first[i], second[i]), 0);
}

TEST(Layout, KeepsNodesApart) {
  for (const std::size_t size : {2, 5, 30}) {
    const Points at = answer_layout(cliques_answer(4, size, 7));
    for (std::size_t i = 0; i < at.size(); ++i) {
      ASSERT_TRUE(std::isfinite(at[i].x) && std::isfinite(at[i].y));
      for (std::size_t j = 0; j < i; ++j)
        EXPECT_GT(distance(at[i], at[j]), 0.6 * LayoutOptions().separation) << size;
    }
  }
}

TEST(Layout, CommunitiesAreNearerWithinThanAcross) {
  const Answer answer = cliques_answer(4, 8, 0);
  const Points at = answer_layout(answer);
  double within = 0, across = 0, pairs_within = 0, pairs_across = 0;
  for (std::size_t i = 0; i < at.size(); ++i)
    for (std::size_t j = 0; j < i; ++j) {
      const bool same = answer.community[i] == answer.community[j];
      (same ? within : across) += distance(at[i], at[j]);
      (same ? pairs_within : pairs_across) += 1;
    }
  EXPECT_LT(2 * within / pairs_within, across / pairs_across);
}

TEST(Layout, LooseNodesStandBelowTheGraph) {
  const Points at = answer_layout(cliques_answer(2, 5, 4));
  for (std::size_t loose = 10; loose < 14; ++loose)
    for (std::size_t joined = 0; joined < 10; ++joined) EXPECT_GT(at[loose].y, at[joined].y + 1);
}

TEST(Layout, ALoneEdgeIsAboutOneLong) {
  const Points at = answer_layout(cliques_answer(1, 2, 0));
  EXPECT_NEAR(distance(at[0], at[1]), 1, 0.1);
}

TEST(Layout, NoEdgesAndOneVariable) {
  EXPECT_EQ(answer_layout(cliques_answer(1, 1, 0)).size(), 1u);
  const Points at = answer_layout(cliques_answer(0, 1, 5));
  for (std::size_t i = 1; i < at.size(); ++i) EXPECT_GT(distance(at[i], at[i - 1]), 1);
}

}  // namespace
}  // namespace spodnet
