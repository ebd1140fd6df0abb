// A batch that was not finite leaves nothing behind in the workspace.
#include <gtest/gtest.h>

#include <cmath>

#include "spodnet/models/model.hpp"
#include "support/engine_calls.hpp"
#include "support/toy_data.hpp"

namespace spodnet {
namespace {

TEST(AfterAFailure, TheNextBatchIsAsWithAFreshEngine) {
  std::vector<std::string> names = builtin_models().names();
  std::erase(names, "program");  // made of a rule: tests/program
  for (const std::string& name : names)
    for (const std::size_t p : {5, 40}) {
      const auto model = builtin_models().make({.model = name, .p = p, .layers = 2});
      model->parameters().initialise(3);
      const test::ToyData data(5, p);
      ThreadPool pool(1);
      std::vector<double>& weights = model->parameters().values;
      const std::vector<double> start = weights;
      std::vector<double> fresh(weights.size()), again(weights.size());
      const double loss = test::loss_gradient(*model, data.samples, fresh, pool).loss;
      const auto engine = model->make_cpu_engine({});
      for (const double bad : {double(NAN), 1e300}) {
        for (double& w : weights) w *= bad;
        const BatchLoss failed = test::loss_gradient(*engine, data.samples, again);
        if (std::isnan(bad)) {
          EXPECT_EQ(failed.status, Status::not_finite) << name;
        }
        weights = start;
        const BatchLoss next = test::loss_gradient(*engine, data.samples, again);
        EXPECT_EQ(next.status, Status::ok) << name << ", p = " << p;
        EXPECT_EQ(next.loss, loss) << name << ", p = " << p;
        EXPECT_EQ(again, fresh) << name << ", p = " << p;
      }
    }
}

}  // namespace
}  // namespace spodnet
