#include <gtest/gtest.h>

#include "cli/command.hpp"
#include "spodnet/core/parse.hpp"
#include "spodnet/io/csv.hpp"
#include "spodnet/models/model_file.hpp"
#include "spodnet/train/preset.hpp"

namespace spodnet::test {
namespace {

const std::string kSmall = "train --p 6 --n 20 --count 40 --epochs 4 -o m.safetensors ";

TEST(CliTrain, EndsWithOneJsonObject) {
  const TemporaryFolder folder;
  const CommandResult result = spodnet(folder, kSmall + "--json");
  ASSERT_EQ(result.status, 0) << result.err;
  EXPECT_EQ(result.err, "");
  const auto json = result.json();
  for (const char* key : {"train_loss", "train_nmse", "valid_nmse", "valid_f1", "valid_f1_offdiag",
                          "eig_min", "condition", "density", "seconds", "seconds_per_step"})
    EXPECT_TRUE(json.at(key).is_number()) << key;
  EXPECT_EQ(json["status"], "ok");
  EXPECT_EQ(json["steps"], 4 * 4);  // 36 matrices for training, 4 for validation, batch 10
  EXPECT_GT(json["peak_rss_bytes"], 1'000'000);
  EXPECT_LT(json["seconds_per_step"].get<double>() * 16, json["seconds"].get<double>());
  EXPECT_FALSE(std::filesystem::exists(folder / "m.safetensors.checkpoint"));
}

TEST(CliTrain, InitMayLackAPartThatBeginsWithoutEffect) {
  const TemporaryFolder folder;
  const std::string any = "train --model pnp-any --p 6 --n 20 --count 40 --epochs 1 ";
  ASSERT_EQ(spodnet(folder, any + "-o m.safetensors").status, 0);
  const std::string wider =
      "train --init m.safetensors --width lambda_adapt=4 psi_adapt=4 --p 6 --n 20 --count 40 "
      "--epochs 1 --lr 1e-12 -o w.safetensors";
  const CommandResult result = spodnet(folder, wider);
  ASSERT_EQ(result.status, 0) << result.err;
  ASSERT_EQ(spodnet(folder, "generate --p 9 --n 20 --count 5 -o d.safetensors").status, 0);
  const auto json =
      spodnet(folder,
              "evaluate --data d.safetensors --method m.safetensors --method w.safetensors --json")
          .json();
  const double before = json["methods"][0]["nmse"], after = json["methods"][1]["nmse"];
  EXPECT_NEAR(after, before, 1e-8 * before);
  EXPECT_EQ(load_model(folder / "w.safetensors", builtin_models())->config().widths.at("psi_adapt"),
            4u);
}

TEST(CliTrain, RefusesWidthsThatFitNothing) {
  const TemporaryFolder folder;
  ASSERT_EQ(spodnet(folder, kSmall + "--width lambda=7").status, 0);
  const CommandResult other = spodnet(
      folder, "train --init m.safetensors --width lambda=8 --n 20 --count 40 -o w.safetensors");
  EXPECT_EQ(other.status, 2);
  EXPECT_NE(other.err.find("width lambda = 7, asked for is 8"), std::string::npos) << other.err;
  const CommandResult unknown = spodnet(folder, kSmall + "--width lamda=7");
  EXPECT_EQ(unknown.status, 2);
  EXPECT_NE(unknown.err.find("has no part 'lamda'"), std::string::npos) << unknown.err;
}

TEST(CliTrain, WritesHowItWasTrained) {
  const TemporaryFolder folder;
  const CommandResult result =
      spodnet(folder, kSmall + "--alpha 0.7,0.9 --generator mix --lr 0.005 --seed 3 --json");
  ASSERT_EQ(result.status, 0) << result.err;
  const auto model = load_model(folder / "m.safetensors", builtin_models());
  const auto& info = model->config().info;
  EXPECT_EQ(info.at("train.n"), "20");
  EXPECT_EQ(info.at("train.alpha"), "0.7,0.9");
  EXPECT_EQ(info.at("train.generator"), "mix");
  EXPECT_EQ(info.at("train.count"), "36");
  EXPECT_EQ(info.at("train.valid_count"), "4");
  EXPECT_EQ(info.at("train.epochs"), "4");
  EXPECT_EQ(info.at("train.lr"), "0.005");
  EXPECT_EQ(info.at("train.seed"), "3");
  EXPECT_EQ(to_double(info.at("final.valid_nmse")), result.json()["valid_nmse"].get<double>());
}

TEST(CliTrain, OptionsOverrideThePreset) {
  const TemporaryFolder folder;
  const CommandResult result = spodnet(folder, kSmall + "--preset best --lr 0.02 --layers 1");
  ASSERT_EQ(result.status, 0) << result.err;
  const ModelConfig config = load_model(folder / "m.safetensors", builtin_models())->config();
  const Preset best = preset_from("best");
  EXPECT_EQ(config.model, best.model);
  EXPECT_EQ(config.layers, 1);
  EXPECT_EQ(config.scaling, best.scaling);
  EXPECT_EQ(config.learn_offset, best.learn_offset);
  EXPECT_EQ(config.info.at("train.preset"), "best");
  EXPECT_EQ(config.info.at("train.schedule"), to_string(best.schedule));
  EXPECT_EQ(config.info.at("train.lr"), "0.02");
  EXPECT_EQ(config.info.at("train.epochs"), "4");
  EXPECT_EQ(spodnet(folder, kSmall + "--preset worst").status, 2);
}

TEST(CliTrain, HistoryHasOneLinePerEpochAndTheBestOneWasKept) {
  const TemporaryFolder folder;
  const CommandResult result = spodnet(folder, kSmall + "--history h.csv --json");
  ASSERT_EQ(result.status, 0) << result.err;
  const Table history = read_csv(folder / "h.csv");
  EXPECT_EQ(
      history.columns,
      (std::vector<std::string>{"epoch", "train_loss", "train_nmse", "valid_nmse", "valid_f1",
                                "valid_f1_offdiag", "eig_min", "condition", "density", "seconds"}));
  ASSERT_EQ(history.values.rows(), 4);
  EXPECT_TRUE(history.values.allFinite());
  EXPECT_EQ(history.values.col(3).minCoeff(), result.json()["valid_nmse"].get<double>());
}

TEST(CliTrain, ValidationAsFileFractionOrNone) {
  const TemporaryFolder folder;
  ASSERT_EQ(spodnet(folder, "generate --p 4 --n 9 --count 20 -o d.safetensors").status, 0);
  ASSERT_EQ(spodnet(folder, "generate --p 4 --n 9 --count 7 --seed 5 -o v.safetensors").status, 0);
  const auto counts = [&](const std::string& options) {
    const CommandResult result =
        spodnet(folder, "train --epochs 2 --data d.safetensors -o m.safetensors " + options);
    EXPECT_EQ(result.status, 0) << result.err;
    const auto info = load_model(folder / "m.safetensors", builtin_models())->config().info;
    return std::pair(info.at("train.count"), info.at("train.valid_count"));
  };
  using Counts = std::pair<std::string, std::string>;
  EXPECT_EQ(counts(""), Counts("20", "0"));
  EXPECT_EQ(counts("--valid none"), Counts("20", "0"));
  EXPECT_EQ(counts("--valid 0"), Counts("20", "0"));
  EXPECT_EQ(counts("--valid 0.25"), Counts("15", "5"));
  EXPECT_EQ(counts("--valid v.safetensors"), Counts("20", "7"));
}

TEST(CliTrain, ARangeOfSampleCountsAndFreshMatrices) {
  const TemporaryFolder folder;
  std::string first;
  for (const std::string threads : {"1", "3"}) {
    const CommandResult result =
        spodnet(folder,
                "train --p 6 --n 4:200 --generator mix --loss nmse --fresh --count 20 --epochs 5 "
                "-o m.safetensors --json --threads " +
                    threads);
    ASSERT_EQ(result.status, 0) << result.err;
    EXPECT_EQ(result.json()["steps"], 10);  // all 20 are for training
    const std::string bytes = read_bytes(folder / "m.safetensors");
    if (first.empty()) first = bytes;
    EXPECT_EQ(bytes, first);
  }
  const auto info = load_model(folder / "m.safetensors", builtin_models())->config().info;
  EXPECT_EQ(info.at("train.n"), "4:200");
  EXPECT_EQ(info.at("train.fresh"), "true");
  EXPECT_EQ(info.at("train.count"), "20");
  EXPECT_EQ(info.at("train.valid_count"), "2");
}

TEST(CliTrain, GeneratedDataAreThoseOfAFileOfTheSameSeed) {
  const TemporaryFolder folder;
  const std::string data = "--p 5 --n 12 --count 10 --seed 4 ";
  ASSERT_EQ(spodnet(folder, "generate " + data + "-o d.safetensors").status, 0);
  const auto weights = [&](const std::string& options) {
    const CommandResult result =
        spodnet(folder, "train --epochs 2 --valid none -o m.safetensors " + options);
    EXPECT_EQ(result.status, 0) << result.err;
    return load_model(folder / "m.safetensors", builtin_models())->parameters().values;
  };
  EXPECT_EQ(weights(data), weights("--data d.safetensors --seed 4"));
}

TEST(CliTrain, SameBytesForAnyNumberOfThreads) {
  for (const std::string model : {"ubg", "pnp", "e2e", "glad"}) {
    const TemporaryFolder folder;
    std::string first;
    for (const std::string threads : {"1", "2", "5"}) {
      const CommandResult result =
          spodnet(folder, kSmall + "--batch 9 --model " + model + " --threads " + threads);
      ASSERT_EQ(result.status, 0) << result.err;
      const std::string bytes = read_bytes(folder / "m.safetensors");
      if (first.empty()) first = bytes;
      EXPECT_EQ(bytes, first) << model << " with " << threads << " threads";
    }
  }
}

TEST(CliTrain, EverySettingArrivesInTheModelFile) {
  const TemporaryFolder folder;
  const CommandResult result = spodnet(
      folder, kSmall +
                  "--model pnp --layers 2 --tied --scaling clip --zeta 0.5 "
                  "--init-offset learned --v-min 1e-6 --schedule cosine --clip-grad 3 --loss nmse");
  ASSERT_EQ(result.status, 0) << result.err;
  const auto model = load_model(folder / "m.safetensors", builtin_models());
  const ModelConfig& config = model->config();
  EXPECT_EQ(config.model, "pnp");
  EXPECT_EQ(config.layers, 2);
  EXPECT_TRUE(config.tied);
  EXPECT_EQ(config.scaling, Scaling::clip);
  EXPECT_EQ(config.zeta, 0.5);
  EXPECT_TRUE(config.learn_offset);
  EXPECT_EQ(config.v_min, 1e-6);
  EXPECT_EQ(config.info.at("train.schedule"), "cosine");
  EXPECT_EQ(config.info.at("train.clip_grad"), "3");
  EXPECT_EQ(config.info.at("train.loss"), "nmse");
}

TEST(CliTrain, InitGoesOnWithWeightsAndSettingsOfTheFile) {
  const TemporaryFolder folder;
  ASSERT_EQ(spodnet(folder, kSmall + "--scaling clip --init-offset 0.5").status, 0);
  const CommandResult result =
      spodnet(folder,
              "train --init m.safetensors --n 20 --count 40 --epochs 1 --lr 1e-12 --v-min 0 -o "
              "again.safetensors");
  ASSERT_EQ(result.status, 0) << result.err;
  const auto first = load_model(folder / "m.safetensors", builtin_models());
  const auto again = load_model(folder / "again.safetensors", builtin_models());
  EXPECT_EQ(again->config().p, 6u);
  EXPECT_EQ(again->config().scaling, Scaling::clip);
  EXPECT_EQ(again->config().init_offset, 0.5);
  EXPECT_EQ(again->config().v_min, 0.0);
  for (std::size_t k = 0; k < first->parameters().values.size(); ++k)
    EXPECT_NEAR(again->parameters().values[k], first->parameters().values[k], 1e-10);
}

TEST(CliTrain, NumericalTroubleKeepsTheLastGoodWeights) {
  const TemporaryFolder folder;
  const CommandResult result =
      spodnet(folder, "train --p 6 --n 20 --count 40 --epochs 4 --lr 1e300 -o m.safetensors");
  EXPECT_EQ(result.status, 1) << result.out;
  EXPECT_NE(result.err.find("not finite"), std::string::npos) << result.err;
  const auto model = load_model(folder / "m.safetensors", builtin_models());
  EXPECT_EQ(model->config().info.at("train.status"), "not_finite");
}

}  // namespace
}  // namespace spodnet::test
