#include "spodnet/workflow/reliability.hpp"

#include <gtest/gtest.h>

#include "spodnet/workflow/candidate_methods.hpp"
#include "support/shaped_table.hpp"

namespace spodnet::test {
namespace {

Reliability of(const std::vector<Reliability::Observation>& seen) {
  Reliability out;
  out.observations = seen;
  fit_chances(out);
  return out;
}

TEST(Reliability, TheFitIsTheIncreasingSequenceNearestToWhatWasSeen) {
  const Reliability r = of({{0.9, true}, {0.1, false}, {0.5, true}, {0.6, false}, {0.9, true}});
  ASSERT_EQ(r.chance.size(), 5u);
  EXPECT_EQ(r.chance[0], 0.25);  // one that was false, and half of one more
  EXPECT_EQ(r.chance[1], 0.5);   // 0.5 and 0.6 contradict and are pooled
  EXPECT_EQ(r.chance[2], 0.5);
  EXPECT_EQ(r.chance[3], 2.5 / 3);
  EXPECT_EQ(r.chance_at(0.05), 0.25);
  EXPECT_NEAR(r.chance_at(0.3), 0.375, 1e-12);
  EXPECT_EQ(r.chance_at(0.9), 2.5 / 3);
  EXPECT_EQ(r.chance_at(1), 2.5 / 3);
  EXPECT_EQ(Reliability{}.chance_at(1), 0.5);
}

TEST(Reliability, EdgesOfAllResamplesAreToldApartByTheirSpread) {
  EXPECT_EQ(support_of({}), 0);
  EXPECT_EQ(support_of({0, 0}), 0);
  EXPECT_EQ(support_of({0.2, 0, -0.2, 0.1}), 0.75);
  EXPECT_NEAR(support_of({0.2, 0.4}), 1 + 3, 1e-12);
  EXPECT_NEAR(support_of({-0.2, -0.4}), 1 + 3, 1e-12);
  EXPECT_EQ(support_of({0.3, 0.3}), 1 + 1000);
}

TEST(Reliability, EdgesBetweenRareLevelsAreToldApartByTheirErrors) {
  const std::vector<EdgePlace> edges = {{0, 1}, {0, 2}, {1, 2}};
  const Matrix partial{{1, 0.4, -0.3}, {0.4, 1, 0.3}, {-0.3, 0.3, 1}};
  BootstrapResult result;
  result.values = {{0, 0.4}, {-0.3, -0.3}, {0, 0}};
  result.errors = Matrix{{0, 0.1, 0.2}, {0.1, 0, 0}, {0.2, 0, 0}};
  const std::vector<double> by_error = supports_of(result, edges, partial, true);
  EXPECT_NEAR(by_error[0], 1 + 0.4 / 0.2, 1e-12);  // the median error is 0.1
  EXPECT_NEAR(by_error[1], 1 + 0.3 / 0.3, 1e-12);
  EXPECT_NEAR(by_error[2], 1 + 0.3 / 0.1, 1e-12);  // by chance without an error: not without end
  EXPECT_EQ(supports_of(result, edges, partial, false), (std::vector<double>{0.5, 1001, 0}));
}

TEST(Reliability, TheThresholdKeepsTheExpectedShareOfFalseEdgesBelowQ) {
  std::vector<Reliability::Observation> seen;
  for (int k = 0; k < 100; ++k) {
    seen.push_back({0.5, k < 50});
    seen.push_back({0.8, k < 80});
    seen.push_back({1.0, k < 99});
  }
  const Reliability r = of(seen);
  const std::vector<double> shares = {1, 0.8, 0.5, 1};
  EXPECT_EQ(stable_threshold(r, shares, 0.02), 1);    // 0.015
  EXPECT_EQ(stable_threshold(r, shares, 0.08), 0.8);  // (0.015 + 0.015 + 0.2) / 3
  EXPECT_EQ(stable_threshold(r, shares, 0.2), 0.5);   // 0.73 / 4
  EXPECT_GT(stable_threshold(r, shares, 0.005), 1);   // nothing is that sure
  EXPECT_GT(stable_threshold(r, {}, 0.5), 1);
}

TEST(Reliability, SharesOfTheGraphicalLassoTellTrueEdgesFromFalseOnes) {
  const TrainingPlan plan = quick_plan(8, 100);
  const std::shared_ptr<const Method> method = make_method("glasso-cv", builtin_models());
  const auto refit = [&](const Estimate& estimate) { return resampling_method(method, estimate); };
  const auto measured = [&](int threads) {
    ThreadPool pool(threads);
    return measure_reliability(plan, *method, refit,
                               {.data_sets = 8, .resamples = 30, .density = 0.4}, pool);
  };
  const Reliability r = measured(2);
  EXPECT_EQ(r.data_sets, 8u);
  ASSERT_GT(r.observations.size(), 40u);
  EXPECT_GT(r.chance_at(1), r.chance_at(0.5) + 0.1);
  EXPECT_GT(r.chance_at(1 + 5), 0.8);  // five times its spread
  EXPECT_EQ(measured(1).chance, r.chance);
}

}  // namespace
}  // namespace spodnet::test
