// The authors' PyTorch model, recorded: Theta, W, loss, every gradient and ten Adam steps.
#include <gtest/gtest.h>

#include <cmath>
#include <ostream>

#include "spodnet/io/safetensors.hpp"
#include "spodnet/models/model.hpp"
#include "spodnet/train/adam.hpp"
#include "support/engine_calls.hpp"

namespace spodnet {
namespace {

struct Case {
  const char* file;
  const char* model;
  int layers;
  double output_tolerance, gradient_tolerance;
  std::size_t adam_steps;
};

void PrintTo(const Case& golden, std::ostream* out) { *out << golden.file; }

class Golden : public testing::TestWithParam<Case> {
 protected:
  void SetUp() override {
    file = read_safetensors(std::string(SPODNET_GOLDEN_DIR) + "/spodnet/" + GetParam().file);
    const Tensor& S = file.tensors.at("S");
    ModelConfig config{.model = GetParam().model, .p = S.shape[1], .layers = GetParam().layers};
    config.tied = true;
    config.v_min = 0;
    for (const char* part : {"gamma", "psi", "phi", "lambda"}) {
      const auto found = file.tensors.find("param.f." + std::string(part) + ".0.weight");
      if (found != file.tensors.end()) config.widths[part] = found->second.shape[0];
    }
    model = builtin_models().make(config);
    for (const ParameterView& view : model->parameters().layout.views()) {
      const Tensor& tensor = file.tensors.at("param." + view.name.substr(9));  // "layers.0."
      ASSERT_EQ(tensor.shape, view.shape) << view.name;
      std::copy(tensor.values.begin(), tensor.values.end(),
                model->parameters().values.begin() + std::ptrdiff_t(view.offset));
    }
    const std::size_t p = config.p;
    for (std::size_t k = 0; k < S.shape[0]; ++k)
      samples.push_back({.S = &S.values[k * p * p],
                         .Theta_true = &file.tensors.at("Theta_true").values[k * p * p],
                         .p = p,
                         .n = 100});
  }

  BatchLoss step(std::vector<double>& gradient) {
    gradient.resize(model->parameters().values.size());
    if (!engine) engine = model->make_cpu_engine({.threads = 2});
    return test::loss_gradient(*engine, samples, gradient);
  }

  TensorFile file;
  std::unique_ptr<Model> model;
  std::vector<Sample> samples;
  std::unique_ptr<Engine> engine;
};

double norm(std::span<const double> x) {
  double s = 0;
  for (double v : x) s += v * v;
  return std::sqrt(s);
}

TEST_P(Golden, OutputIsTheRecordedOne) {
  const std::size_t p = samples[0].p;
  for (std::size_t k = 0; k < samples.size(); ++k) {
    const Estimate estimate = test::estimate(*model, ConstMatrixMap(samples[k].S, p, p), 100);
    ASSERT_EQ(estimate.status, Status::ok);
    const ConstMatrixMap Theta(&file.tensors.at("Theta_out").values[k * p * p], p, p);
    const ConstMatrixMap W(&file.tensors.at("W_out").values[k * p * p], p, p);
    EXPECT_LE((estimate.Theta - Theta).norm(), GetParam().output_tolerance * Theta.norm());
    EXPECT_LE((estimate.W - W).norm(), GetParam().output_tolerance * W.norm());
  }
}

TEST_P(Golden, LossAndEveryGradientAreTheRecordedOnes) {
  std::vector<double> gradient;
  const BatchLoss batch = step(gradient);
  const double loss = file.tensors.at("loss").values[0];
  EXPECT_NEAR(batch.loss, loss, GetParam().output_tolerance * loss);
  double all = 0;
  for (const auto& [name, tensor] : file.tensors)
    if (name.starts_with("grad.")) all = std::hypot(all, norm(tensor.values));
  for (const ParameterView& view : model->parameters().layout.views()) {
    const Tensor& recorded = file.tensors.at("grad." + view.name.substr(9));
    std::vector<double> difference = recorded.values;
    for (std::size_t k = 0; k < view.size; ++k) difference[k] -= gradient[view.offset + k];
    EXPECT_LE(norm(difference),
              GetParam().gradient_tolerance * std::max(norm(recorded.values), 1e-6 * all))
        << view.name;
  }
}

TEST_P(Golden, AdamWalksTheRecordedLosses) {
  const Tensor& losses = file.tensors.at("adam_losses");
  std::vector<double> gradient;
  AdamState adam(model->parameters().values.size());
  for (std::size_t k = 0; k < GetParam().adam_steps; ++k) {
    const BatchLoss batch = step(gradient);
    EXPECT_NEAR(batch.loss, losses.values[k], 1e-7 * losses.values[k]) << "step " << k;
    adam_step(model->parameters().values, gradient, 1e-2, adam);
  }
}

INSTANTIATE_TEST_SUITE_P(All, Golden,
                         testing::Values(Case{"ubg_p5.safetensors", "ubg", 1, 1e-9, 1e-9, 10},
                                         Case{"ubg_p20.safetensors", "ubg", 1, 1e-9, 1e-9, 8},
                                         Case{"ubg_p12_k2.safetensors", "ubg", 2, 1e-8, 1e-6, 2},
                                         Case{"pnp_p5.safetensors", "pnp", 1, 1e-9, 1e-9, 10},
                                         Case{"pnp_p20.safetensors", "pnp", 1, 1e-9, 1e-9, 10},
                                         Case{"e2e_p5.safetensors", "e2e", 1, 1e-9, 1e-9, 10},
                                         Case{"e2e_p20.safetensors", "e2e", 1, 1e-9, 1e-9, 10}),
                         [](const auto& test) {
                           const std::string file = test.param.file;
                           return file.substr(0, file.find('.'));
                         });

}  // namespace
}  // namespace spodnet
