#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <functional>

#include "spodnet/core/error.hpp"
#include "spodnet/generate/dataset.hpp"
#include "spodnet/io/safetensors.hpp"
#include "support/temporary_folder.hpp"

namespace spodnet {
namespace {

using testing::HasSubstr;

class DataSetFile : public testing::Test {
 protected:
  DataSet generate(bool keep_samples) {
    ThreadPool pool(1);
    return generate_dataset({.p = 4, .n = 7, .count = 3, .seed = 11, .keep_samples = keep_samples},
                            pool);
  }

  /// Saves a good file, spoils it, and returns the line load_dataset refuses it with.
  std::string refusal(const std::function<void(TensorFile&)>& spoil) {
    save_dataset(path, generate(true));
    TensorFile file = read_safetensors(path);
    spoil(file);
    write_safetensors(path, file);
    try {
      load_dataset(path);
    } catch (const Error& error) {
      EXPECT_THAT(error.what(), HasSubstr(path.string()));
      EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos);
      return error.what();
    }
    return "accepted";
  }

  test::TemporaryFolder folder;
  std::filesystem::path path = folder / "set.safetensors";
};

TEST_F(DataSetFile, RoundTripIsExact) {
  for (bool keep_samples : {false, true}) {
    const DataSet data = generate(keep_samples);
    save_dataset(path, data);
    const DataSet back = load_dataset(path);
    EXPECT_EQ(back.S.values, data.S.values);
    EXPECT_EQ(back.Theta_true.values, data.Theta_true.values);
    EXPECT_EQ(back.X.values, data.X.values);
    EXPECT_EQ(back.X.count, data.X.count);
    EXPECT_EQ(back.count(), 3u);
    EXPECT_EQ(back.p(), 4u);
    EXPECT_EQ(back.n, 7);
    EXPECT_EQ(back.info, data.info);
  }
}

TEST_F(DataSetFile, NamesShapesAndMetadataAsSpecified) {
  save_dataset(path, generate(true));
  const TensorFile file = read_safetensors(path);
  EXPECT_EQ(file.tensors.at("S").shape, (std::vector<std::size_t>{3, 4, 4}));
  EXPECT_EQ(file.tensors.at("Theta_true").shape, (std::vector<std::size_t>{3, 4, 4}));
  EXPECT_EQ(file.tensors.at("X").shape, (std::vector<std::size_t>{3, 7, 4}));
  EXPECT_EQ(file.metadata.at("n"), "7");
  EXPECT_EQ(file.metadata.at("alpha"), "0.95");
  EXPECT_EQ(file.metadata.at("seed"), "11");
}

TEST_F(DataSetFile, TruthSamplesAndCountAreOptional) {
  DataSet data = generate(false);
  data.Theta_true = {};
  data.n = 0;
  save_dataset(path, data);
  const DataSet back = load_dataset(path);
  EXPECT_TRUE(back.Theta_true.empty());
  EXPECT_TRUE(back.X.empty());
  EXPECT_EQ(back.n, 0);
}

TEST_F(DataSetFile, SampleCountFromTheSamplesWhenNotStated) {
  DataSet data = generate(true);
  data.n = 0;
  save_dataset(path, data);
  EXPECT_EQ(load_dataset(path).n, 7);
}

TEST_F(DataSetFile, ReadsTheRecordedReferences) {
  const std::filesystem::path golden = SPODNET_GOLDEN_DIR;
  const DataSet batch = load_dataset(golden / "spodnet/ubg_p5.safetensors");
  EXPECT_EQ(batch.count(), 2u);
  EXPECT_EQ(batch.p(), 5u);
  EXPECT_EQ(batch.n, 50);
  const DataSet single = load_dataset(golden / "baselines/p5_n50.safetensors");
  EXPECT_EQ(single.count(), 1u);
  EXPECT_EQ(single.X.rows, 50u);
}

TEST_F(DataSetFile, RoundingIsMendedAndMistakesAreRefused) {
  save_dataset(path, generate(false));
  TensorFile file = read_safetensors(path);
  file.tensors["S"].values[1] *= 1 + 1e-9;
  write_safetensors(path, file);
  const DataSet data = load_dataset(path);
  EXPECT_EQ(Matrix(data.S[0]), Matrix(data.S[0].transpose()));

  EXPECT_THAT(refusal([](TensorFile& f) { f.tensors["S"].values[16 + 1] += 1; }),
              HasSubstr("S[1]: not symmetric"));
  EXPECT_THAT(refusal([](TensorFile& f) { f.tensors["Theta_true"].values[1] += 1; }),
              HasSubstr("Theta_true[0]: not symmetric"));
}

TEST_F(DataSetFile, RefusesValuesThatAreNotFinite) {
  for (const char* name : {"S", "Theta_true", "X"})
    for (double value : {double(NAN), double(INFINITY)})
      EXPECT_THAT(refusal([&](TensorFile& f) { f.tensors[name].values[5] = value; }),
                  HasSubstr(std::string(name) + "[0]"));
}

TEST_F(DataSetFile, RefusesShapesThatDisagree) {
  EXPECT_THAT(refusal([](TensorFile& f) { f.tensors.erase("S"); }), HasSubstr("no tensor S"));
  EXPECT_THAT(refusal([](TensorFile& f) {
                f.tensors["S"].shape = {3, 2, 8};
              }),
              HasSubstr("not a square matrix"));
  EXPECT_THAT(refusal([](TensorFile& f) { f.tensors["S"].shape = {48}; }), HasSubstr("shape [48]"));
  EXPECT_THAT(refusal([](TensorFile& f) {
                f.tensors["S"] = {{0, 4, 4}, {}};
              }),
              HasSubstr("shape [0,4,4]"));
  EXPECT_THAT(refusal([](TensorFile& f) {
                f.tensors["Theta_true"] = {{1, 4, 4}, std::vector<double>(16, 1.0)};
              }),
              HasSubstr("Theta_true has shape [1,4,4]"));
  EXPECT_THAT(refusal([](TensorFile& f) {
                f.tensors["X"].shape = {3, 4, 7};
              }),
              HasSubstr("X has shape [3,4,7]"));
}

TEST_F(DataSetFile, RefusesASampleCountThatMakesNoSense) {
  for (const char* text : {"", "many", "-3", "nan", "7x", "8"})
    EXPECT_THAT(refusal([&](TensorFile& f) { f.metadata["n"] = text; }), HasSubstr("metadata n"))
        << text;
}

TEST_F(DataSetFile, RefusesToSaveNothing) { EXPECT_THROW(save_dataset(path, DataSet{}), Error); }

}  // namespace
}  // namespace spodnet
