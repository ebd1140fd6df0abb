#include <gtest/gtest.h>

#include <Eigen/LU>

#include "cli/command.hpp"
#include "spodnet/core/random.hpp"
#include "spodnet/io/csv.hpp"
#include "spodnet/io/npy.hpp"
#include "spodnet/io/safetensors.hpp"
#include "spodnet/models/model_file.hpp"
#include "spodnet/tables/covariance.hpp"
#include "support/engine_calls.hpp"

namespace spodnet::test {
namespace {

/// A folder with a model for three variables and samples of them in several forms.
struct CliEstimate : testing::Test {
  TemporaryFolder folder;
  ModelRegistry models = builtin_models();
  Matrix X = Matrix(12, 3), S;

  CliEstimate() {
    ModelConfig config;
    config.p = 3;
    const auto model = models.make(config);
    model->parameters().initialise(5);
    save_model(folder / "m.safetensors", *model);
    RandomStream random(1);
    for (double& x : X.reshaped()) x = random.normal();
    S = empirical_covariance(X);
    write_csv(folder / "x.csv", {{"height", "weight", "age"}, {}, X});
    write_npy(folder / "x.npy", X);
    write_npy(folder / "s.npy", S);
  }

  CommandResult estimate(const std::string& more) const {
    return spodnet(folder, "estimate --method m.safetensors " + more);
  }
  Matrix expected(const Matrix& covariance) const {
    return test::estimate(*load_model(folder / "m.safetensors", models), covariance, 12).Theta;
  }
};

TEST_F(CliEstimate, ATableHoldsSamplesAndItsNamesAreCarriedThrough) {
  const CommandResult result = estimate("x.csv -o theta.csv --covariance-out w.csv");
  ASSERT_EQ(result.status, 0) << result.err;
  const Table Theta = read_csv(folder / "theta.csv"), W = read_csv(folder / "w.csv");
  const std::vector<std::string> names = {"height", "weight", "age"};
  EXPECT_EQ(Theta.columns, names);
  EXPECT_EQ(Theta.rows, names);
  EXPECT_EQ(W.columns, names);
  EXPECT_EQ(Theta.values, expected(S)) << "CSV keeps every digit";
  EXPECT_LT((Theta.values * W.values - Matrix::Identity(3, 3)).norm(), 1e-12);
  EXPECT_NE(result.out.find("status ok"), std::string::npos) << result.out;
  EXPECT_NE(result.out.find("edges"), std::string::npos);
  EXPECT_NE(result.out.find("smallest eigenvalue"), std::string::npos);
}

TEST_F(CliEstimate, EveryFormatHoldsTheSameMatrix) {
  for (const char* file : {"a.npy", "a.safetensors", "a.mtx"})
    ASSERT_EQ(estimate(std::string("x.npy -o ") + file).status, 0);
  const Tensor npy = read_npy(folder / "a.npy");
  EXPECT_EQ(npy.shape, (std::vector<std::size_t>{3, 3}));
  const TensorFile file = read_safetensors(folder / "a.safetensors");
  EXPECT_EQ(file.tensors.at("Theta").values, npy.values);
  EXPECT_EQ(file.tensors.at("W").shape, npy.shape);
  EXPECT_TRUE(read_bytes(folder / "a.mtx").starts_with("%%MatrixMarket matrix coordinate"));
  EXPECT_EQ(Matrix(ConstMatrixMap(npy.values.data(), 3, 3)), expected(S));
}

TEST_F(CliEstimate, ASquareSymmetricTableIsAskedAbout) {
  const CommandResult asked = estimate("s.npy -o t.npy");
  EXPECT_EQ(asked.status, 2);
  EXPECT_NE(asked.err.find("--input samples or --input covariance"), std::string::npos);
  EXPECT_FALSE(std::filesystem::exists(folder / "t.npy"));
  ASSERT_EQ(estimate("s.npy --input covariance --samples-count 12 -o t.npy").status, 0);
  EXPECT_EQ(Matrix(ConstMatrixMap(read_npy(folder / "t.npy").values.data(), 3, 3)), expected(S));
  ASSERT_EQ(estimate("s.npy --input samples -o t.npy").status, 0);
  EXPECT_EQ(Matrix(ConstMatrixMap(read_npy(folder / "t.npy").values.data(), 3, 3)),
            expected(empirical_covariance(S)));
}

TEST_F(CliEstimate, UncentredSamples) {
  ASSERT_EQ(estimate("x.csv --uncentred -o t.npy").status, 0);
  EXPECT_EQ(Matrix(ConstMatrixMap(read_npy(folder / "t.npy").values.data(), 3, 3)),
            expected(empirical_covariance(X, {.centred = false})));
}

TEST_F(CliEstimate, AStackGivesAStackOfTheSameShape) {
  ASSERT_EQ(spodnet(folder, "generate --p 3 --n 9 --count 5 -o d.safetensors").status, 0);
  const CommandResult result = estimate("d.safetensors -o out.safetensors --json");
  ASSERT_EQ(result.status, 0) << result.err;
  const TensorFile data = read_safetensors(folder / "d.safetensors");
  const TensorFile out = read_safetensors(folder / "out.safetensors");
  EXPECT_EQ(out.tensors.at("Theta").shape, (std::vector<std::size_t>{5, 3, 3}));
  EXPECT_EQ(out.tensors.at("W").shape, (std::vector<std::size_t>{5, 3, 3}));
  for (std::size_t k = 0; k < 5; ++k) {
    const ConstMatrixMap S_k(data.tensors.at("S").values.data() + 9 * k, 3, 3);
    const ConstMatrixMap Theta(out.tensors.at("Theta").values.data() + 9 * k, 3, 3);
    EXPECT_EQ(Matrix(Theta), expected(S_k));
  }
  EXPECT_EQ(result.json()["matrices"].size(), 5u);
  EXPECT_EQ(result.json()["n"], 9);
  ASSERT_EQ(estimate("d.safetensors -o out.npy").status, 0);
  EXPECT_EQ(read_npy(folder / "out.npy").values, out.tensors.at("Theta").values);
}

TEST_F(CliEstimate, OneMatrixInATensorFileStaysOneMatrix) {
  TensorFile file;
  file.tensors["S"] = {{3, 3}, {S.data(), S.data() + 9}};
  write_safetensors(folder / "one.safetensors", file);
  ASSERT_EQ(estimate("one.safetensors -o out.safetensors").status, 0);
  const TensorFile out = read_safetensors(folder / "out.safetensors");
  EXPECT_EQ(out.tensors.at("Theta").shape, (std::vector<std::size_t>{3, 3}));
}

TEST_F(CliEstimate, JsonHasTheCertificate) {
  const CommandResult result = estimate("x.csv -o t.npy --json");
  ASSERT_EQ(result.status, 0) << result.err;
  const auto json = result.json();
  const Matrix Theta = expected(S);
  EXPECT_EQ(json["status"], "ok");
  EXPECT_EQ(json["p"], 3);
  EXPECT_EQ(json["n"], 12);
  EXPECT_LT(json["residual"], 1e-12);
  EXPECT_EQ(json["edges"], (Theta(0, 1) != 0) + (Theta(0, 2) != 0) + (Theta(1, 2) != 0));
  EXPECT_GT(json["eig_min"], 0);
  EXPECT_TRUE(json["refreshes"].is_number_integer());
  EXPECT_EQ(json["outputs"], nlohmann::json::array({"t.npy"}));
}

TEST_F(CliEstimate, SaysWhichNetworkOfThePretrainedItWas) {
  const std::string words = "estimate x.csv -o t.npy --method pretrained:form=tables";
  const auto json = spodnet(folder, words + " --json").json();
  EXPECT_EQ(json["form"], "tables");
  EXPECT_FALSE(json["details"].contains("tables"));
  EXPECT_NE(spodnet(folder, words).out.find("by the network for tables"), std::string::npos);
}

TEST_F(CliEstimate, ScoresOfAModelSelectionGoToTheirOwnTable) {
  const CommandResult one =
      spodnet(folder, "estimate x.csv --method glasso-cv -o t.npy --scores s.csv --json");
  ASSERT_EQ(one.status, 0) << one.err;
  const Table scores = read_csv(folder / "s.csv");
  EXPECT_EQ(scores.columns.front(), "lambda");
  EXPECT_GT(scores.values.rows(), 4);
  const double lambda = one.json()["details"]["lambda"];
  EXPECT_EQ((scores.values.col(0).array() == lambda).count(), 1) << "the chosen one is among them";
  ASSERT_EQ(spodnet(folder, "generate --p 3 --n 20 --count 2 --samples -o d.safetensors").status,
            0);
  ASSERT_EQ(
      spodnet(folder, "estimate d.safetensors --method glasso-cv -o t.npy --scores s.csv").status,
      0);
  const Table both = read_csv(folder / "s.csv");
  EXPECT_EQ(both.columns.front(), "matrix");
  EXPECT_EQ(both.values.col(0).maxCoeff(), 1);
}

TEST_F(CliEstimate, GladWritesThetaAndZAndSaysWhichIsWhich) {
  ASSERT_EQ(
      spodnet(folder, "train --model glad --p 3 --n 12 --count 20 --epochs 1 -o g.safetensors")
          .status,
      0);
  const CommandResult result = spodnet(folder, "estimate x.csv --method g.safetensors -o t.csv");
  ASSERT_EQ(result.status, 0) << result.err;
  EXPECT_NE(result.out.find("Theta is SPD but not sparse, Z is sparse"), std::string::npos);
  EXPECT_EQ(read_csv(folder / "t.Z.csv").rows, read_csv(folder / "t.csv").rows);
  ASSERT_EQ(spodnet(folder, "estimate x.csv --method g.safetensors -o t.safetensors").status, 0);
  EXPECT_EQ(read_safetensors(folder / "t.safetensors").tensors.count("Z"), 1u);

  const CommandResult taken =
      spodnet(folder, "estimate x.csv --method g.safetensors -o b.csv --covariance-out b.Z.csv");
  EXPECT_EQ(taken.status, 2);
  EXPECT_NE(taken.err.find("b.Z.csv"), std::string::npos) << taken.err;
  EXPECT_FALSE(std::filesystem::exists(folder / "b.csv"));
}

}  // namespace
}  // namespace spodnet::test
