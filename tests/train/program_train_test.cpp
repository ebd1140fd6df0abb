// A program is trained as every other model is: stopped and resumed, saved and read again.
#include <gtest/gtest.h>

#include "spodnet/generate/mixed_dataset.hpp"
#include "spodnet/models/model_file.hpp"
#include "spodnet/models/program_model.hpp"
#include "spodnet/train/trainer.hpp"
#include "support/engine_calls.hpp"
#include "support/expect_error.hpp"
#include "support/rule_programs.hpp"
#include "support/temporary_folder.hpp"
#include "support/toy_data.hpp"

namespace spodnet::test {
namespace {

const DataSetOptions kFreshData{.p = {4, 8}, .n = {20, 60}, .count = 24, .seed = 3};

/// Two layers with different programs.
std::unique_ptr<Model> two_programs() {
  const program::AnyPrograms any;
  return make_program_model({any.ubg(), any.pnp()},
                            {.layers = 2, .scaling = Scaling::clip, .learn_offset = true}, 5);
}

TrainResult train_fresh(Model& model, const TrainOptions& options, int threads) {
  ThreadPool pool(threads);
  FreshSamples source(kFreshData);
  const auto engine = model.make_cpu_engine({.pool = &pool});
  return train(model, *engine, source, {}, options, pool);
}

TEST(ProgramTraining, ResumesBitForBitWithAnyNumberOfThreads) {
  const TemporaryFolder folder;
  const TrainOptions options{.epochs = 3, .batch = 8, .clip_grad = 1};
  const auto whole = two_programs();
  const TrainResult expected = train_fresh(*whole, options, 1);
  ASSERT_EQ(expected.status, Status::ok);
  EXPECT_NE(whole->parameters().values, two_programs()->parameters().values);
  for (const std::uint64_t stop_at : {1, 4, 8}) {
    std::atomic<bool> stop = false;
    TrainOptions now = options;
    now.checkpoint = folder / std::to_string(stop_at);
    now.stop = &stop;
    now.progress = [&](const TrainProgress& at) { stop = at.step >= stop_at; };
    const auto first = two_programs(), second = two_programs();
    ASSERT_EQ(train_fresh(*first, now, 3).status, Status::interrupted);
    now.resume = true;
    now.progress = {};
    stop = false;
    ASSERT_EQ(train_fresh(*second, now, 2).status, Status::ok);
    EXPECT_EQ(second->parameters().values, whole->parameters().values) << stop_at;
  }
}

TEST(ProgramTraining, AFileHasTheProgramAndTheWeights) {
  const TemporaryFolder folder;
  const auto path = folder / "rule.safetensors";
  const auto model = two_programs();
  ASSERT_EQ(train_fresh(*model, {.epochs = 1, .batch = 8}, 1).status, Status::ok);
  save_model(path, *model);
  const auto again = load_model(path, builtin_models());
  EXPECT_EQ(again->parameters().values, model->parameters().values);
  EXPECT_EQ(again->config().programs, model->config().programs);
  EXPECT_EQ(again->config().p, 0u);
  for (const std::size_t p : {1, 2, 11}) {
    const ToyData data(1, p, 4);
    const Estimate got = estimate(*again, data.S[0], 30);
    EXPECT_EQ(got.Theta, estimate(*model, data.S[0], 30).Theta);
    EXPECT_EQ(got.status, Status::ok);
  }
}

TEST(ProgramModels, RefuseWhatDoesNotFit) {
  const program::PaperPrograms five{5};
  expect_error([] { (void)builtin_models().make({.model = "program"}); }, {"no program"});
  expect_error([&] { (void)make_program_model({five.ubg()}, {.p = 6}, 1); }, {"p = 5", "p = 6"});
  expect_error(
      [&] {
        (void)make_program_model({five.ubg(), five.pnp()}, {.layers = 3}, 1);
      },
      {"2 programs", "3 layers"});
  expect_error([&] { (void)make_program_model({five.ubg()}, {.standardized = true}, 1); },
               {"standardized"});
  expect_error(
      [] { (void)builtin_models().make({.model = "program", .programs = {"{\"format\": 3}"}}); },
      {"model program"});
}

}  // namespace
}  // namespace spodnet::test
