#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/command.hpp"
#include "cli/refusal.hpp"
#include "spodnet/core/random.hpp"
#include "support/csv_cells.hpp"

namespace spodnet::test {
namespace {

using testing::HasSubstr;

/// 15 people, 4 days of 6 beeps; "tired" follows "sad".
std::string diary() {
  RandomStream random(6);
  std::string text = "who,day,beep,sad,tired,glad,note\n";
  for (int k = 0; k < 15; ++k) {
    double sad = 0, tired = 0;
    for (int t = 0; t < 24; ++t) {
      tired = 0.6 * sad + random.normal();
      sad = 0.3 * sad + random.normal();
      const double glad = random.normal() - 0.5 * sad;
      text += "p" + std::to_string(k) + ",d" + std::to_string(t / 6) + "," +
              std::to_string(1 + t % 6) + "," + std::to_string(sad + k) + "," +
              std::to_string(tired) + "," + (t == 9 ? "NA" : std::to_string(glad)) + ",x\n";
    }
  }
  return text;
}

struct CliTemporal : testing::Test {
  TemporaryFolder folder;
  CliTemporal() { folder.write("diary.csv", diary()); }
  const std::string columns = " --person who --day day --beep beep ";
};

TEST_F(CliTemporal, WritesBothGraphsWithTheirConfidence) {
  const CommandResult result =
      spodnet(folder, "temporal diary.csv" + columns + "--bootstrap 30 -o out --threads 2");
  ASSERT_EQ(result.status, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("3 variables, 15 persons, 270 pairs"));
  EXPECT_THAT(result.out, HasSubstr("sad -> tired: +0."));
  EXPECT_THAT(result.out, HasSubstr("'note' is not numeric"));
  EXPECT_THAT(result.out, HasSubstr("resamples of the 15 persons"));
  const auto effects = csv_cells(read_bytes(folder / "out/temporal.csv"));
  ASSERT_EQ(effects.size(), 10u);
  EXPECT_EQ(effects[0], (std::vector<std::string>{"from", "to", "effect", "share", "low", "high"}));
  EXPECT_EQ(effects[2][0] + " " + effects[2][1], "sad tired");
  EXPECT_EQ(effects[2][3], "1");
  EXPECT_EQ(csv_cells(read_bytes(folder / "out/contemporaneous.csv")).size(), 4u);
  const auto json = nlohmann::json::parse(read_bytes(folder / "out/temporal.json"));
  EXPECT_EQ(json["resamples"], 30);
  EXPECT_EQ(json["links"][0]["source"], "sad");
  const std::string page = read_bytes(folder / "out/temporal.html");
  EXPECT_EQ(page.find("{{"), std::string::npos);
  EXPECT_THAT(page, HasSubstr("diary.csv"));
  const CommandResult again =
      spodnet(folder, "temporal diary.csv" + columns + "--bootstrap 30 -o two --threads 1 --json");
  EXPECT_EQ(read_bytes(folder / "two/temporal.csv"), read_bytes(folder / "out/temporal.csv"));
  EXPECT_EQ(again.json()["pairs"], 270);
}

TEST_F(CliTemporal, OnePersonNeedsNoColumns) {
  folder.write("one.csv", [] {
    RandomStream random(2);
    std::string text = "u,v\n";
    for (int t = 0; t < 80; ++t)
      text += std::to_string(random.normal()) + "," + std::to_string(random.normal()) + "\n";
    return text;
  }());
  const CommandResult result = spodnet(folder, "temporal one.csv -o out --bootstrap 10");
  ASSERT_EQ(result.status, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("79 pairs"));
  EXPECT_THAT(result.out, HasSubstr("in blocks of 9 successive pairs"));
}

TEST_F(CliTemporal, WhatCannotBeIsRefusedInOneLine) {
  const auto refused = [&](const std::string& options, const std::string& words) {
    expect_refused(folder, {{"temporal diary.csv -o out " + options, {words}}});
  };
  refused("--person who --beep beep", "if beeps start again each day, name the column of days");
  refused("--person whom --beep beep", "has no column 'whom'");
  refused("--person who --beep note", "--beep note: row 1 has 'x', which is no number");
  refused("--person who --day day --beep beep --columns sad", "fewer than two columns");
  refused("--person who --day day --beep beep --method egfm", "needs the covariance alone");
  refused("--person who --day day --beep beep --bootstrap x", "--bootstrap");
}

/// The other ways in which rows belong together.
TEST_F(CliTemporal, PairedGroupsOfADiary) {
  const auto at = [](const std::string& beep) {
    std::string text = "who,sad,tired\n";
    for (const auto& row : csv_cells(diary()))
      if (row[2] == beep && row[1] == "d1") text += row[0] + "," + row[3] + "," + row[4] + "\n";
    return text;
  };
  folder.write("first.csv", at("1"));
  folder.write("last.csv", at("6"));
  const std::string command = "difference first.csv last.csv --permutations 19 -o out ";
  const CommandResult paired = spodnet(folder, command + "--paired who");
  ASSERT_EQ(paired.status, 0) << paired.err;
  EXPECT_THAT(paired.out, HasSubstr("15 persons are in every group"));
  EXPECT_EQ(csv_cells(read_bytes(folder / "out/differences.csv")).size(), 2u);
  expect_refused(folder,
                 {{"difference diary.csv --group beep --paired who --permutations 19 -o out",
                   {"a person's second one in its group"}},
                  {command + "--paired whom", {"has no column 'whom'"}},
                  {command + "--paired who --blocks 3", {"--blocks"}}});
}

TEST_F(CliTemporal, PartsOfAWholeInGraphAndCompare) {
  RandomStream random(3);
  std::string text = "a,b,c,d,age\n";
  for (int i = 0; i < 60; ++i) {
    for (int j = 0; j < 4; ++j)
      text += std::to_string(int(std::exp(random.uniform(0, 4))) - (i == 3 && j == 1)) + ",";
    text += std::to_string(random.normal()) + "\n";
  }
  folder.write("counts.csv", text);
  for (const std::string start :
       {"graph counts.csv -o out --method glasso-ebic", "compare counts.csv --only --method oas"}) {
    const CommandResult result = spodnet(folder, start + " --transform clr:1-4 --pseudo-count 0.5");
    ASSERT_EQ(result.status, 0) << result.err;
    const bool graph = start.starts_with("graph");  // compare has its notes on its page alone
    EXPECT_THAT(result.out, HasSubstr(graph ? "after 0.5 was added to each (as asked" : "oas"));
    EXPECT_THAT(result.out, testing::Not(HasSubstr("follows exactly")));
  }
  expect_refused(folder, {{"graph counts.csv -o out --transform clr", {"'age'", "0 or more"}},
                          {"graph counts.csv -o out --pseudo-count 1", {"--transform clr"}}});
}

}  // namespace
}  // namespace spodnet::test
