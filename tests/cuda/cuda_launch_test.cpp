// Launches from several threads at a time.
#include <gtest/gtest.h>

#include <thread>

#include "cuda/gpu.hpp"
#include "spodnet/generate/dataset.hpp"

namespace spodnet::test {
namespace {

/// Engines of large and small matrices share a kernel: what one allows it of shared memory, the
/// other must not take back before its launch.
TEST(CudaLaunch, SmallAndLargeMatricesAtATime) {
  SPODNET_NEEDS_GPU();
  ModelConfig config{.model = "pnp-any", .p = 0, .layers = 1, .scaling = Scaling::relative};
  const auto model = builtin_models().make(config);
  model->parameters().initialise(5);
  std::vector<std::string> errors(2);
  const auto estimate = [&](std::size_t p, int times, std::string& error) {
    ThreadPool pool(1);
    const DataSet set = generate_dataset({.p = p, .n = 100, .count = 1, .seed = p}, pool);
    const auto gpu = make_engine(*model, {.device = "cuda", .pool = &pool});
    try {
      for (int k = 0; k < times; ++k) (void)gpu->estimate(samples(set), {});
    } catch (const std::exception& e) {
      error = e.what();
    }
  };
  std::thread large([&] { estimate(64, 20, errors[0]); });
  estimate(33, 80, errors[1]);
  large.join();
  EXPECT_EQ(errors, std::vector<std::string>(2));
}

}  // namespace
}  // namespace spodnet::test
