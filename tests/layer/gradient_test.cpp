// The models' gradients against central differences of their own loss.
#include <gtest/gtest.h>

#include "layer/layer_case.hpp"
#include "support/engine_calls.hpp"
#include "support/gradient_check.hpp"

namespace spodnet::test {
namespace {

/// Loss of the model as a function of some of its parameters.
class LossOf {
 public:
  LossOf(Model& model, const ToyData& data, const std::string& loss = "mse")
      : model_(model), data_(data), loss_(loss) {}

  double operator()(std::span<const double> x, std::size_t offset) {
    std::vector<double>& values = model_.parameters().values;
    const std::vector<double> kept = values;
    std::copy(x.begin(), x.end(), values.begin() + std::ptrdiff_t(offset));
    const double loss = gradient().loss;
    values = kept;
    return loss;
  }

  BatchLoss gradient() {
    g.resize(model_.parameters().values.size());
    const BatchLoss loss = loss_gradient(*engine_, data_.samples, g, loss_);
    EXPECT_EQ(loss.status, Status::ok);
    return loss;
  }

  std::vector<double> g;

 private:
  Model& model_;
  const ToyData& data_;
  std::string loss_;
  std::unique_ptr<Engine> engine_ = model_.make_cpu_engine({});
};

/// Each named tensor is checked by itself, so that a small one cannot hide.
void expect_gradient_of_each_tensor(const LayerCase& c, std::size_t count, int directions,
                                    const std::string& kind = "mse") {
  const auto model = random_model(c);
  const ToyData data(count, c.p, 11);
  LossOf loss(*model, data, kind);
  loss.gradient();
  const std::vector<double> g = loss.g, x = model->parameters().values;
  for (const ParameterView& view : model->parameters().layout.views()) {
    if (view.size == 0) continue;
    const auto f = [&](std::span<const double> part) { return loss(part, view.offset); };
    const GradientCheckOptions options{.directions = directions,
                                       .coordinates = c.p <= 3,
                                       .step = 1e-4,
                                       .smaller_steps = 3,
                                       .least_slope = 1e-4 * norm(g)};
    const double error = gradient_error(f, std::span(x).subspan(view.offset, view.size),
                                        std::span(g).subspan(view.offset, view.size), options);
    EXPECT_LT(error, 1e-5) << view.name;
  }
}

class Gradient : public testing::TestWithParam<std::size_t> {};

TEST_P(Gradient, EveryModelScalingAndStack) {
  for (const LayerCase& c : all_layer_cases({GetParam()})) {
    if (c.p > 12 && c.layers > 1) continue;  // too many kinks for any step
    SCOPED_TRACE(testing::PrintToString(c));
    expect_gradient_of_each_tensor(c, 3, c.p <= 12 ? 4 : 2);
  }
}

TEST_P(Gradient, FloorOfTheMarginAndZeta) {
  for (LayerCase c : all_layer_cases({GetParam()})) {
    if (c.layers > 1) continue;
    c.zeta = 0.4;
    c.v_min = 0.4;
    SCOPED_TRACE(testing::PrintToString(c));
    expect_gradient_of_each_tensor(c, 2, 3);
  }
}

TEST_P(Gradient, RelativeLoss) {
  for (const char* model : {"ubg", "pnp", "e2e"}) {
    const LayerCase c{.model = model, .p = GetParam(), .layers = 2, .learn_offset = true};
    SCOPED_TRACE(testing::PrintToString(c));
    expect_gradient_of_each_tensor(c, 3, 3, "nmse");
  }
}

INSTANTIATE_TEST_SUITE_P(Sizes, Gradient, testing::Values(1, 2, 3, 6, 12, 20));

/// The check can fail: a gradient that is off by one part in a thousand in one tensor is seen.
TEST(GradientOfTheLayer, AWrongOneIsSeen) {
  const LayerCase c{.p = 6};
  const auto model = random_model(c);
  const ToyData data(2, c.p, 11);
  LossOf loss(*model, data);
  loss.gradient();
  std::vector<double> g = loss.g;
  const ParameterView& view = *model->parameters().find("layers.0.f.gamma.0.weight");
  for (std::size_t k = 0; k < view.size; ++k) g[view.offset + k] *= 1.001;
  const auto f = [&](std::span<const double> part) { return loss(part, view.offset); };
  const std::vector<double>& x = model->parameters().values;
  EXPECT_GT(gradient_error(f, std::span(x).subspan(view.offset, view.size),
                           std::span(g).subspan(view.offset, view.size),
                           {.coordinates = false, .smaller_steps = 3}),
            5e-4);
}

}  // namespace
}  // namespace spodnet::test
