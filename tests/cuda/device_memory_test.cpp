// Matrices that already lie on the GPU.
#include "spodnet/cuda/device.hpp"

#include <gtest/gtest.h>

#include "cuda/gpu.hpp"
#include "spodnet/generate/dataset.hpp"

namespace spodnet::test {
namespace {

/// Addresses of the device: the same bits as from the host's memory, on either device.
TEST(CudaEngine, MatricesMayLieOnTheDevice) {
  SPODNET_NEEDS_GPU();
  ThreadPool pool(1);
  for (const char* name : {"ubg", "e2e", "pnp-any"})
    for (const std::size_t p : {7, kEmulated ? 40 : 60, kEmulated ? 20 : 106}) {
      SCOPED_TRACE(name + std::string(" p = ") + std::to_string(p));
      ModelConfig config{.model = name, .p = p, .layers = 2, .scaling = Scaling::clip};
      config.learn_offset = true;
      const auto model = builtin_models().make(config);
      model->parameters().initialise(5);
      const DataSet set = generate_dataset({.p = p, .n = 100, .count = 5, .seed = p}, pool);
      const auto engine = make_engine(*model, {.device = "cuda"});
      ASSERT_TRUE(engine->reads_device_memory());
      const std::size_t numbers = 5 * p * p, bytes = numbers * sizeof(double);
      MatrixBatch Theta(5, p, p), W(5, p, p), got_Theta(5, p, p), got_W(5, p, p);
      std::vector<double> gradient(model->parameters().values.size()), got(gradient.size());
      std::vector<Status> status(5);
      engine->forward(samples(set), Theta.data(0), W.data(0), status);
      engine->backward(set.Theta_true.data(0), gradient, nullptr);
      cuda::DeviceMemory memory;  // S, Theta, W, d_Theta
      memory.reserve(4 * bytes);
      memory.upload(set.S.data(0), bytes);
      memory.upload(set.Theta_true.data(0), bytes, 3 * bytes);
      std::vector<Sample> there = samples(set);
      for (std::size_t k = 0; k < 5; ++k) there[k].S = memory.numbers() + k * p * p;
      double* const first = memory.numbers() + numbers;
      engine->forward(there, first, first + numbers, status);
      engine->backward(first + 2 * numbers, got, nullptr);
      memory.download(got_Theta.data(0), bytes, bytes);
      memory.download(got_W.data(0), bytes, 2 * bytes);
      EXPECT_EQ(got_Theta.values, Theta.values);
      EXPECT_EQ(got_W.values, W.values);
      EXPECT_EQ(got, gradient);
    }
}

}  // namespace
}  // namespace spodnet::test
