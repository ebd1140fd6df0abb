#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/refusal.hpp"
#include "spodnet/io/csv.hpp"

namespace spodnet::test {
namespace {

std::string rows(const char* separator = ",") {
  std::string text;
  std::uint32_t random = 7;
  for (int i = 0; i < 40; ++i) {
    for (int j = 0; j < 4; ++j) {
      random = 1664525 * random + 1013904223;
      text += (j > 0 ? separator : "") + std::to_string((random >> 16) % 97);
    }
    text += '\n';
  }
  return text;
}

std::vector<std::string> names_after(const TemporaryFolder& folder, const std::string& options) {
  const CommandResult result = spodnet(folder, "graph " + options + " --method glasso-ebic -o out");
  EXPECT_EQ(result.status, 0) << result.err;
  return read_csv(folder / "out" / "precision.csv").columns;
}

TEST(CliReading, ColumnsByNameNumberAndRange) {
  const TemporaryFolder folder;
  folder.write("x.csv", "a,b,c,d\n" + rows());
  EXPECT_THAT(names_after(folder, "x.csv --columns a,c,4"), testing::ElementsAre("a", "c", "d"));
  EXPECT_THAT(names_after(folder, "x.csv --columns 2-4"), testing::ElementsAre("b", "c", "d"));
  EXPECT_THAT(names_after(folder, "x.csv --exclude b"), testing::ElementsAre("a", "c", "d"));
  expect_refused(folder, {{"estimate x.csv --exclude bb -o t.csv", {"'bb'", "did you mean 'b'"}}});
}

TEST(CliReading, AHeaderOfNumbersIsAskedAbout) {
  const TemporaryFolder folder;
  folder.write("x.csv", "2001,2002,2003,2004\n" + rows());
  expect_refused(folder, {{"graph x.csv -o g", {"x.csv", "line 1", "--header yes"}},
                          {"compare x.csv", {"--header"}},
                          {"estimate x.csv -o t.csv", {"--header"}}});
  EXPECT_THAT(names_after(folder, "x.csv --header yes"),
              testing::ElementsAre("2001", "2002", "2003", "2004"));
  EXPECT_THAT(names_after(folder, "x.csv --header no"),
              testing::ElementsAre("x1", "x2", "x3", "x4"));
}

TEST(CliReading, SeparatorsAndWordsForMissing) {
  const TemporaryFolder folder;
  folder.write("x.txt", "a b c d\n" + rows(" "));
  EXPECT_EQ(names_after(folder, "x.txt").size(), 4u);
  EXPECT_EQ(names_after(folder, "x.txt --sep space").size(), 4u);
  folder.write("y.csv", "a,b,c,d\n" + rows() + "1,unknown,3,4\n");
  EXPECT_EQ(names_after(folder, "y.csv").size(), 3u);
  EXPECT_EQ(names_after(folder, "y.csv --na unknown").size(), 4u);
}

TEST(CliReading, OneOddCellNamesTheOptionThatReadsIt) {
  const TemporaryFolder folder;
  folder.write("x.csv", "a,b,c,d\n" + rows() + "1,n.d.,3,4\n");
  EXPECT_THAT(
      spodnet(folder, "graph x.csv --dry-run").out,
      testing::AllOf(testing::HasSubstr("1 of its 41 cells is no number (line 42 has 'n.d.')"),
                     testing::HasSubstr("(--na n.d.)")));
  EXPECT_EQ(names_after(folder, "x.csv --na n.d.").size(), 4u);
}

TEST(CliReading, TheLinesOfGroupsAreThoseOfTheTable) {
  const TemporaryFolder folder;
  std::string text = "sep=;\nA title\ngroup;a;b;c;d\n;kg;m;s;K\n", line;
  std::istringstream lines(rows(";"));
  for (int i = 0; std::getline(lines, line); ++i) text += (i % 2 ? "u;" : "v;") + line + "\n";
  folder.write("x.csv", text + "# end\nTotal;1;2;3;4\n");
  const CommandResult result =
      spodnet(folder, "difference x.csv --group group --permutations 19 -o out");
  ASSERT_EQ(result.status, 0) << result.err;
  EXPECT_THAT(result.out, testing::HasSubstr("'u': 20 rows"));
}

TEST(CliReading, MistypedWordsAreCorrected) {
  const TemporaryFolder folder;
  folder.write("x.csv", "a,b,c,d\n" + rows());
  expect_refused(folder, {{"graph x.csv --boostrap 20 -o g", {"did you mean --bootstrap?"}},
                          {"grahp x.csv -o g", {"did you mean graph?"}},
                          {"graph x.csv -o /", {"root"}}});
  EXPECT_EQ(spodnet(folder, "help graph").out, spodnet(folder, "graph --help").out);
  EXPECT_EQ(spodnet(folder, "help").status, 0);
}

TEST(CliReading, EqualRunsGiveEqualBytes) {
  const TemporaryFolder folder;
  folder.write("x.csv", "a,b,c,d\n" + rows());
  for (const std::string out : {"one", "two"})
    ASSERT_EQ(spodnet(folder, "graph x.csv --bootstrap 20 --stable 0.2 -o " + out).status, 0);
  for (const auto& file : std::filesystem::directory_iterator(folder / "one"))
    EXPECT_EQ(read_bytes(file.path()), read_bytes(folder / "two" / file.path().filename().string()))
        << file.path();
}

TEST(CliReading, WhatAutoConsidersCanBeAskedFor) {
  const TemporaryFolder folder;
  folder.write("x.csv", "a,b,c,d\n" + rows());
  for (const std::string command : {"graph x.csv -o g --json", "estimate x.csv -o t.csv --json"})
    EXPECT_EQ(spodnet(folder, command + " --method pretrained:target=precision,refit=true").status,
              0);
  const CommandResult compared = spodnet(folder, "compare x.csv --json");
  ASSERT_EQ(compared.status, 0) << compared.err;
  EXPECT_THAT(compared.out, testing::HasSubstr("pretrained:target=precision,refit=true"));
}

TEST(CliReading, FewResamplesMakeStableEdgesProvisional) {
  const TemporaryFolder folder;
  std::string linked = "a,b,c\n";
  std::uint32_t random = 7;
  const auto draw = [&] { return double((random = 1664525 * random + 1013904223) >> 8) / 1e7; };
  for (int i = 0; i < 60; ++i) {
    const double a = draw();
    linked += fmt::format("{},{},{}\n", a, a + 0.5 * draw(), draw());
  }
  folder.write("x.csv", linked);
  const CommandResult result = spodnet(folder, "graph x.csv --bootstrap 50 --stable 0.1 -o g");
  EXPECT_THAT(result.out, testing::HasSubstr("provisional"));
  EXPECT_THAT(result.out, testing::HasSubstr("(--bootstrap 200)"));
}

}  // namespace
}  // namespace spodnet::test
