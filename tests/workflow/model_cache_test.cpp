#include "spodnet/workflow/model_cache.hpp"

#include <gtest/gtest.h>

#include "spodnet/io/safetensors.hpp"
#include "support/engine_calls.hpp"
#include "support/shaped_table.hpp"
#include "support/temporary_folder.hpp"

namespace spodnet::test {
namespace {

TEST(ModelCache, KeepsFindsListsAndClears) {
  const TemporaryFolder folder;
  const ModelCache cache(folder.path() / "deep" / "cache");
  const TrainingPlan plan = quick_plan(5, 30);
  const auto model = builtin_models().make(plan.model);
  model->parameters().initialise(4);
  EXPECT_EQ(cache.find(plan, builtin_models()), nullptr);
  EXPECT_TRUE(cache.list().empty());
  cache.keep(plan, *model);
  const auto found = cache.find(plan, builtin_models());
  ASSERT_NE(found, nullptr);
  EXPECT_EQ(found->parameters().values, model->parameters().values);
  ASSERT_EQ(cache.list().size(), 1u);
  EXPECT_EQ(cache.list()[0].info.at("train.n"), "30");
  EXPECT_TRUE(cache.list()[0].current);

  std::ofstream(cache.folder() / "mine.txt") << "keep me";
  std::ofstream(cache.path_for(plan)) << "damaged";
  EXPECT_EQ(cache.find(plan, builtin_models()), nullptr);
  EXPECT_EQ(cache.clear(), 1u);
  EXPECT_TRUE(std::filesystem::exists(cache.folder() / "mine.txt"));
}

TEST(ModelCache, DamageIsNoticedAndSaid) {
  const TemporaryFolder folder;
  const ModelCache cache(folder.path());
  const TrainingPlan plan = quick_plan(5, 30);
  const auto model = builtin_models().make(plan.model);
  model->parameters().initialise(4);
  cache.keep(plan, *model);
  std::string damage;
  EXPECT_NE(cache.find(plan, builtin_models(), &damage), nullptr);
  EXPECT_EQ(damage, "");
  TensorFile file = read_safetensors(cache.path_for(plan));
  const TensorFile whole = file;
  file.tensors.begin()->second.values[0] += 1e-9;
  write_safetensors(cache.path_for(plan), file);
  EXPECT_EQ(cache.find(plan, builtin_models(), &damage), nullptr);
  EXPECT_NE(damage.find("checksum"), damage.npos) << damage;
  file = whole;
  file.metadata.erase("checksum");  // every file of the cache has one
  write_safetensors(cache.path_for(plan), file);
  EXPECT_EQ(cache.find(plan, builtin_models(), &damage), nullptr);
}

TEST(ModelCache, ModelsOfAnotherVersionAreListedAndClearedButNotFound) {
  const TemporaryFolder folder;
  const ModelCache cache(folder.path());
  const TrainingPlan plan = quick_plan(5, 30);
  const auto model = builtin_models().make(plan.model);
  model->parameters().initialise(4);
  cache.keep(plan, *model);
  TensorFile file = read_safetensors(cache.path_for(plan));
  file.metadata["cache"] = "1";
  write_safetensors(cache.path_for(plan), file);
  std::filesystem::create_directory(folder / "auto-folder.safetensors");
  EXPECT_EQ(cache.find(plan, builtin_models()), nullptr);
  ASSERT_EQ(cache.list().size(), 1u);
  EXPECT_FALSE(cache.list()[0].current);
  EXPECT_EQ(cache.clear(), 1u);
}

// A cache hands out what an earlier program has trained. When this fails, a plan trains to another
// model than before: raise kRecipe in model_cache.cpp, so that the earlier ones are trained again,
// and put the new number here.
TEST(ModelCache, ThePlanTrainsToTheModelThatItsVersionStandsFor) {
  TrainingPlan plan = plan_for(5, 30, true);
  plan.count = 40;
  plan.valid = 20;
  plan.starts = 2;
  plan.train.epochs = 1;  // few steps: rounding grows from one to the next
  ThreadPool pool(1);
  const PlannedModel trained = train_plan(plan, builtin_models(), pool);
  EXPECT_NEAR(trained.valid_nmse, 0.6303915797, 1e-7);
}

TEST(ModelCache, EverySettingIsPartOfTheKey) {
  const ModelCache cache("folder");
  const TrainingPlan plan = quick_plan(5, 30);
  std::vector<TrainingPlan> others(9, plan);
  others[0].train.epochs += 1;
  others[1].n += 1;
  others[2].model.layers += 1;
  others[3].standardized = false;
  others[4].alpha.values[0] += 1e-9;
  others[5].seed += 1;
  others[6].train.loss = builtin_loss("mse");
  others[7].generator.condition = LogRange{3, 30};
  others[8].generator.signs = Signs::mixed;
  for (const TrainingPlan& other : others) EXPECT_NE(cache.path_for(other), cache.path_for(plan));
  EXPECT_EQ(cache.path_for(quick_plan(5, 30)), cache.path_for(plan));
}

TEST(ModelCache, DefaultFolderFollowsTheEnvironment) {
  ::setenv("XDG_CACHE_HOME", "/some/where", 1);
  EXPECT_EQ(default_cache_folder(), "/some/where/spodnet");
  ::setenv("XDG_CACHE_HOME", "relative", 1);
  ::setenv("HOME", "/home/x", 1);
  EXPECT_EQ(default_cache_folder(), "/home/x/.cache/spodnet");
}

}  // namespace
}  // namespace spodnet::test
