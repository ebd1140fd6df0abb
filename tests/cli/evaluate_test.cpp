#include <gtest/gtest.h>

#include "cli/command.hpp"
#include "spodnet/generate/dataset.hpp"
#include "spodnet/io/csv.hpp"
#include "spodnet/metrics/likelihood.hpp"
#include "spodnet/metrics/nmse.hpp"
#include "spodnet/models/model_file.hpp"
#include "spodnet/tables/covariance.hpp"
#include "support/engine_calls.hpp"

namespace spodnet::test {
namespace {

struct CliEvaluate : testing::Test {
  TemporaryFolder folder;

  CliEvaluate() {
    for (const std::string model : {"ubg", "e2e"})
      EXPECT_EQ(spodnet(folder, "train --p 5 --n 20 --count 30 --epochs 2 --model " + model +
                                    " -o " + model + ".safetensors")
                    .status,
                0);
    EXPECT_EQ(spodnet(folder,
                      "generate --p 5 --n 20 --count 7 --seed 9 --samples -o "
                      "d.safetensors")
                  .status,
              0);
  }
  CommandResult evaluate(const std::string& more) const {
    return spodnet(folder, "evaluate --data d.safetensors " + more);
  }
};

// The same mean NMSE, one matrix after the other through the library.
TEST_F(CliEvaluate, MeansAreThoseOfTheLibrary) {
  const CommandResult result =
      evaluate("--method ubg.safetensors --method e2e.safetensors --json --threads 2");
  ASSERT_EQ(result.status, 0) << result.err;
  const auto json = result.json();
  EXPECT_EQ(json["count"], 7);
  EXPECT_EQ(json["p"], 5);
  EXPECT_EQ(json["n"], 20);
  ASSERT_EQ(json["methods"].size(), 2u);
  const DataSet data = load_dataset(folder / "d.safetensors");
  for (const auto& method : json["methods"]) {
    const auto model = load_model(folder / method["method"].get<std::string>(), builtin_models());
    double mean = 0;
    for (std::size_t k = 0; k < 7; ++k)
      mean += nmse(estimate(*model, data.S[k], 20).Theta, data.Theta_true[k]) / 7;
    EXPECT_NEAR(method["nmse"].get<double>(), mean, 1e-12);
    EXPECT_EQ(method["is_spd"], 1);
    EXPECT_EQ(method["failures"], 0);
    for (const char* key :
         {"f1", "f1_offdiag", "precision", "recall", "matthews", "hamming", "density", "eig_min",
          "eig_max", "condition", "residual", "modularity", "communities", "seconds"})
      EXPECT_TRUE(method[key].is_number()) << key;
    EXPECT_TRUE(method["log_likelihood"].is_null()) << "nothing was held out";
  }
}

TEST_F(CliEvaluate, HeldOutSamplesGiveTheLogLikelihood) {
  const CommandResult result = evaluate("--method ubg.safetensors --held-out 0.25 --json");
  ASSERT_EQ(result.status, 0) << result.err;
  EXPECT_EQ(result.json()["n"], 15);
  const DataSet data = load_dataset(folder / "d.safetensors");
  const auto model = load_model(folder / "ubg.safetensors", builtin_models());
  double mean = 0;
  for (std::size_t k = 0; k < 7; ++k) {
    const Matrix kept = data.X[k].topRows(15), rest = data.X[k].bottomRows(5);
    const Matrix Theta = estimate(*model, empirical_covariance(kept), 15).Theta;
    mean += held_out_log_likelihood(rest, column_means(kept), Theta) / 7;
  }
  EXPECT_NEAR(result.json()["methods"][0]["log_likelihood"].get<double>(), mean, 1e-9);
}

TEST_F(CliEvaluate, PerMatrixTableAveragesToTheMeans) {
  const CommandResult result = evaluate("--method ubg.safetensors --per-matrix s.csv --json");
  ASSERT_EQ(result.status, 0) << result.err;
  std::istringstream in(read_bytes(folder / "s.csv"));
  std::string line;
  std::getline(in, line);
  EXPECT_TRUE(line.starts_with("method,matrix,index,status,seconds,nmse,f1,f1_offdiag,")) << line;
  double sum = 0;
  int rows = 0;
  for (; std::getline(in, line); ++rows) {
    EXPECT_TRUE(line.starts_with("ubg.safetensors,Theta," + std::to_string(rows) + ",ok,")) << line;
    std::istringstream cells(line);
    std::string cell;
    for (int k = 0; k <= 5; ++k) std::getline(cells, cell, ',');
    sum += std::stod(cell);
  }
  EXPECT_EQ(rows, 7);
  EXPECT_NEAR(sum / 7, result.json()["methods"][0]["nmse"].get<double>(), 1e-12);
}

TEST_F(CliEvaluate, PrintsATable) {
  const CommandResult result = evaluate("--method ubg.safetensors --method e2e.safetensors");
  ASSERT_EQ(result.status, 0) << result.err;
  for (const char* part : {"7 matrices, p = 5, n = 20", "ubg.safetensors", "e2e.safetensors",
                           "nmse", "f1_offdiag", "is_spd", "seconds per matrix"})
    EXPECT_NE(result.out.find(part), std::string::npos) << part;
}

TEST_F(CliEvaluate, ATableWithoutTruthLeavesItsScoresOut) {
  const DataSet data = load_dataset(folder / "d.safetensors");
  write_csv(folder / "x.csv", {{}, {}, data.X[0]});
  const CommandResult result =
      spodnet(folder, "evaluate --data x.csv --method ubg.safetensors --json");
  ASSERT_EQ(result.status, 0) << result.err;
  EXPECT_TRUE(result.json()["methods"][0]["nmse"].is_null());
  EXPECT_TRUE(result.json()["methods"][0]["density"].is_number());
}

TEST_F(CliEvaluate, OneNameWithTwoSettingsIsToldApart) {
  const CommandResult result =
      evaluate("--method glasso:lambda=0.1 --method glasso:lambda=0.4 --json");
  ASSERT_EQ(result.status, 0) << result.err;
  const auto methods = result.json()["methods"];
  EXPECT_EQ(methods[0]["method"], "glasso:lambda=0.1");
  EXPECT_EQ(methods[1]["method"], "glasso:lambda=0.4");
  EXPECT_GT(methods[0]["density"], methods[1]["density"]);
}

TEST_F(CliEvaluate, GladIsScoredTwice) {
  ASSERT_EQ(
      spodnet(folder, "train --model glad --p 5 --n 20 --count 20 --epochs 1 -o g.safetensors")
          .status,
      0);
  const CommandResult result = evaluate("--method g.safetensors --json");
  ASSERT_EQ(result.json()["methods"].size(), 2u) << result.err;
  EXPECT_EQ(result.json()["methods"][0]["matrix"], "Theta");
  EXPECT_EQ(result.json()["methods"][1]["matrix"], "Z");
  EXPECT_EQ(result.json()["methods"][0]["is_spd"], 1);
}

}  // namespace
}  // namespace spodnet::test
