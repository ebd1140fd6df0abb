#include "spodnet/train/checkpoint.hpp"

#include <gtest/gtest.h>

#include <fstream>

#include "spodnet/core/error.hpp"
#include "spodnet/io/safetensors.hpp"
#include "spodnet/train/checkpoint_clock.hpp"
#include "spodnet/train/trainer.hpp"
#include "support/temporary_folder.hpp"
#include "support/toy_data.hpp"
#include "support/toy_model.hpp"

namespace spodnet {
namespace {

using test::TemporaryFolder;
using test::ToyData;
using test::ToyModel;

struct Checkpoint : testing::Test {
  TemporaryFolder folder;
  ToyData data{17, 3}, valid{4, 3, 2};
  ThreadPool pool{1};
  TrainOptions options{.epochs = 5, .batch = 4, .lr = 0.1, .schedule = Schedule::cosine, .seed = 4};

  ToyModel make() const {
    ModelConfig config;
    config.model = "toy";
    config.p = 3;
    ToyModel model(config);
    model.parameters().initialise(7);
    return model;
  }

  /// Trains until `stop_at` steps are done, then is asked to stop.
  TrainResult run(ToyModel& model, std::uint64_t stop_at, bool resume) {
    std::atomic<bool> stop = false;
    TrainOptions now = options;
    now.checkpoint = folder / "model.checkpoint";
    now.resume = resume;
    now.stop = &stop;
    now.progress = [&](const TrainProgress& progress) { stop = progress.step >= stop_at; };
    return train(model, data.samples, valid.samples, now, pool);
  }

  std::string message(const std::filesystem::path& path, const TrainOptions& changed) {
    ToyModel model = make();
    TrainOptions now = changed;
    now.checkpoint = path;
    now.resume = true;
    try {
      (void)train(model, data.samples, valid.samples, now, pool);
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  }
};

TEST_F(Checkpoint, StoppedAfterAnyStepItResumesBitForBit) {
  ToyModel whole = make();
  const TrainResult expected = train(whole, data.samples, valid.samples, options, pool);
  for (std::uint64_t stop_at = 1; stop_at < expected.steps; ++stop_at) {
    ToyModel first = make(), second = make();
    ASSERT_EQ(run(first, stop_at, false).status, Status::interrupted);
    const TrainResult result = run(second, 1000, true);
    ASSERT_EQ(result.status, Status::ok);
    EXPECT_EQ(second.parameters().values, whole.parameters().values) << "stopped at " << stop_at;
    EXPECT_EQ(result.best_epoch, expected.best_epoch);
    EXPECT_EQ(result.steps, expected.steps);
    ASSERT_EQ(result.history.size(), expected.history.size());
    for (std::size_t k = 0; k < result.history.size(); ++k) {
      EXPECT_EQ(result.history[k].train_loss, expected.history[k].train_loss);
      EXPECT_EQ(result.history[k].valid_nmse, expected.history[k].valid_nmse);
    }
  }
}

TEST_F(Checkpoint, FreshMatricesInEveryEpochResumeBitForBit) {
  const DataSetOptions made{.p = 3, .n = {5, 50}, .count = 9, .seed = 8};
  const auto run_fresh = [&](ToyModel& model, std::uint64_t stop_at, const DataSetOptions& from) {
    FreshSamples source(from);
    std::atomic<bool> stop = false;
    TrainOptions now = options;
    now.checkpoint = folder / "fresh.checkpoint";
    now.resume = true;
    now.stop = &stop;
    now.progress = [&](const TrainProgress& progress) { stop = progress.step >= stop_at; };
    const auto engine = model.make_cpu_engine({.pool = &pool});
    return train(model, *engine, source, valid.samples, now, pool).status;
  };
  ToyModel whole = make();
  ASSERT_EQ(run_fresh(whole, 1000, made), Status::ok);
  for (std::uint64_t stop_at : {1, 3, 7, 8}) {
    std::filesystem::remove(folder / "fresh.checkpoint");
    ToyModel first = make(), second = make();
    ASSERT_EQ(run_fresh(first, stop_at, made), Status::interrupted);
    ASSERT_EQ(run_fresh(second, 1000, made), Status::ok);
    EXPECT_EQ(second.parameters().values, whole.parameters().values) << "stopped at " << stop_at;
  }
  ToyModel stopped = make(), other = make();
  std::filesystem::remove(folder / "fresh.checkpoint");
  ASSERT_EQ(run_fresh(stopped, 2, made), Status::interrupted);
  DataSetOptions changed = made;
  changed.n = {5, 60};
  EXPECT_THROW((void)run_fresh(other, 1000, changed), Error);
}

TEST_F(Checkpoint, WithoutAFileResumeStartsFromTheBeginning) {
  ToyModel whole = make(), resumed = make();
  (void)train(whole, data.samples, valid.samples, options, pool);
  EXPECT_EQ(run(resumed, 1000, true).status, Status::ok);
  EXPECT_EQ(resumed.parameters().values, whole.parameters().values);
}

TEST_F(Checkpoint, RefusesAnotherTraining) {
  ToyModel model = make();
  (void)run(model, 3, false);
  const auto path = folder / "model.checkpoint";
  EXPECT_EQ(message(path, options), "");
  TrainOptions changed = options;
  changed.lr = 0.2;
  EXPECT_NE(message(path, changed).find("lr = '0.1', not 0.2"), std::string::npos);
  changed = options;
  changed.epochs = 6;
  EXPECT_NE(message(path, changed).find("epochs"), std::string::npos);
  changed = options;
  changed.seed = 5;
  EXPECT_NE(message(path, changed).find("seed"), std::string::npos);
  changed = options;
  changed.patience = 3;  // what stands on one side alone
  EXPECT_NE(message(path, changed).find("patience = the default, not 3"), std::string::npos);
  changed = options;
  changed.schedule = Schedule::constant;
  EXPECT_NE(message(path, changed).find("schedule = 'cosine', not constant"), std::string::npos);
  data.S.values[5] += 1e-15;
  EXPECT_NE(message(path, options).find("training data"), std::string::npos);
}

TEST_F(Checkpoint, RefusesWhatOnlyTheCheckpointHas) {
  ToyModel model = make(), other = make();
  options.patience = 30;
  (void)run(model, 3, false);
  options.patience = 0;
  EXPECT_NE(message(folder / "model.checkpoint", options).find("patience = '30'"),
            std::string::npos);
  options.patience = 30;
  other.parameters().values[0] += 1;
  EXPECT_THROW((void)run(other, 1000, true), Error) << "it began from other weights";
}

TEST_F(Checkpoint, RefusesDamagedFiles) {
  ToyModel model = make();
  (void)run(model, 8, false);
  const TensorFile whole = read_safetensors(folder / "model.checkpoint");
  const auto damaged = [&](auto change) {
    TensorFile file = whole;
    change(file);
    write_safetensors(folder / "damaged", file);
    const std::string text = message(folder / "damaged", options);
    EXPECT_EQ(text.find('\n'), std::string::npos);
    return text;
  };
  const auto has = [](const std::string& text, const char* part) {
    EXPECT_NE(text.find(part), std::string::npos) << text;
    EXPECT_NE(text.find("without resuming"), std::string::npos) << text;
  };
  has(damaged([](TensorFile& f) { f.tensors.erase("adam.v.layers.0.toy.0.bias"); }), "adam.v");
  has(damaged([](TensorFile& f) { f.tensors["weights.layers.0.toy.0.bias"].values[0] = NAN; }),
      "not finite");
  has(damaged([](TensorFile& f) { f.tensors["history"].shape = {10, 1}; }), "history");
  has(damaged([](TensorFile& f) { f.metadata.erase("step"); }), "step");
  has(damaged([](TensorFile& f) { f.metadata["format"] = "spodnet-checkpoint-2"; }), "format");
  has(damaged([](TensorFile& f) { f.metadata["epoch"] = "-1"; }), "epoch");
}

TEST(CheckpointClock, SpendsAtMostTwoPercent) {
  for (const double cost : {0.0005, 0.02, 3.0}) {
    CheckpointClock clock(0);
    double now = 0, spent = 0, longest = 0, last = 0;
    while (now < 2000) {
      now += 0.01;
      if (!clock.due(now)) continue;
      longest = std::max(longest, now - last);
      clock.written(now, now + cost);
      last = now += cost;
      spent += cost;
    }
    EXPECT_LT(spent, 0.021 * now);
    EXPECT_LT(longest, std::max(60.1, 51 * cost));
  }
}

}  // namespace
}  // namespace spodnet
