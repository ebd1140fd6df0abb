#pragma once

#include "spodnet/metrics/support.hpp"
#include "spodnet/tables/covariance.hpp"
#include "spodnet/tables/prepare.hpp"
#include "spodnet/workflow/plan_data.hpp"

namespace spodnet::test {

/// A table of n samples of p variables whose true precision matrix is known.
struct ShapedTable {
  Matrix X, Theta_true;

  Prepared prepared(const PrepareOptions& options = {}) const {
    return prepare_samples({{}, {}, X}, options, "table");
  }
};

inline ShapedTable shaped_table(std::size_t p, std::size_t n, std::uint64_t seed) {
  TrainingPlan plan;
  plan.p = p;
  plan.n = n;
  plan.alpha = {{0.9}, false};
  plan.seed = seed;
  ThreadPool pool(1);
  const DataSet data = plan_data(plan, 0, 1, true, pool);
  return {data.X[0], data.Theta_true[0]};
}

/// A plan that takes a fraction of a second.
inline TrainingPlan quick_plan(std::size_t p, std::size_t n) {
  TrainingPlan plan = plan_for(p, n, true);
  plan.count = 200;
  plan.valid = 20;
  plan.starts = 4;
  plan.train.epochs = 48;
  return plan;
}

}  // namespace spodnet::test
