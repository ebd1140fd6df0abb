#include "spodnet/devices/choose_device.hpp"

#include <gtest/gtest.h>

#include "spodnet/devices/device_record.hpp"

namespace spodnet {
namespace {

constexpr std::size_t kLargest = 104;

DeviceChoice choose(const std::string& asked, const std::string& model, const DeviceWork& work,
                    std::size_t gpus = 1) {
  return choose_device(asked, {.model = model, .layers = 2}, work, gpus, kLargest);
}

TEST(ChooseDevice, AutoTakesTheGpuForManyAndTheCpuForFew) {
  EXPECT_EQ(choose("auto", "ubg", {.p = 100, .matrices = 1000}).device, "cuda:0");
  EXPECT_EQ(choose("auto", "ubg", {.p = 100, .matrices = 100, .training = true}).device, "cuda:0");
  EXPECT_EQ(choose("auto", "ubg", {.p = 8, .matrices = 1}).device, "cpu");
  EXPECT_EQ(choose("auto", "pnp-any", {.p = 5, .matrices = 2}).device, "cpu");
  const std::string why = choose("auto", "ubg", {.p = 100, .matrices = 1000}).why;
  EXPECT_NE(why.find("1000 matrices of p = 100"), std::string::npos) << why;
}

TEST(ChooseDevice, MoreThreadsSpeakForTheCpu) {
  const DeviceWork one{.p = 100, .matrices = 32, .training = true, .threads = 1};
  DeviceWork many = one;
  many.threads = 32;
  const ModelConfig config{.model = "ubg"};
  EXPECT_NEAR(expected_cpu_seconds(config, one), 32 * expected_cpu_seconds(config, many), 1e-12);
  EXPECT_EQ(expected_gpu_seconds(config, one), expected_gpu_seconds(config, many));
}

/// The start of consistent-any runs on the CPU with either engine: with few threads a GPU waits.
TEST(ChooseDevice, ALearnedStartIsTheCpusOnEitherDevice) {
  DeviceWork work{.p = 100, .matrices = 1000, .threads = 1};
  const ModelConfig with{.model = "consistent-any"}, without{.model = "pnp-any"};
  EXPECT_GT(expected_gpu_seconds(with, work), 3 * expected_gpu_seconds(without, work));
  EXPECT_LT(expected_gpu_seconds(with, work), expected_cpu_seconds(with, work));
  const double one = expected_gpu_seconds(with, work);
  work.threads = 16;
  EXPECT_LT(expected_gpu_seconds(with, work), one / 2);
}

TEST(ChooseDevice, ExpectedTimesGrowWithTheWork) {
  for (const char* model : {"ubg", "pnp", "e2e", "ubg-any", "pnp-any", "consistent-any"})
    for (const bool training : {false, true}) {
      const ModelConfig config{.model = model};
      double cpu = 0, gpu = 0;
      for (const std::size_t matrices : {1, 100, 10'000}) {
        const DeviceWork work{.p = 60, .matrices = matrices, .training = training};
        EXPECT_GT(expected_cpu_seconds(config, work), cpu);
        EXPECT_GE(expected_gpu_seconds(config, work), gpu);
        cpu = expected_cpu_seconds(config, work), gpu = expected_gpu_seconds(config, work);
      }
    }
}

TEST(ChooseDevice, WhatAGpuCannotDoIsTheCpusWithAReason) {
  const auto expect_cpu = [](const DeviceChoice& choice, const std::string& reason) {
    EXPECT_EQ(choice.device, "cpu");
    EXPECT_NE(choice.why.find(reason), std::string::npos) << choice.why;
  };
  for (const char* asked : {"cuda", "cuda:0", "auto"}) {
    expect_cpu(choose(asked, "glad", {.p = 50, .matrices = 1000}), "glad");
    expect_cpu(choose(asked, "ubg", {.p = 105, .matrices = 1000}), "104");
    expect_cpu(choose(asked, "ubg", {.p = 50, .matrices = 1000, .constrained = true}), "knowledge");
  }
  expect_cpu(choose("auto", "ubg", {.p = 100, .matrices = 1000}, 0), "no GPU");
}

/// A batch of several sizes is worth a GPU when it can do some of them.
TEST(ChooseDevice, OnlyTheSmallestNeedsToFit) {
  EXPECT_EQ(choose("cuda:1", "pnp-any", {.p = 320, .least_p = 20, .matrices = 16}).device,
            "cuda:1");
  EXPECT_EQ(choose("cuda:1", "pnp-any", {.p = 320, .least_p = 120, .matrices = 16}).device, "cpu");
}

TEST(ChooseDevice, WhatWasAskedForIsTaken) {
  EXPECT_EQ(choose("cpu", "ubg", {.p = 100, .matrices = 10'000}).device, "cpu");
  EXPECT_EQ(choose("cuda:3", "ubg", {.p = 5}).device, "cuda:3");
  EXPECT_EQ(choose("cuda", "ubg", {.p = 5}).device, "cuda:0");
}

TEST(DeviceRecord, SaysWhoComputedWhatOnce) {
  DeviceRecord record;
  EXPECT_EQ(record.text(), "");
  record.add({"cuda:0", "as asked"}, 400);
  record.add({"cpu", "few"}, 1);
  record.add({"cuda:0", "another reason"}, 5);
  record.add({"cpu", "none of them"}, 0);
  EXPECT_EQ(record.text(), "cuda:0, 405 matrices (as asked); cpu, 1 matrix (few)");
  EXPECT_EQ(record.matrices("cuda:0"), 405u);
  EXPECT_EQ(record.matrices("cuda:1"), 0u);
}

}  // namespace
}  // namespace spodnet
