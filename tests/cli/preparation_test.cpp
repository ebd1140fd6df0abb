#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/command.hpp"
#include "spodnet/core/random.hpp"
#include "spodnet/io/csv.hpp"
#include "spodnet/tables/covariance.hpp"

namespace spodnet::test {
namespace {

/// Samples of a chain, in very different units.
Matrix chain_samples(Eigen::Index n, Eigen::Index p, std::uint64_t seed) {
  RandomStream random(seed);
  Matrix X(n, p);
  for (Eigen::Index i = 0; i < n; ++i)
    for (Eigen::Index j = 0; j < p; ++j)
      X(i, j) = (j > 0 ? 0.7 * X(i, j - 1) : 0) + 0.7 * random.normal();
  for (Eigen::Index j = 0; j < p; ++j) X.col(j) *= j % 2 == 0 ? 1000 : 0.01;
  return X;
}

struct CliPreparation : testing::Test {
  TemporaryFolder folder;

  void write(const std::string& name, const Matrix& X) {
    std::vector<std::string> names;
    for (Eigen::Index j = 0; j < X.cols(); ++j) names.push_back("v" + std::to_string(j + 1));
    write_csv(folder / name, {names, {}, X});
  }
  Matrix estimated(const std::string& command) {
    const CommandResult result = spodnet(folder, "estimate " + command + " -o theta.csv");
    EXPECT_EQ(result.status, 0) << result.err;
    return read_csv(folder / "theta.csv").values;
  }
  Matrix graphed(const std::string& command) {
    const CommandResult result = spodnet(folder, "graph " + command + " -o g");
    EXPECT_EQ(result.status, 0) << result.err;
    return read_csv(folder / "g" / "precision.csv").values;
  }
};

TEST_F(CliPreparation, EstimateSeesTheDataThatGraphSees) {
  Matrix X = chain_samples(60, 6, 1);
  write("x.csv", X);
  for (Eigen::Index i = 0; i < 60; i += 7) X(i, i % 6) = std::nan("");
  write("gaps.csv", X);
  for (const std::string options :
       {"x.csv --method glasso-cv", "x.csv --method glasso-ebic", "x.csv --method oas",
        "x.csv --method glasso-cv --no-standardize", "x.csv --method ledoit-wolf --seed 3",
        "x.csv --method glasso-cv --folds-in-order", "x.csv --robust kendall --method glasso-ebic",
        "gaps.csv --method glasso-cv", "gaps.csv --missing em --method glasso-ebic",
        "gaps.csv --missing drop --method glasso-cv"}) {
    const Matrix a = estimated(options), b = graphed(options);
    ASSERT_EQ(a.rows(), b.rows()) << options;
    EXPECT_LT((a - b).cwiseAbs().maxCoeff(), 1e-12 * b.cwiseAbs().maxCoeff()) << options;
  }
}

TEST_F(CliPreparation, UnitsDoNotMatterToTheGraph) {
  Matrix X = chain_samples(60, 5, 2);
  write("x.csv", X);
  X.col(1) *= 1e6;
  write("y.csv", X);
  const Matrix a = estimated("x.csv --method glasso-cv"), b = estimated("y.csv --method glasso-cv");
  EXPECT_EQ((a.array() != 0).count(), (b.array() != 0).count());
  EXPECT_GT((a.array() != 0).count(), 5 + 2 * 3) << "not nearly empty, as with one penalty for all";
}

TEST_F(CliPreparation, AConstantColumnIsLeftOutWithAWord) {
  Matrix X = chain_samples(40, 4, 3);
  X.col(2).setConstant(7);
  write("x.csv", X);
  const CommandResult result = spodnet(folder, "estimate x.csv -o theta.csv");
  ASSERT_EQ(result.status, 0) << result.err;
  EXPECT_THAT(result.out, testing::HasSubstr("'v3' is constant"));
  const std::vector<std::string> names = {"v1", "v2", "v4"};
  EXPECT_EQ(read_csv(folder / "theta.csv").columns, names);
}

TEST_F(CliPreparation, FoldsOfASortedTableAreShuffledByTheSeed) {
  Matrix X = chain_samples(80, 4, 4);
  std::vector<Eigen::Index> order(80);
  for (Eigen::Index i = 0; i < 80; ++i) order[std::size_t(i)] = i;
  std::sort(order.begin(), order.end(),
            [&](Eigen::Index a, Eigen::Index b) { return X(a, 0) < X(b, 0); });
  write("sorted.csv", X(order, Eigen::all));
  const auto lambda = [&](const std::string& more) {
    const CommandResult result =
        spodnet(folder, "estimate sorted.csv --method glasso-cv --json -o t.csv " + more);
    EXPECT_EQ(result.status, 0) << result.err;
    return double(result.json()["details"]["lambda"]);
  };
  const double shuffled = lambda(""), again = lambda("--seed 0"),
               consecutive = lambda("--folds-in-order");
  EXPECT_EQ(shuffled, again);
  EXPECT_NE(shuffled, consecutive);
}

TEST_F(CliPreparation, EvaluateHoldsOutShuffledRowsAndScoresInTheDatasUnits) {
  write("x.csv", chain_samples(120, 5, 5));
  const auto likelihood = [&](const std::string& more) {
    const CommandResult result =
        spodnet(folder, "evaluate --data x.csv --held-out 0.3 --method glasso-ebic --json " + more);
    EXPECT_EQ(result.status, 0) << result.err;
    return double(result.json()["methods"][0]["log_likelihood"]);
  };
  EXPECT_NE(likelihood("--seed 1"), likelihood("--seed 2"));
  EXPECT_NEAR(likelihood(""), likelihood("--folds-in-order"), 1.5);
}

TEST_F(CliPreparation, TheOptionsAreForTables) {
  ASSERT_EQ(spodnet(folder, "generate --p 3 --n 9 --count 2 -o d.safetensors").status, 0);
  const CommandResult result =
      spodnet(folder, "estimate d.safetensors --robust spearman -o t.safetensors");
  EXPECT_EQ(result.status, 2);
  EXPECT_THAT(result.err, testing::HasSubstr("for tables"));
}

}  // namespace
}  // namespace spodnet::test
