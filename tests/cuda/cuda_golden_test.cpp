// The authors' PyTorch model, recorded (tests/models/golden_test.cpp), on a GPU.
#include <gtest/gtest.h>

#include "cuda/gpu.hpp"
#include "spodnet/io/safetensors.hpp"

namespace spodnet::test {
namespace {

struct CudaGoldenCase {
  std::string file, model;
  int layers = 1;
  double output_tolerance = 1e-9, gradient_tolerance = 1e-9;
};

std::unique_ptr<Model> recorded_model(const CudaGoldenCase& golden, const TensorFile& file) {
  ModelConfig config{
      .model = golden.model, .p = file.tensors.at("S").shape[1], .layers = golden.layers};
  config.tied = true;
  config.v_min = 0;
  for (const char* part : {"gamma", "psi", "phi", "lambda"}) {
    const auto found = file.tensors.find("param.f." + std::string(part) + ".0.weight");
    if (found != file.tensors.end()) config.widths[part] = found->second.shape[0];
  }
  auto model = builtin_models().make(config);
  for (const ParameterView& view : model->parameters().layout.views()) {
    const Tensor& tensor = file.tensors.at("param." + view.name.substr(9));  // "layers.0."
    std::copy(tensor.values.begin(), tensor.values.end(),
              model->parameters().values.begin() + std::ptrdiff_t(view.offset));
  }
  return model;
}

void expect_recorded(const CudaGoldenCase& golden) {
  SCOPED_TRACE(golden.file);
  const TensorFile file =
      read_safetensors(std::string(SPODNET_GOLDEN_DIR) + "/spodnet/" + golden.file);
  const auto model = recorded_model(golden, file);
  const std::size_t p = model->config().p, count = file.tensors.at("S").shape[0];
  std::vector<Sample> samples;
  for (std::size_t k = 0; k < count; ++k)
    samples.push_back({.S = &file.tensors.at("S").values[k * p * p],
                       .Theta_true = &file.tensors.at("Theta_true").values[k * p * p],
                       .p = p,
                       .n = 100});
  const auto gpu = make_engine(*model, {.device = "cuda"});
  gpu->keep(samples);
  std::vector<double> gradient(model->parameters().values.size()), recorded = gradient;
  const BatchLoss batch =
      gpu->loss_gradient(all_of(count), *builtin_loss("mse"), double(count), gradient);
  const double loss = file.tensors.at("loss").values[0];
  EXPECT_NEAR(batch.loss, loss, golden.output_tolerance * loss);
  for (const ParameterView& view : model->parameters().layout.views()) {
    const Tensor& tensor = file.tensors.at("grad." + view.name.substr(9));
    std::copy(tensor.values.begin(), tensor.values.end(),
              recorded.begin() + std::ptrdiff_t(view.offset));
  }
  EXPECT_LE(worst_tensor(*model, gradient, recorded), golden.gradient_tolerance);
  const auto estimates = gpu->estimate(samples, {});
  for (std::size_t k = 0; k < count; ++k) {
    const auto n = Eigen::Index(p);
    const ConstMatrixMap Theta(&file.tensors.at("Theta_out").values[k * p * p], n, n);
    const ConstMatrixMap W(&file.tensors.at("W_out").values[k * p * p], n, n);
    EXPECT_LE((estimates[k].Theta - Theta).norm(), golden.output_tolerance * Theta.norm());
    EXPECT_LE((estimates[k].W - W).norm(), golden.output_tolerance * W.norm());
  }
}

TEST(CudaGolden, ThetaLossAndEveryGradientAreTheRecordedOnes) {
  SPODNET_NEEDS_GPU();
  expect_recorded({"ubg_p5.safetensors", "ubg"});
  expect_recorded({"ubg_p20.safetensors", "ubg"});
  expect_recorded({"ubg_p12_k2.safetensors", "ubg", 2, 1e-8, 1e-6});
  for (const char* model : {"pnp", "e2e"})
    for (const char* p : {"5", "20"})
      expect_recorded({model + std::string("_p") + p + ".safetensors", model});
}

}  // namespace
}  // namespace spodnet::test
