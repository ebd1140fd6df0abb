// The gradients of ubg-any and pnp-any against central differences of their own loss, over batches
// of mixed sizes.
#include <gtest/gtest.h>

#include "spodnet/core/kernels.hpp"
#include "spodnet/models/model.hpp"
#include "support/gradient_check.hpp"
#include "support/instruction_sets.hpp"
#include "support/mixed_data.hpp"

namespace spodnet::test {
namespace {

struct Case {
  Scaling scaling = Scaling::clip;
  int layers = 2;
  bool tied = false, learn_offset = true, standardized = false;
  Loss loss = Loss::squared;
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
  model->run_options().loss = c.loss;
  return model;
}

void expect_gradient(const std::string& name, const Case& c) {
  SCOPED_TRACE(name);
  const auto model = any_model(name, c);
  const MixedData data(c.sizes, 5);
  ThreadPool pool(1);
  const auto workspace = model->make_workspace();
  std::vector<double>& values = model->parameters().values;
  std::vector<double> g(values.size()), scratch(values.size());
  ASSERT_EQ(model->loss_gradient(data.samples, g, pool, *workspace).status, Status::ok);
  const std::vector<double> x = values;
  double norm = 0;
  for (double gi : g) norm = std::hypot(norm, gi);
  for (const ParameterView& view : model->parameters().layout.views()) {
    const auto f = [&](std::span<const double> part) {
      std::copy(part.begin(), part.end(), values.begin() + std::ptrdiff_t(view.offset));
      const double loss = model->loss_gradient(data.samples, scratch, pool, *workspace).loss;
      values = x;
      return loss;
    };
    const GradientCheckOptions options{.directions = 6,
                                       .coordinates = false,
                                       .step = 1e-4,
                                       .smaller_steps = 3,
                                       .least_slope = 1e-4 * norm};
    EXPECT_LT(gradient_error(f, std::span(x).subspan(view.offset, view.size),
                             std::span(g).subspan(view.offset, view.size), options),
              1e-5)
        << view.name;
  }
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
  expect_gradient({.loss = Loss::relative});
  expect_gradient({.standardized = true, .loss = Loss::relative});
  expect_gradient({.loss = Loss::support});
  expect_gradient({.layers = 1, .loss = Loss::support, .sizes = {5, 20}});
  expect_gradient({.loss = Loss::likelihood});
  expect_gradient({.standardized = true, .loss = Loss::likelihood});
  expect_gradient({.loss = Loss::balanced});
}

TEST(SizeFreeGradient, WithASummary) {
  expect_gradient({.summary = true});
  expect_gradient({.layers = 1, .learn_offset = false, .summary = true});
  expect_gradient({.standardized = true, .loss = Loss::support, .summary = true});
}

TEST(SizeFreeGradient, WithANetworkThatAdapts) {
  expect_gradient({.adapt = true});
  expect_gradient({.layers = 3, .loss = Loss::balanced, .summary = true, .adapt = true});
  expect_gradient({.layers = 1, .sizes = {20, 40}, .adapt = true});  // more rows than wait at once
}

TEST(SizeFreeGradient, LargerSizes) { expect_gradient({.layers = 1, .sizes = {20, 33}}); }

TEST(SizeFreeGradient, EveryInstructionSetAgrees) {
  const auto model = any_model("pnp-any", {});
  const MixedData data({1, 3, 8, 12}, 6);
  ThreadPool pool(1);
  std::vector<double> best(model->parameters().values.size()), other(best.size());
  (void)model->loss_gradient(data.samples, best, pool, *model->make_workspace());
  for (const std::string& isa : instruction_sets()) {
    force_kernels(isa);
    (void)model->loss_gradient(data.samples, other, pool, *model->make_workspace());
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
  const BatchLoss a = model->loss_gradient(data.samples, one, alone, *model->make_workspace());
  const BatchLoss b = model->loss_gradient(data.samples, three, several, *model->make_workspace());
  EXPECT_EQ(a.loss, b.loss);
  EXPECT_EQ(one, three);
}

/// The gradient of a mixed batch is the mean of those of its matrices.
TEST(SizeFreeGradient, ABatchIsALoopOfOnes) {
  const auto model = any_model("pnp-any", {});
  const MixedData data({4, 7, 1, 12}, 9);
  ThreadPool pool(1);
  const auto workspace = model->make_workspace();
  std::vector<double> all(model->parameters().values.size()), each(all.size()), sum(all.size());
  const BatchLoss batch = model->loss_gradient(data.samples, all, pool, *workspace);
  double loss = 0;
  for (const Sample& sample : data.samples) {
    loss += model->loss_gradient({&sample, 1}, each, pool, *workspace).loss / 4;
    for (std::size_t k = 0; k < sum.size(); ++k) sum[k] += each[k] / 4;
  }
  EXPECT_NEAR(batch.loss, loss, 1e-12 * loss);
  for (std::size_t k = 0; k < sum.size(); ++k)
    ASSERT_NEAR(all[k], sum[k], 1e-10 * (1 + std::abs(sum[k])));
}

}  // namespace
}  // namespace spodnet::test
