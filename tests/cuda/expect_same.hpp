#pragma once
// Loss, gradient and estimates of a model on a GPU against the CPU's.
#include <gtest/gtest.h>

#include "cuda/gpu.hpp"
#include "spodnet/generate/dataset.hpp"

namespace spodnet::test {

constexpr double kClose = 1e-10, kEps = 2.3e-16;
constexpr std::size_t kCount = kEmulated ? 5 : 9;  ///< of a batch: more than walk at once
using Sizes = std::vector<std::size_t>;

/// UBG of many variables with random weights, scaled by q0, magnifies rounding: a last digit of S
/// changes the CPU's own gradients by 2e-8 at p = 300.
inline double close_for(std::size_t p, Scaling scaling) {
  return p > 104 && scaling != Scaling::relative ? 1e-6 : kClose;
}

struct Case {
  std::string model;
  std::size_t p = 0;
  int layers = 1;
  bool tied = false;
  Scaling scaling = Scaling::normalize;
  bool learn_offset = false;
  bool summary = false;  ///< and standardized, with networks that change their thresholds
  std::size_t n = 0;     ///< 0: 100, or 4 p for large p
};

inline std::unique_ptr<Model> model_of(const Case& c) {
  ModelConfig config{
      .model = c.model, .p = c.p, .layers = c.layers, .tied = c.tied, .scaling = c.scaling};
  config.learn_offset = c.learn_offset;
  config.standardized = config.summary = c.summary;
  if (c.summary) config.widths = {{"lambda", 24}, {"lambda_adapt", 8}};
  if (c.summary && c.model != "ubg-any") config.widths.insert({{"psi", 20}, {"psi_adapt", 8}});
  auto model = builtin_models().make(config);
  model->parameters().initialise(5);
  for (const ParameterView& view : model->parameters().layout.views())  // they begin at 0
    if (view.name.find("_adapt.1") != std::string::npos)
      for (std::size_t k = 0; k < view.size; ++k)
        model->parameters().values[view.offset + k] = 0.01 * std::sin(double(k));
  return model;
}

/// How far the CPU's own gradient of a batch moves when the last digits of S do: less cannot be
/// asked of another engine. (Scaled by q0 it is a difference of large numbers; p = 2 leaves noise.)
inline double own_rounding(const Model& model, DataSet set, const Loss& loss) {
  const std::size_t count = set.count();
  std::vector<double> gradients[2];
  RandomStream random(7);
  for (std::vector<double>& gradient : gradients) {
    const std::vector<Sample> data = samples(set);
    const auto cpu = make_engine(model);
    cpu->keep(data);
    gradient.resize(model.parameters().values.size());
    (void)cpu->loss_gradient(all_of(count), loss, double(count), gradient);
    for (std::size_t k = 0; k < count; ++k)
      for (Eigen::Index i = 0; i < set.S[k].rows(); ++i)
        for (Eigen::Index j = 0; j <= i; ++j)
          set.S[k](i, j) = set.S[k](j, i) =
              set.S[k](i, j) * (1 + (random.below(2) ? 1 : -1) * kEps);
  }
  return worst_tensor(model, gradients[1], gradients[0]);
}

/// Loss, gradient and estimates of a model on both devices.
inline void expect_same(const Case& c, const std::string& loss_name = "mse",
                        std::size_t count = kCount) {
  SCOPED_TRACE(c.model + " p = " + std::to_string(c.p) + " K = " + std::to_string(c.layers) +
               (c.tied ? " tied " : " ") + to_string(c.scaling) + " " + loss_name +
               " n = " + std::to_string(c.n));
  const auto model = model_of(c);
  const double close = close_for(c.p, c.scaling);
  ThreadPool pool(1);
  const DataSet set = generate_dataset({.p = c.p,
                                        .n = c.n > 0     ? c.n
                                             : c.p > 104 ? 4 * c.p
                                                         : 100,
                                        .count = count,
                                        .seed = c.p},
                                       pool);
  const std::vector<Sample> data = samples(set);
  const LossPtr loss = builtin_loss(loss_name);
  const auto gpu = make_engine(*model, {.device = "cuda"}), cpu = make_engine(*model);
  ASSERT_EQ(gpu->device(), "cuda:0");
  std::vector<double> got(model->parameters().values.size()), again = got, expected = got;
  gpu->keep(data);
  cpu->keep(data);
  const auto which = all_of(count);
  const BatchLoss a = gpu->loss_gradient(which, *loss, double(count), got);
  const BatchLoss b = cpu->loss_gradient(which, *loss, double(count), expected);
  EXPECT_EQ(a.status, b.status);
  EXPECT_NEAR(a.loss, b.loss, close * std::abs(b.loss));
  EXPECT_NEAR(a.nmse, b.nmse, close * b.nmse);
  EXPECT_LE(worst_tensor(*model, got, expected),
            std::max(close, 10 * own_rounding(*model, set, *loss)));
  shuffle_warps(c.p + 1);
  (void)gpu->loss_gradient(which, *loss, double(count), again);
  EXPECT_EQ(got, again) << "the same bits from run to run";
  const auto estimates = gpu->estimate(data, {}), oracle = cpu->estimate(data, {});
  for (std::size_t k = 0; k < count; ++k) {
    EXPECT_EQ(estimates[k].status, oracle[k].status);
    EXPECT_LE((estimates[k].Theta - oracle[k].Theta).norm(), close * oracle[k].Theta.norm());
    EXPECT_LE((estimates[k].W - oracle[k].W).norm(), close * oracle[k].W.norm());
    EXPECT_EQ(estimates[k].Theta, Matrix(estimates[k].Theta.transpose()));
  }
  shuffle_warps(0);
}

}  // namespace spodnet::test
