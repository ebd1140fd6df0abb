#include <gtest/gtest.h>

#include "spodnet/estimators/glasso_cv.hpp"
#include "spodnet/estimators/shrinkage.hpp"
#include "spodnet/metrics/louvain.hpp"
#include "spodnet/tables/covariance.hpp"
#include "support/animals.hpp"

namespace spodnet {
namespace {

double modularity_of(const Matrix& Theta) { return louvain(graph_of(Theta)).modularity; }

TEST(GlassoAnimals, MatchesTheRecordedSolution) {
  const Matrix X = test::read_animals();
  SPODNET_NEEDS_ANIMALS(X);
  const Matrix S = empirical_covariance(X);
  const GlassoResult r = glasso(S, {.lambda = 0.047859949346427504});
  EXPECT_EQ(r.status, Status::ok);
  EXPECT_EQ(count_edges(r.Theta), 117u);
  EXPECT_NEAR(r.objective, -30.322876, 1e-5);
  EXPECT_NEAR(modularity_of(r.Theta), 0.613, 0.003);
  EXPECT_NEAR(modularity_of(ledoit_wolf(X).Theta), 0.1665, 0.005);
  EXPECT_NEAR(modularity_of(oas(S, 102).Theta), 0.1668, 0.005);
}

TEST(GlassoAnimals, CrossValidationFindsAnOptimum) {
  const Matrix X = test::read_animals();
  SPODNET_NEEDS_ANIMALS(X);
  const GlassoCvResult r = glasso_cv(X);
  EXPECT_GT(r.lambda, 0.010);
  EXPECT_LT(r.lambda, 0.020);
  EXPECT_NE(r.lambda, r.scores.front().lambda);
  EXPECT_NE(r.lambda, r.scores.back().lambda);
  EXPECT_NEAR(modularity_of(r.fit.Theta), 0.555, 0.025);
}

}  // namespace
}  // namespace spodnet
