#include <gtest/gtest.h>

#include <mutex>

#include "spodnet/core/error.hpp"
#include "spodnet/generate/mixed_dataset.hpp"
#include "spodnet/io/safetensors.hpp"
#include "spodnet/train/checkpoint.hpp"
#include "spodnet/train/shared_gradient.hpp"
#include "spodnet/train/trainer.hpp"
#include "support/rule_programs.hpp"
#include "support/temporary_folder.hpp"
#include "support/thread_group.hpp"

namespace spodnet::test {
namespace {

struct Case {
  ModelConfig config;
  DataSetOptions data;
  std::size_t batch;
  std::string loss = "nmse";
};

/// Few parameters and many (e2e: sums of slices); matrices of one size and of many; the lanes and
/// the layer.
std::vector<Case> cases() {
  return {{{.model = "ubg", .p = 12}, {.p = 12, .n = 40, .count = 45}, 16},
          {{.model = "pnp", .p = 9, .layers = 2}, {.p = 9, .n = 40, .count = 14}, 6, "mse"},
          {{.model = "e2e", .p = 20}, {.p = 20, .n = 40, .count = 14}, 12, "support"},
          {{.model = "pnp-any", .learn_offset = true}, {.p = {4, 9}, .n = {8, 60}, .count = 20}, 7},
          {{.model = "program",
            .layers = 2,
            .scaling = Scaling::clip,
            .programs = {program::AnyPrograms().pnp().text()}},
           {.p = {4, 9}, .n = {8, 60}, .count = 40},
           20}};
}

/// Counts the matrices that were made.
class CountedSamples final : public SampleSource {
 public:
  explicit CountedSamples(const DataSetOptions& options) : fresh_(options) {}

  std::size_t count() const override { return fresh_.count(); }
  std::span<const Sample> epoch(std::uint64_t epoch, ThreadPool& pool) override {
    return counted(fresh_.epoch(epoch, pool));
  }
  std::span<const Sample> some_of(std::uint64_t epoch, std::span<const char> needed,
                                  ThreadPool& pool) override {
    return counted(fresh_.some_of(epoch, needed, pool));
  }
  std::span<const Sample> shapes(std::uint64_t epoch) override { return fresh_.shapes(epoch); }
  std::string identity(ThreadPool& pool) const override { return fresh_.identity(pool); }
  std::map<std::string, std::string> describe() const override { return fresh_.describe(); }

  std::size_t made = 0;

 private:
  std::span<const Sample> counted(std::span<const Sample> samples) {
    for (const Sample& sample : samples) made += sample.S != nullptr;
    return samples;
  }

  FreshSamples fresh_;
};

struct Outcome {
  std::vector<double> weights;
  std::vector<std::vector<double>> history;
  std::map<std::string, std::string> info;
  Status status = Status::ok;
  std::size_t made = 0, steps = 0;

  bool operator==(const Outcome& other) const {
    return weights == other.weights && history == other.history && info == other.info &&
           status == other.status && steps == other.steps;
  }
};

Outcome train_in(Group& group, const Case& of, int threads, const MixedDataSet& valid,
                 TrainOptions options) {
  const std::unique_ptr<Model> model = builtin_models().make(of.config);
  model->parameters().initialise(3);
  ThreadPool pool(threads);
  CountedSamples source(of.data);
  options.batch = of.batch;
  options.loss = builtin_loss(of.loss);
  options.group = &group;
  const auto engine = model->make_cpu_engine({.pool = &pool});
  const std::vector<Sample> held_out = samples(valid);
  const TrainResult result = train(*model, *engine, source, held_out, options, pool);
  Outcome out{
      model->parameters().values, {}, model->info(), result.status, source.made, result.steps};
  for (EpochRow row : result.history) {
    row.seconds = 0;
    out.history.push_back(to_numbers(row));
  }
  return out;
}

std::vector<Outcome> train_by(int ranks, const Case& of, int threads, const MixedDataSet& valid,
                              const TrainOptions& options,
                              const std::atomic<bool>* stop_of_last = nullptr) {
  std::vector<Outcome> outcomes(static_cast<std::size_t>(ranks));
  ThreadGroup(ranks).run([&](Group& group) {
    TrainOptions own = options;
    if (group.rank() + 1 == ranks && stop_of_last) own.stop = stop_of_last;
    outcomes[std::size_t(group.rank())] = train_in(group, of, threads, valid, own);
  });
  return outcomes;
}

MixedDataSet validation_of(const Case& of) {
  ThreadPool pool(1);
  DataSetOptions options = of.data;
  options.count = 5;
  options.first_index = 1u << 20;
  return generate_mixed(options, pool);
}

TEST(Group, EveryNumberOfProcessesTrainsTheSameModel) {
  for (const Case& of : cases()) {
    const MixedDataSet valid = validation_of(of);
    const Outcome alone = train_in(one_process(), of, 1, valid, {.epochs = 2});
    ASSERT_EQ(alone.history.size(), 2u);
    for (const int ranks : {1, 2, 3, 5})
      for (const int threads : {1, 2}) {
        std::size_t made = 0;
        for (const Outcome& outcome : train_by(ranks, of, threads, valid, {.epochs = 2})) {
          EXPECT_TRUE(outcome == alone) << of.config.model << ", " << ranks << " processes";
          made += outcome.made;
        }
        EXPECT_EQ(made, 2 * of.data.count) << "each matrix is drawn by one process";
      }
  }
}

TEST(Group, StoppedByOneAllStopAndAnotherNumberGoesOn) {
  for (const Case& of : cases()) {
    const TemporaryFolder folder;
    const MixedDataSet valid = validation_of(of);
    TrainOptions options{.epochs = 3};
    const Outcome alone = train_in(one_process(), of, 1, valid, options);
    options.checkpoint = folder / "c";
    std::atomic<bool> stop = false;
    options.progress = [&](const TrainProgress& at) {
      if (at.step == 4) stop = true;
    };
    const std::vector<Outcome> stopped = train_by(3, of, 1, valid, options, &stop);
    for (const Outcome& outcome : stopped) {
      EXPECT_EQ(outcome.status, Status::interrupted);
      EXPECT_EQ(outcome.steps, stopped[0].steps);
      EXPECT_LT(outcome.steps, alone.steps);
    }
    options.progress = {};
    options.resume = true;
    for (const Outcome& outcome : train_by(2, of, 2, valid, options))
      EXPECT_TRUE(outcome == alone) << of.config.model;
  }
}

/// A checkpoint without its seconds.
TensorFile checkpoint_of(const std::filesystem::path& path) {
  TensorFile file = read_safetensors(path);
  file.metadata.erase("seconds");
  file.metadata.erase("step_seconds");
  if (const auto history = file.tensors.find("history"); history != file.tensors.end())
    for (std::size_t k = kHistoryColumns - 1; k < history->second.values.size();
         k += kHistoryColumns)
      history->second.values[k] = 0;
  return file;
}

TEST(Group, CheckpointsOfOneStepAreTheSame) {
  for (const Case& of : cases()) {
    const TemporaryFolder folder;
    const MixedDataSet valid = validation_of(of);
    std::vector<TensorFile> left;
    for (const int ranks : {1, 2, 3}) {
      std::atomic<bool> stop = false;
      const std::uint64_t last = ranks == 1 ? 5 : 4;  // the others hear of it one step later
      TrainOptions options{.epochs = 3, .checkpoint = folder / std::to_string(ranks)};
      options.progress = [&](const TrainProgress& at) {
        if (at.step == last) stop = true;
      };
      (void)train_by(ranks, of, 1, valid, options, &stop);
      left.push_back(checkpoint_of(options.checkpoint));
    }
    for (const TensorFile& each : left) {
      EXPECT_EQ(each.metadata, left[0].metadata);
      ASSERT_EQ(each.tensors.size(), left[0].tensors.size());
      for (const auto& [name, tensor] : each.tensors)
        EXPECT_EQ(tensor.values, left[0].tensors.at(name).values) << of.config.model << name;
    }
  }
}

TEST(Group, ProcessesWithOtherDataAreRefused) {
  const Case of = cases()[1];
  Case other = of;
  other.data.seed = 99;
  const TemporaryFolder folder;
  std::mutex counting;
  int refused = 0;
  ThreadGroup(2).run([&](Group& group) {
    try {
      (void)train_in(group, group.first() ? of : other, 1, validation_of(of),
                     {.epochs = 1, .checkpoint = folder / "c"});
    } catch (const Error& error) {
      const std::scoped_lock lock(counting);
      EXPECT_NE(std::string(error.what()).find("process 1 has other data"), std::string::npos);
      ++refused;
    }
  });
  EXPECT_EQ(refused, 2);
}

TEST(Group, PartsGoToWhoHasLeastToDo) {
  const std::vector<double> costs = {1, 1, 1, 9, 1, 5};
  EXPECT_EQ(share_out(costs, 1), (std::vector<int>(6, 0)));
  EXPECT_EQ(share_out(costs, 2), (std::vector<int>{1, 1, 1, 0, 1, 1}));
  EXPECT_EQ(share_out(costs, 9), (std::vector<int>{2, 3, 4, 0, 5, 1}));
}

TEST(Group, AFarmOfOneDoesEachPieceOnce) {
  ThreadPool pool(3);
  std::atomic<bool> stop = false;
  std::vector<double> taken(50, 0.0);
  one_process().farm(
      50, pool, stop,
      [](std::size_t k, int) {
        return std::vector<double>{double(k), 1};
      },
      [&](std::size_t k, std::span<const double> numbers) {
        EXPECT_EQ(numbers[0], double(k));
        taken[k] += numbers[1];
      });
  EXPECT_EQ(taken, std::vector<double>(50, 1.0));
}

}  // namespace
}  // namespace spodnet::test
