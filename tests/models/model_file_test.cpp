#include "spodnet/models/model_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "spodnet/core/error.hpp"
#include "support/temporary_folder.hpp"
#include "support/toy_model.hpp"

namespace spodnet {
namespace {

using test::TemporaryFolder;
using test::ToyModel;

struct ModelFile : testing::Test {
  TemporaryFolder folder;
  ModelRegistry models = test::toy_registry();

  std::unique_ptr<Model> make() const {
    ModelConfig config;
    config.model = "toy";
    config.p = 4;
    config.layers = 2;
    config.tied = true;
    config.scaling = Scaling::clip;
    config.zeta = 0.1;
    config.init_offset = 1.0 / 3.0;
    config.v_min = 1e-300;
    config.widths["toy"] = 5;
    config.info["train.n"] = "100";
    std::unique_ptr<Model> model = models.make(config);
    model->parameters().initialise(11);
    return model;
  }

  /// The one line with which a changed copy of a valid file is refused.
  template <class Change>
  std::string refusal(Change change) const {
    TensorFile file = model_to_tensors(*make());
    change(file);
    try {
      (void)model_from_tensors(file, "m.safetensors", models);
    } catch (const Error& error) {
      const std::string text = error.what();
      EXPECT_EQ(text.rfind("m.safetensors: ", 0), 0u) << text;
      EXPECT_EQ(text.find('\n'), std::string::npos) << text;
      return text;
    }
    ADD_FAILURE() << "accepted";
    return "";
  }
};

#define EXPECT_REFUSED(part, ...)                          \
  do {                                                     \
    const std::string text = refusal(__VA_ARGS__);         \
    EXPECT_NE(text.find(part), std::string::npos) << text; \
  } while (false)

TEST_F(ModelFile, ComesBackBitForBit) {
  const std::unique_ptr<Model> model = make();
  save_model(folder / "m.safetensors", *model);
  const std::unique_ptr<Model> again = load_model(folder / "m.safetensors", models);
  EXPECT_EQ(again->parameters().values, model->parameters().values);
  const ModelConfig &a = again->config(), &b = model->config();
  EXPECT_EQ(a.model, b.model);
  EXPECT_EQ(a.p, b.p);
  EXPECT_EQ(a.layers, b.layers);
  EXPECT_EQ(a.tied, b.tied);
  EXPECT_EQ(a.scaling, b.scaling);
  EXPECT_EQ(a.zeta, b.zeta);
  EXPECT_EQ(a.learn_offset, b.learn_offset);
  EXPECT_EQ(a.init_offset, b.init_offset);
  EXPECT_EQ(a.v_min, b.v_min);
  EXPECT_EQ(a.info, b.info);
  EXPECT_EQ(a.widths.at("toy"), 5u) << "hidden widths come from the shapes";
}

TEST_F(ModelFile, NoFlippedBitChangesTheModelInSilence) {
  const std::unique_ptr<Model> model = make();
  const auto path = folder / "m.safetensors";
  save_model(path, *model);
  std::stringstream whole;
  whole << std::ifstream(path, std::ios::binary).rdbuf();
  const std::string bytes = whole.str();
  std::size_t refused = 0, by_checksum = 0;
  for (std::size_t at = 0; at < bytes.size(); ++at) {
    std::string damaged = bytes;
    damaged[at] = char(damaged[at] ^ (1 << (at % 8)));
    std::ofstream(path, std::ios::binary) << damaged;
    try {
      EXPECT_EQ(load_model(path, models)->parameters().values, model->parameters().values) << at;
    } catch (const Error& error) {
      ++refused;
      const std::string line = error.what();
      by_checksum += line.find("damaged") != line.npos && line.find("checksum") != line.npos;
    }
  }
  // What remains: the name of the checksum itself, without which a file is one of another program.
  EXPECT_GE(refused, bytes.size() - std::string("checksum").size());
  EXPECT_GE(by_checksum, model->parameters().values.size() * sizeof(double));
}

TEST_F(ModelFile, WithoutAChecksumItIsReadAsBefore) {
  const std::unique_ptr<Model> model = make();
  const TensorFile file = model_to_tensors(*model);
  ASSERT_FALSE(file.metadata.contains("checksum"));
  write_safetensors(folder / "m.safetensors", file);
  EXPECT_EQ(load_model(folder / "m.safetensors", models)->parameters().values,
            model->parameters().values);
}

TEST_F(ModelFile, AChecksumIsNoInformationThatIsHandedOn) {
  save_model(folder / "m.safetensors", *make());
  const auto model = load_model(folder / "m.safetensors", models);
  EXPECT_FALSE(model->config().info.contains("checksum"));
}

TEST_F(ModelFile, LearnedOffsetIsAWord) {
  TensorFile file = model_to_tensors(*make());
  file.metadata["init_offset"] = "learned";
  EXPECT_TRUE(model_from_tensors(file, "m", models)->config().learn_offset);
}

TEST_F(ModelFile, NeverWritesNan) {
  std::unique_ptr<Model> model = make();
  model->parameters().values[2] = NAN;
  EXPECT_THROW(save_model(folder / "m.safetensors", *model), Error);
  EXPECT_FALSE(std::filesystem::exists(folder / "m.safetensors"));
}

TEST_F(ModelFile, RefusesOtherFormats) {
  EXPECT_REFUSED("'format' is missing", [](TensorFile& f) { f.metadata.erase("format"); });
  EXPECT_REFUSED("newer", [](TensorFile& f) { f.metadata["format"] = "spodnet-2"; });
  EXPECT_REFUSED("checkpoint",
                 [](TensorFile& f) { f.metadata["format"] = "spodnet-checkpoint-1"; });
  EXPECT_REFUSED("not a model", [](TensorFile& f) { f.metadata["format"] = "gguf\n"; });
}

TEST_F(ModelFile, RefusesBadMetadata) {
  for (const char* key :
       {"model", "p", "layers", "tied", "scaling", "zeta", "init_offset", "v_min"})
    EXPECT_REFUSED(std::string("'") + key + "' is missing",
                   [&](TensorFile& f) { f.metadata.erase(key); });
  const std::pair<const char*, const char*> wrong[] = {
      {"p", "0"},           {"p", "-4"},
      {"p", "4.5"},         {"p", "99999999999999999999"},
      {"p", "90000"},       {"layers", "0"},
      {"tied", "1"},        {"scaling", "Clip"},
      {"zeta", "0"},        {"zeta", "nan"},
      {"zeta", "inf"},      {"v_min", "-1"},
      {"init_offset", ""},  {"init_offset", "learn"},
      {"init_offset", "-1"}};
  for (const auto& entry : wrong)
    EXPECT_REFUSED(std::string("'") + entry.first + "'",
                   [&](TensorFile& f) { f.metadata[entry.first] = entry.second; });
  EXPECT_REFUSED("unknown model", [](TensorFile& f) { f.metadata["model"] = "lasso"; });
  EXPECT_REFUSED("unknown model '\\x1B[31m'",
                 [](TensorFile& f) { f.metadata["model"] = "\x1B[31m"; });
  EXPECT_REFUSED("layers", [](TensorFile& f) {
    f.metadata["tied"] = "false";
    f.metadata["layers"] = "99999";
  });
}

TEST_F(ModelFile, RefusesBadTensors) {
  const std::string weight = "layers.0.toy.0.weight", bias = "layers.0.toy.0.bias";
  EXPECT_REFUSED("missing", [&](TensorFile& f) { f.tensors.erase(bias); });
  EXPECT_REFUSED("shape [2], expected [1]", [&](TensorFile& f) {
    f.tensors[bias] = {{2}, {1, 2}};
  });
  EXPECT_REFUSED("has shape [5], expected", [&](TensorFile& f) { f.tensors[weight].shape = {5}; });
  EXPECT_REFUSED("not finite at index 3",
                 [&](TensorFile& f) { f.tensors[weight].values[3] = NAN; });
  EXPECT_REFUSED("not finite", [&](TensorFile& f) { f.tensors[bias].values[0] = -INFINITY; });
  EXPECT_REFUSED("unknown", [](TensorFile& f) { f.tensors["layers.1.toy.0.bias"] = {{1}, {0}}; });
}

TEST(ModelFileSizes, AreNotBelievedBeforeTheyAreStored) {
  ModelConfig config;
  config.model = "e2e";
  config.p = 4;
  TensorFile file = model_to_tensors(*builtin_models().make(config));
  file.metadata["p"] = "8000";
  file.tensors.erase("layers.0.f.phi.0.weight");  // the usual width: 1.28e9 parameters
  try {
    model_from_tensors(file, "m", builtin_models());
    FAIL() << "taken for a model of 8000 variables";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("far more than are stored"));
  }
}

TEST_F(ModelFile, RefusesTruncatedFiles) {
  save_model(folder / "m.safetensors", *make());
  std::ifstream in(folder / "m.safetensors", std::ios::binary);
  const std::string bytes((std::istreambuf_iterator<char>(in)), {});
  for (std::size_t size = 0; size < bytes.size(); size += 7) {
    std::ofstream(folder / "cut.safetensors", std::ios::binary) << bytes.substr(0, size);
    EXPECT_THROW((void)load_model(folder / "cut.safetensors", models), Error) << size;
  }
  EXPECT_THROW((void)load_model(folder / "absent.safetensors", models), Error);
}

}  // namespace
}  // namespace spodnet
