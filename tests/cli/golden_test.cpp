#include <gtest/gtest.h>

#include "cli/command.hpp"
#include "spodnet/core/parse.hpp"
#include "spodnet/io/csv.hpp"
#include "spodnet/io/safetensors.hpp"

namespace spodnet::test {
namespace {

/// One recorded case and the tolerances golden/README.md gives it.
struct Golden {
  const char* name;
  double outputs;
  std::size_t losses;  ///< how many Adam losses are compared; training amplifies rounding
};

void PrintTo(const Golden& golden, std::ostream* out) { *out << golden.name; }

class CliGolden : public testing::TestWithParam<Golden> {
 protected:
  TemporaryFolder folder;
  const std::string path =
      std::string(SPODNET_GOLDEN_DIR "/spodnet/") + GetParam().name + ".safetensors";
  const TensorFile golden = read_safetensors(path);

  /// The recorded parameters as a model file, the way another program would write one.
  void write_model() const {
    TensorFile file;
    file.metadata = {{"format", "spodnet-1"},
                     {"model", golden.metadata.at("model")},
                     {"p", golden.metadata.at("p")},
                     {"layers", golden.metadata.at("layers")},
                     {"tied", "true"},
                     {"scaling", "normalize"},
                     {"zeta", "1"},
                     {"init_offset", "1"},
                     {"v_min", "0"}};
    for (const auto& [name, tensor] : golden.tensors)
      if (name.starts_with("param.")) file.tensors["layers.0." + name.substr(6)] = tensor;
    write_safetensors(folder / "m.safetensors", file);
  }
};

double relative_difference(const Tensor& a, const Tensor& b) {
  EXPECT_EQ(a.shape, b.shape);
  double difference = 0, norm = 0;
  for (std::size_t k = 0; k < a.values.size(); ++k) {
    difference += (a.values[k] - b.values[k]) * (a.values[k] - b.values[k]);
    norm += b.values[k] * b.values[k];
  }
  return std::sqrt(difference / norm);
}

TEST_P(CliGolden, EstimateGivesThetaAndW) {
  write_model();
  const CommandResult result =
      spodnet(folder, {"estimate", path, "--method", "m.safetensors", "-o", "out.safetensors"});
  ASSERT_EQ(result.status, 0) << result.err;
  const TensorFile out = read_safetensors(folder / "out.safetensors");
  EXPECT_LE(relative_difference(out.tensors.at("Theta"), golden.tensors.at("Theta_out")),
            GetParam().outputs);
  EXPECT_LE(relative_difference(out.tensors.at("W"), golden.tensors.at("W_out")),
            GetParam().outputs);
}

TEST_P(CliGolden, TrainGivesTheAdamLosses) {
  write_model();
  const std::string count = std::to_string(golden.tensors.at("S").shape[0]);
  const CommandResult result =
      spodnet(folder, {"train", "--init", "m.safetensors", "--v-min", "0", "--data", path,
                       "--batch", count, "--epochs", "10", "--lr", "0.01", "--history", "h.csv",
                       "-o", "trained.safetensors"});
  ASSERT_EQ(result.status, 0) << result.err;
  const Table history = read_csv(folder / "h.csv");
  const std::vector<double>& losses = golden.tensors.at("adam_losses").values;
  for (std::size_t k = 0; k < GetParam().losses; ++k)
    EXPECT_NEAR(history.values(Eigen::Index(k), 1), losses[k], 1e-7 * losses[k]) << "step " << k;
}

INSTANTIATE_TEST_SUITE_P(AllSeven, CliGolden,
                         testing::Values(Golden{"ubg_p5", 1e-9, 10}, Golden{"ubg_p20", 1e-9, 8},
                                         Golden{"ubg_p12_k2", 1e-8, 2}, Golden{"pnp_p5", 1e-9, 10},
                                         Golden{"pnp_p20", 1e-9, 10}, Golden{"e2e_p5", 1e-9, 10},
                                         Golden{"e2e_p20", 1e-9, 10}),
                         [](const auto& each) { return each.param.name; });

}  // namespace
}  // namespace spodnet::test
