// --forbid and --sign: what they say holds in the files that are written.
#include <gtest/gtest.h>

#include "cli/command.hpp"
#include "spodnet/io/csv.hpp"
#include "spodnet/models/model_file.hpp"
#include "support/random_covariance.hpp"

namespace spodnet::test {
namespace {

struct CliConstraints : testing::Test {
  TemporaryFolder folder;

  CliConstraints() {
    const ModelRegistry models = builtin_models();
    for (const char* name : {"ubg", "glad"}) {
      const auto model = models.make({.model = name, .p = 5});
      model->parameters().initialise(3);
      save_model(folder / (std::string(name) + ".safetensors"), *model);
    }
    Matrix X = correlated_samples(40, 5, 2);
    X.col(2) += X.col(0);
    X.col(3) -= X.col(1);
    X.col(4) += X.col(3);
    write_csv(folder / "x.csv", {{"a", "b", "c", "d", "e"}, {}, X});
    folder.write("pairs.csv", "source,target\nc,a\nb,5\n");
    folder.write("signs.csv", "source,target,sign\nb,d,positive\na,b,negative\n");
  }
  CommandResult estimate(const std::string& method, const std::string& more) const {
    return spodnet(folder, "estimate x.csv --method " + method + " -o theta.csv " + more);
  }
  Matrix Theta() const { return read_csv(folder / "theta.csv").values; }
};

TEST_F(CliConstraints, HoldForModelsAndForTheGraphicalLasso) {
  for (const char* method :
       {"ubg.safetensors", "glasso:lambda=0.01", "glasso-cv", "glasso-ebic", "glasso-stars"}) {
    SCOPED_TRACE(method);
    ASSERT_EQ(estimate(method, "").status, 0);
    const Matrix plain = Theta();
    const CommandResult kept = estimate(method, "--forbid pairs.csv --sign signs.csv");
    ASSERT_EQ(kept.status, 0) << kept.err;
    const Matrix known = Theta();
    EXPECT_NE(known, plain);
    EXPECT_EQ(known(0, 2), 0);
    EXPECT_EQ(known(1, 4), 0);
    EXPECT_LE(known(1, 3), 0);
    EXPECT_GE(known(0, 1), 0);
    EXPECT_NE(kept.out.find("2 pairs without an edge, 2 pairs with a fixed sign"),
              std::string::npos);
    ASSERT_EQ(estimate(method, "--sign positive").status, 0);
    EXPECT_LE((Theta() - Matrix(Theta().diagonal().asDiagonal())).maxCoeff(), 0);
    ASSERT_EQ(estimate(method, "--sign negative").status, 0);
    EXPECT_GE(Theta().minCoeff(), 0);
  }
}

/// A column of text and a constant one are left out; names and numbers stay those of the file.
TEST_F(CliConstraints, HoldInTheGraphWhateverColumnsAreLeftOut) {
  Table table = read_csv(folder / "x.csv");
  std::string text = "a,label,flat,b,c,d,e\n";
  for (Eigen::Index i = 0; i < table.values.rows(); ++i) {
    for (Eigen::Index j = 0; j < 5; ++j)
      text +=
          (j == 1 ? "text,1," : "") + std::to_string(table.values(i, j)) + (j == 4 ? "\n" : ",");
  }
  folder.write("mixed.csv", text);
  folder.write("numbers.csv", "1,5\n4,e\nflat,a\nlabel,b\n");  // a-c, b-e
  for (const char* method : {"glasso:lambda=0.01", "glasso-cv"}) {
    const CommandResult result =
        spodnet(folder, std::string("graph mixed.csv -o out --forbid numbers.csv --sign signs.csv "
                                    "--bootstrap 4 --method ") +
                            method);
    ASSERT_EQ(result.status, 0) << result.err;
    const Table Theta_file = read_csv(folder / "out/precision.csv");
    ASSERT_EQ(Theta_file.columns, table.columns);
    const Matrix& known = Theta_file.values;
    EXPECT_EQ(known(0, 2), 0);
    EXPECT_EQ(known(1, 4), 0);
    EXPECT_LE(known(1, 3), 0);
    EXPECT_GE(known(0, 1), 0);
    EXPECT_GT((known.array() != 0).count(), 5) << "some edges are left";
  }
  const CommandResult refused =
      spodnet(folder, "graph mixed.csv -o other --forbid numbers.csv --method oas");
  EXPECT_EQ(refused.status, 2);
  EXPECT_NE(refused.err.find("cannot keep forbidden edges"), std::string::npos) << refused.err;
  EXPECT_FALSE(std::filesystem::exists(folder / "other"));
}

TEST_F(CliConstraints, AreRefusedInOneLineWhereTheyCannotBeKept) {
  for (const char* method : {"ledoit-wolf", "oas", "egfm", "glad.safetensors"}) {
    const CommandResult refused = estimate(method, "--forbid pairs.csv");
    EXPECT_EQ(refused.status, 2) << method;
    EXPECT_NE(refused.err.find("cannot keep forbidden edges"), std::string::npos) << refused.err;
    EXPECT_EQ(std::count(refused.err.begin(), refused.err.end(), '\n'), 1);
    EXPECT_FALSE(std::filesystem::exists(folder / "theta.csv"));
  }
  folder.write("typo.csv", "a,z\n");
  const CommandResult typo = estimate("glasso:lambda=0.1", "--forbid typo.csv");
  EXPECT_EQ(typo.status, 2);
  EXPECT_NE(typo.err.find("typo.csv: line 1: 'z' is not a variable"), std::string::npos)
      << typo.err;
  const CommandResult missing = estimate("glasso:lambda=0.1", "--sign upwards");
  EXPECT_EQ(missing.status, 2);
  EXPECT_NE(missing.err.find("upwards"), std::string::npos) << missing.err;
  EXPECT_FALSE(std::filesystem::exists(folder / "theta.csv"));
}

}  // namespace
}  // namespace spodnet::test
