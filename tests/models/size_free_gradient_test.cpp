// The gradients of ubg-any and pnp-any against central differences of their own loss, over batches
// of mixed sizes.
#include <gtest/gtest.h>

#include "spodnet/core/kernels.hpp"
#include "spodnet/models/model.hpp"
#include "support/engine_calls.hpp"
#include "support/instruction_sets.hpp"
#include "support/mixed_data.hpp"
#include "support/parameter_gradients.hpp"

namespace spodnet::test {
namespace {

struct Case {
  Scaling scaling = Scaling::clip;
  int layers = 2;
  bool tied = false, learn_offset = true, standardized = false;
  std::string loss = "mse";
  std::vector<std::size_t> sizes = {1, 2, 5, 9};
  double zeta = 1, v_min = 1e-8;
  bool summary = false, adapt = false;
};

std::unique_ptr<Model> any_model(const std::string& name, const Case& c, std::uint64_t seed = 3) {
  ModelConfig config{.model = name, .layers = c.layers, .tied = c.tied, .scaling = c.scaling};
  config.learn_offset = c.learn_offset;
  config.standardized = c.standardized;
  config.summary = c.summary;
  if (c.adapt) config.widths = {{"lambda_adapt", 5}, {"psi_adapt", 9}};
  config.zeta = c.zeta;
  config.v_min = c.v_min;
  auto model = builtin_models().make(config);
  model->parameters().initialise(seed);
  RandomStream random(seed, 9);  // away from the start, where outputs hardly depend on the inputs
  for (const ParameterView& view : model->parameters().layout.views())
    for (double& x : model->parameters().view(view.name)) x += 0.1 * random.normal();
  return model;
}

void expect_gradient(const std::string& name, const Case& c) {
  SCOPED_TRACE(name);
  const auto model = any_model(name, c);
  const MixedData data(c.sizes, 5);
  ThreadPool pool(1);
  std::vector<double> g(model->parameters().values.size()), scratch(g.size());
  ASSERT_EQ(loss_gradient(*model, data.samples, g, pool, c.loss).status, Status::ok);
  expect_parameter_gradients(*model, g, 1e-5, [&] {
    return loss_gradient(*model, data.samples, scratch, pool, c.loss).loss;
  });
}

void expect_gradient(const Case& c) {
  for (const char* name : {"ubg-any", "pnp-any"}) expect_gradient(name, c);
}

TEST(SizeFreeGradient, EveryScaling) {
  for (Scaling scaling : {Scaling::normalize, Scaling::clip, Scaling::none, Scaling::relative})
    for (int layers : {1, 2}) {
      SCOPED_TRACE(to_string(scaling) + " K=" + std::to_string(layers));
      expect_gradient({.scaling = scaling, .layers = layers});
    }
}

TEST(SizeFreeGradient, TiedGivenOffsetAndFloor) {
  expect_gradient({.layers = 2, .tied = true});
  expect_gradient({.layers = 1, .learn_offset = false});
  expect_gradient({.layers = 1, .zeta = 0.2, .v_min = 0.5});
  expect_gradient({.scaling = Scaling::relative, .layers = 2, .zeta = 0.1});
}

TEST(SizeFreeGradient, StandardizedAndRelative) {
  expect_gradient({.standardized = true});
  expect_gradient({.loss = "nmse"});
  expect_gradient({.standardized = true, .loss = "nmse"});
  expect_gradient({.loss = "support"});
  expect_gradient({.layers = 1, .loss = "support", .sizes = {5, 20}});
  expect_gradient({.loss = "likelihood"});
  expect_gradient({.standardized = true, .loss = "likelihood"});
  expect_gradient({.loss = "balanced"});
}

TEST(SizeFreeGradient, WithASummary) {
  expect_gradient({.summary = true});
  expect_gradient({.layers = 1, .learn_offset = false, .summary = true});
  expect_gradient({.standardized = true, .loss = "support", .summary = true});
}

TEST(SizeFreeGradient, WithANetworkThatAdapts) {
  expect_gradient({.adapt = true});
  expect_gradient({.layers = 3, .loss = "balanced", .summary = true, .adapt = true});
  expect_gradient({.layers = 1, .sizes = {20, 40}, .adapt = true});  // more rows than wait at once
}

TEST(SizeFreeGradient, LargerSizes) { expect_gradient({.layers = 1, .sizes = {20, 33}}); }

TEST(SizeFreeGradient, EveryInstructionSetAgrees) {
  const auto model = any_model("pnp-any", {});
  const MixedData data({1, 3, 8, 12}, 6);
  ThreadPool pool(1);
  std::vector<double> best(model->parameters().values.size()), other(best.size());
  (void)loss_gradient(*model, data.samples, best, pool);
  for (const std::string& isa : instruction_sets()) {
    force_kernels(isa);
    (void)loss_gradient(*model, data.samples, other, pool);
    force_kernels("");
    for (std::size_t k = 0; k < best.size(); ++k)
      ASSERT_NEAR(other[k], best[k], 1e-7 * (1 + std::abs(best[k]))) << isa << " " << k;
  }
}

TEST(SizeFreeGradient, ThreadsChangeNothing) {
  const auto model = any_model("pnp-any", {});
  const MixedData data({4, 7, 4, 2, 9, 7}, 8);
  std::vector<double> one(model->parameters().values.size()), three(one.size());
  ThreadPool alone(1), several(3);
  const BatchLoss a = loss_gradient(*model, data.samples, one, alone);
  const BatchLoss b = loss_gradient(*model, data.samples, three, several);
  EXPECT_EQ(a.loss, b.loss);
  EXPECT_EQ(one, three);
}

/// The gradient of a mixed batch is the mean of those of its matrices.
TEST(SizeFreeGradient, ABatchIsALoopOfOnes) {
  const auto model = any_model("pnp-any", {});
  const MixedData data({4, 7, 1, 12}, 9);
  ThreadPool pool(1);
  std::vector<double> all(model->parameters().values.size()), each(all.size()), sum(all.size());
  const BatchLoss batch = loss_gradient(*model, data.samples, all, pool);
  double loss = 0;
  for (const Sample& sample : data.samples) {
    loss += loss_gradient(*model, {&sample, 1}, each, pool).loss / 4;
    for (std::size_t k = 0; k < sum.size(); ++k) sum[k] += each[k] / 4;
  }
  EXPECT_NEAR(batch.loss, loss, 1e-12 * loss);
  for (std::size_t k = 0; k < sum.size(); ++k)
    ASSERT_NEAR(all[k], sum[k], 1e-10 * (1 + std::abs(sum[k])));
}

}  // namespace
}  // namespace spodnet::test
