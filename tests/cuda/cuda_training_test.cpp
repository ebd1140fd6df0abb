// Trainings on a GPU: stopped, resumed, and handed over between devices.
#include <gtest/gtest.h>

#include <filesystem>

#include "cuda/gpu.hpp"
#include "spodnet/generate/dataset.hpp"
#include "spodnet/train/trainer.hpp"

namespace spodnet::test {
namespace {

/// A training of `model` on fresh matrices of several sizes, with validation and a checkpoint.
class CudaTraining : public testing::TestWithParam<const char*> {
 protected:
  CudaTraining() {
    folder_ = std::filesystem::temp_directory_path() /
              ("spodnet_cuda_" + std::to_string(::getpid()) + GetParam());
    std::filesystem::create_directories(folder_);
    valid_ = generate_dataset({.p = kP, .n = 60, .count = 5, .seed = 3}, pool_);
  }
  ~CudaTraining() override { std::filesystem::remove_all(folder_); }

  std::unique_ptr<Model> start() const {
    ModelConfig config{.model = GetParam(), .p = kP, .layers = 2, .scaling = Scaling::clip};
    config.learn_offset = true;
    auto model = builtin_models().make(config);
    model->parameters().initialise(2);
    return model;
  }

  /// Trains on a device until step `stop_at`, from the checkpoint where there is one.
  Status run(Model& model, const std::string& device, std::uint64_t stop_at = 1000) {
    const bool any = model.config().p == 0;
    FreshSamples source(
        {.p = any ? SizeRange(3, kEmulated ? 14 : 40) : SizeRange(kP), .n = 60, .count = 19});
    std::atomic<bool> stop = false;
    TrainOptions options{.epochs = 4, .batch = 5, .lr = 2e-3};
    options.schedule = Schedule::cosine;
    options.loss = builtin_loss(any ? "support" : "nmse");
    options.clip_grad = 10;
    options.checkpoint = folder_ / "checkpoint";
    options.resume = true;
    options.stop = &stop;
    options.progress = [&](const TrainProgress& at) { stop = at.step >= stop_at; };
    const auto engine = make_engine(model, {.device = device, .pool = &pool_});
    EXPECT_EQ(engine->device().substr(0, 4), device.substr(0, 4));
    return train(model, *engine, source, samples(valid_), options, pool_).status;
  }
  void forget() const { std::filesystem::remove(folder_ / "checkpoint"); }

  static constexpr std::size_t kP = kEmulated ? 12 : 36;
  ThreadPool pool_{2};
  DataSet valid_;
  std::filesystem::path folder_;
};

TEST_P(CudaTraining, StoppedAndResumedItIsTheSameBitForBit) {
  SPODNET_NEEDS_GPU();
  const auto whole = start();
  ASSERT_EQ(run(*whole, "cuda"), Status::ok);
  for (const std::uint64_t stop_at : {1, 4, 7, 13}) {
    forget();
    shuffle_warps(stop_at);
    const auto first = start(), second = start();
    ASSERT_EQ(run(*first, "cuda", stop_at), Status::interrupted);
    ASSERT_EQ(run(*second, "cuda"), Status::ok);
    EXPECT_EQ(second->parameters().values, whole->parameters().values) << "at " << stop_at;
  }
  shuffle_warps(0);
}

/// To rounding, which a few steps make larger.
TEST_P(CudaTraining, AnotherDeviceGoesOnFromTheCheckpoint) {
  SPODNET_NEEDS_GPU();
  const auto whole = start();
  ASSERT_EQ(run(*whole, "cpu"), Status::ok);
  for (const auto& [from, to] : {std::pair("cpu", "cuda"), std::pair("cuda", "cpu")}) {
    forget();
    const auto first = start(), second = start();
    ASSERT_EQ(run(*first, from, 6), Status::interrupted);
    ASSERT_EQ(run(*second, to), Status::ok);
    EXPECT_LE(worst_tensor(*whole, second->parameters().values, whole->parameters().values), 1e-6)
        << from << " to " << to;
  }
}

INSTANTIATE_TEST_SUITE_P(Models, CudaTraining, testing::Values("ubg", "pnp-any", "consistent-any"));

}  // namespace
}  // namespace spodnet::test
