#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "cli/command.hpp"
#include "cli/refusal.hpp"
#include "spodnet/core/random.hpp"
#include "spodnet/io/csv.hpp"
#include "support/csv_cells.hpp"

namespace spodnet::test {
namespace {

using testing::HasSubstr;

/// A table of two groups of 60 rows with schools, weights, an age, three items of five levels and
/// two measurements.
std::string survey() {
  RandomStream random(4);
  std::string text = "school,group,w,age,i1,i2,i3,m1,m2\n";
  for (int k = 0; k < 120; ++k) {
    const double age = random.normal(), a = random.normal(), b = 0.8 * a + 0.6 * random.normal(),
                 c = random.normal();
    const auto item = [](double z) {
      return std::to_string(int(std::min(5.0, std::max(1.0, std::floor(3.5 + z)))));
    };
    text += "s" + std::to_string(k % 24) + (k < 60 ? ",east," : ",west,") +
            std::to_string(1 + k % 3) + "," + std::to_string(age) + "," + item(a) + "," + item(b) +
            "," + item(c) + "," + std::to_string(b + age) + "," + std::to_string(c - age) + "\n";
  }
  return text;
}

struct CliStatistics : testing::Test {
  TemporaryFolder folder;
  CliStatistics() { folder.write("survey.csv", survey()); }
  CommandResult run(const std::string& command) {
    const CommandResult result = spodnet(folder, command);
    EXPECT_EQ(result.status, 0) << command << ": " << result.err;
    return result;
  }
  std::vector<std::string> kinds() {
    std::vector<std::string> found;
    const auto rows = csv_cells(read_bytes(folder / "out/nodes.csv"));
    for (std::size_t k = 1; k < rows.size(); ++k) found.push_back(rows[k][3]);
    return found;
  }
};

TEST_F(CliStatistics, ColumnsOfFewValuesAreTakenForLevelsUnlessOneSaysOtherwise) {
  const std::string start = "graph survey.csv -o out --columns i1,i2,i3,m1,m2 --method glasso-ebic";
  const CommandResult found = run(start);
  EXPECT_EQ(kinds(),
            (std::vector<std::string>{"ordinal", "ordinal", "ordinal", "gaussian", "gaussian"}));
  EXPECT_THAT(found.out, HasSubstr("'i1', 'i2' and 'i3' are taken for ordered levels"));
  EXPECT_THAT(found.out, HasSubstr("because answers come in few steps"));
  run(start + " --kind gaussian");
  EXPECT_EQ(kinds()[0], "gaussian");
  run(start + " --kind ranks");
  EXPECT_EQ(kinds()[4], "ranks");
}

TEST_F(CliStatistics, EstimateTakesTheSameLevelsWhenAsked) {
  const std::string start = " survey.csv --columns i1,i2,i3,m1 --method glasso:lambda=0.1 -o ";
  run("graph" + start + "out");
  run("estimate" + start + "theta.csv --kind auto");
  const Matrix a = read_csv(folder / "theta.csv").values,
               b = read_csv(folder / "out/precision.csv").values;
  EXPECT_LT((a - b).cwiseAbs().maxCoeff(), 1e-12);
  run("estimate" + start + "plain.csv");
  EXPECT_GT((read_csv(folder / "plain.csv").values - b).cwiseAbs().maxCoeff(), 1e-3);
}

TEST_F(CliStatistics, WeightsCovariatesAndClustersAreNoVariables) {
  const CommandResult found = run(
      "graph survey.csv -o out --exclude group,i1,i2,i3 --weights w --adjust age --blocks school "
      "--method glasso-ebic --bootstrap 20");
  EXPECT_EQ(csv_cells(read_bytes(folder / "out/nodes.csv")).size(), 3u);  // m1 and m2
  EXPECT_THAT(found.out, HasSubstr("1 covariate was regressed out"));
  EXPECT_THAT(found.out, HasSubstr("24 clusters"));
  for (const char* role : {"'w' is the column of weights", "'age' is a covariate",
                           "'school' is the column of clusters"})
    EXPECT_THAT(found.out, HasSubstr(std::string(role) + ", not a variable"));
  EXPECT_THAT(found.out, HasSubstr("'group', 'i1', 'i2' and 'i3': left out as asked"));
  EXPECT_THAT(
      found.out,
      HasSubstr(
          "effective sample size 102 of 120 rows, because rows of a cluster may depend on each "
          "other (24 clusters, each resampled as a whole) and rows have unequal weights"));
  const std::string settings = read_bytes(folder / "out/summary.json");
  EXPECT_THAT(settings, HasSubstr("\"the column of weights\""));
  EXPECT_THAT(settings, HasSubstr("\"school\""));
  EXPECT_THAT(run("graph survey.csv -o out --row-names no --exclude school,group --blocks 10").out,
              HasSubstr("because successive rows may depend on each other (blocks of 10,"));
}

TEST_F(CliStatistics, DifferencesOfGroupsInOneFileAndInTwo) {
  const std::string options = " --permutations 39 --columns i1,i2,i3,m1,m2 -o ";
  run("difference survey.csv --group group" + options + "one");
  const auto rows = csv_cells(read_bytes(folder / "one/differences.csv"));
  ASSERT_EQ(rows.size(), 11u);
  EXPECT_EQ(rows[0][2], "east");
  std::string east = "i1,i2,i3,m1,m2\n", west = east;
  for (const auto& row : csv_cells(survey())) {
    if (row[1] == "group") continue;
    std::string& text = row[1] == "east" ? east : west;
    text += row[4] + "," + row[5] + "," + row[6] + "," + row[7] + "," + row[8] + "\n";
  }
  folder.write("east.csv", east);
  folder.write("west.csv", west);
  const CommandResult two =
      run("difference east.csv west.csv --permutations 39 -o two --threads 1");
  EXPECT_EQ(read_bytes(folder / "one/differences.csv"), read_bytes(folder / "two/differences.csv"));
  EXPECT_THAT(two.out, HasSubstr("'east' and 'west': The graphs differ, in single edges ("));
  EXPECT_THAT(run("difference survey.csv --group group" + options + "one --json").out,
              HasSubstr("'group' is the grouping column, not a variable"));
  const std::string page = read_bytes(folder / "two/difference.html");
  EXPECT_THAT(page, HasSubstr("east.csv and west.csv"));
  EXPECT_EQ(page.find("{{"), std::string::npos);
  EXPECT_LT(page.find("The graphs differ"), page.find("<h2>The graphs</h2>"));  // the answer first
  const auto json = nlohmann::json::parse(read_bytes(folder / "two/difference.json"));
  EXPECT_EQ(json["tests"][0]["permutations"], 39);
}

TEST_F(CliStatistics, WhatCannotBeIsRefusedInOneLine) {
  folder.write("other.csv", "u,v\n1,2\n2,1\n");
  expect_refused(
      folder,
      {{"graph survey.csv -o out --weights weigth", {"no column 'weigth'"}},
       {"graph survey.csv -o out --blocks scool", {"no column 'scool'"}},
       {"graph survey.csv -o out --blocks 1", {"--blocks 1"}},
       {"graph survey.csv -o out --kind ordinal --robust kendall", {"--kind ordinal", "--robust"}},
       {"difference survey.csv -o out", {"--group COLUMN"}},
       {"difference survey.csv other.csv -o out", {"no column of the same name"}},
       {"difference survey.csv --group age -o out", {"--group age", "different values"}},
       {"difference survey.csv --group grup -o out", {"did you mean 'group'"}},
       {"difference survey.csv --group group -o out --method glasso-cv", {"glasso-cv"}}});
}

}  // namespace
}  // namespace spodnet::test
