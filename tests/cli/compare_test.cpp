#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "cli/command.hpp"
#include "spodnet/io/csv.hpp"
#include "spodnet/io/csv_text.hpp"
#include "spodnet/models/model_file.hpp"
#include "support/random_covariance.hpp"

namespace spodnet::test {
namespace {

struct CliCompare : testing::Test {
  TemporaryFolder folder;

  CliCompare() {
    Matrix X = correlated_samples(60, 6, 2);
    X.col(2) += X.col(0);
    write_csv(folder / "x.csv",
              {{"a", "b & c", "<script>alert(1)</script>", "d", "e", "f"}, {}, X});
    const auto model = builtin_models().make({.model = "ubg", .p = 6});
    model->parameters().initialise(1);
    save_model(folder / "m.safetensors", *model);
  }
  /// Without `auto`, which would train.
  CommandResult compare(const std::string& more) const {
    return spodnet(folder,
                   "compare x.csv --only --method glasso-cv --method glasso-ebic --method "
                   "ledoit-wolf --method m.safetensors " +
                       more);
  }
};

TEST_F(CliCompare, OneTableTwoFilesAndAPageSayTheSame) {
  const CommandResult result = compare("-o out --json");
  ASSERT_EQ(result.status, 0) << result.err;
  const auto json = result.json();
  EXPECT_EQ(json["n"], 60);
  EXPECT_EQ(json["p"], 6);
  ASSERT_EQ(json["methods"].size(), 4u);
  const auto rows = read_csv_text(folder / "out/compare.csv");
  ASSERT_EQ(rows.size(), 5u);
  EXPECT_EQ(rows[0].cells.front(), "method");
  for (std::size_t k = 0; k < 4; ++k) {
    const auto& method = json["methods"][k];
    EXPECT_EQ(rows[k + 1].cells.size(), rows[0].cells.size());
    EXPECT_EQ(method["method"], rows[k + 1].cells[0]);
    EXPECT_EQ(std::stod(rows[k + 1].cells[1]), method["held_out"]["mean"]);
    EXPECT_EQ(std::stoul(rows[k + 1].cells[5]), method["edges"]);
    EXPECT_EQ(method["held_out"]["folds"].size(), 5u);
    if (k > 0) {
      EXPECT_GE(json["methods"][k - 1]["held_out"]["mean"], method["held_out"]["mean"]);
    }
  }
  EXPECT_EQ(json["agreement"].size(), 6u);
  EXPECT_EQ(read_csv_text(folder / "out/agreement.csv").size(), 7u);
  const std::string page = read_bytes(folder / "out/compare.html");
  for (const char* name : {"glasso-cv", "glasso-ebic", "ledoit-wolf", "m.safetensors"})
    EXPECT_NE(page.find(name), std::string::npos) << name;
  EXPECT_EQ(page.find("<script"), std::string::npos);
  EXPECT_EQ(page.find("{{"), std::string::npos);
  EXPECT_EQ(page.find("http"), std::string::npos) << "needs no network";
  const CommandResult shown = compare("");
  ASSERT_EQ(shown.status, 0) << shown.err;
  EXPECT_NE(shown.out.find("held-out per row"), std::string::npos);
  EXPECT_NE(shown.out.find("best"), std::string::npos);
}

TEST_F(CliCompare, DoesNotDependOnTheNumberOfThreads) {
  const auto numbers = [&](const char* threads) {
    auto json = compare(std::string("--json --threads ") + threads).json();
    for (auto& method : json["methods"]) {
      method.erase("seconds");
      method["held_out"].erase("seconds");
    }
    return json;
  };
  EXPECT_EQ(numbers("1"), numbers("3"));
}

TEST_F(CliCompare, KeepsPriorKnowledgeAndRefusesWhatCannotBeCompared) {
  folder.write("pairs.csv", "a,3\n");
  const CommandResult refused = compare("--forbid pairs.csv -o out");
  EXPECT_EQ(refused.status, 2);
  EXPECT_NE(refused.err.find("ledoit-wolf"), std::string::npos) << refused.err;
  EXPECT_FALSE(std::filesystem::exists(folder / "out"));
  const CommandResult kept =
      spodnet(folder, "compare x.csv --only --method glasso-cv --forbid pairs.csv --sign negative");
  ASSERT_EQ(kept.status, 0) << kept.err;
  const auto refuses = [&](const std::string& line, const std::string& part) {
    const CommandResult result = spodnet(folder, line);
    EXPECT_EQ(result.status, 2) << line;
    EXPECT_NE(result.err.find(part), std::string::npos) << result.err;
    EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << result.err;
  };
  refuses("compare x.csv --only", "--method");
  refuses("compare x.csv --only --method nonsense", "nonsense");
  refuses("compare x.csv --only --method oas --folds 40", "folds");
  refuses("compare none.csv", "none.csv");
  folder.write("file", "");
  refuses("compare x.csv --only --method oas -o file", "is a file");
  write_csv(folder / "small.csv", {{"a", "b"}, {}, correlated_samples(20, 2, 1)});
  refuses("compare small.csv --only --method m.safetensors", "p = 6");
}

TEST_F(CliCompare, MissingValuesAreNoObstacle) {
  Table table = read_csv(folder / "x.csv");
  for (Eigen::Index i = 0; i < 60; i += 4) table.values(i, (i / 4) % 6) = NAN;
  write_csv(folder / "gaps.csv", table);
  for (const char* missing : {"pairwise", "em", "drop"}) {
    const CommandResult result =
        spodnet(folder, std::string("compare gaps.csv --json --only --method glasso-cv --method "
                                    "oas --missing ") +
                            missing);
    ASSERT_EQ(result.status, 0) << result.err;
    const nlohmann::json answer = result.json();
    for (const auto& method : answer["methods"]) EXPECT_TRUE(method["done"]) << missing;
  }
}

}  // namespace
}  // namespace spodnet::test
