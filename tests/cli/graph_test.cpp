#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <cmath>
#include <fstream>

#include "cli/command.hpp"
#include "spodnet/core/random.hpp"
#include "spodnet/io/csv.hpp"

namespace spodnet::test {
namespace {

using testing::HasSubstr;

/// A chain a - b - c - d beside an unrelated e, as CSV text.
std::string chain_csv(std::size_t rows, const std::string& header = "a,b,c,d,e") {
  RandomStream random(1);
  std::string text = header + "\n";
  for (std::size_t k = 0; k < rows; ++k) {
    double x = 0;
    for (int j = 0; j < 4; ++j) {
      x = 0.8 * x + random.normal();
      text += std::to_string(x) + ",";
    }
    text += std::to_string(random.normal()) + "\n";
  }
  return text;
}

/// The command with a cache of its own.
CommandResult graph(const TemporaryFolder& folder, const std::string& line) {
  ::setenv("XDG_CACHE_HOME", (folder / "cache").c_str(), 1);
  return spodnet(folder, line);
}

std::size_t files_below(const std::filesystem::path& folder) {
  std::size_t count = 0;
  if (std::filesystem::exists(folder))
    for ([[maybe_unused]] const auto& each : std::filesystem::recursive_directory_iterator(folder))
      ++count;
  return count;
}

TEST(CliGraph, FromATableToAGraphAndFasterTheSecondTime) {
  const TemporaryFolder folder;
  folder.write("data.csv", chain_csv(150));
  const CommandResult first =
      graph(folder, "graph data.csv --train -o out --bootstrap 20 --stable 0.2 --threads 2");
  ASSERT_EQ(first.status, 0) << first.err;
  EXPECT_THAT(first.out, HasSubstr("strongest edges"));
  EXPECT_THAT(first.out, HasSubstr("% of resamples"));
  EXPECT_THAT(first.out, HasSubstr("report: out/report.html"));
  for (const char* name : {"edges.csv", "precision.csv", "graph.graphml", "report.html"})
    EXPECT_TRUE(std::filesystem::exists(folder / "out" / name)) << name;
  const Table theta = read_csv(folder / "out" / "precision.csv");
  EXPECT_EQ(theta.columns, (std::vector<std::string>{"a", "b", "c", "d", "e"}));
  for (const auto& [i, j] : {std::pair{0, 1}, {1, 2}, {2, 3}}) EXPECT_LT(theta.values(i, j), 0);

  const CommandResult second = graph(folder, "graph data.csv --train -o out2 --json --threads 1");
  ASSERT_EQ(second.status, 0) << second.err;
  EXPECT_THAT(second.json().at("notes").dump(), HasSubstr("came from the cache"));
  EXPECT_EQ(read_bytes(folder / "out2" / "precision.csv"),
            read_bytes(folder / "out" / "precision.csv"));
  EXPECT_THAT(graph(folder, "cache list").out, HasSubstr("1 model"));
  EXPECT_EQ(graph(folder, "cache list --json").json().at("models").size(), 1u);
  EXPECT_THAT(graph(folder, "cache clear").out, HasSubstr("1 model removed"));
  EXPECT_THAT(graph(folder, "cache list").out, HasSubstr("0 models"));
  const CommandResult third = graph(folder, "graph data.csv --train -o out3 --no-cache --json");
  EXPECT_THAT(third.json().at("notes").dump(), HasSubstr("not kept"));
  EXPECT_THAT(graph(folder, "cache list").out, HasSubstr("0 models"));
}

TEST(CliGraph, CountsTheRowsOfTheTableNotThoseBehindACorrelation) {
  const TemporaryFolder folder;
  folder.write("data.csv", chain_csv(60) + "NA,1,2,3,4\n1,?,2,3,4\n");
  const CommandResult result = graph(folder, "graph data.csv -o out --method glasso-cv");
  ASSERT_EQ(result.status, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("5 variables, 62 samples"));
  EXPECT_THAT(result.out, HasSubstr("2 of 310 values are missing (0.6 %), in 2 of 62 rows"));
  std::ifstream file(folder / "out" / "summary.json");
  const nlohmann::json summary = nlohmann::json::parse(file);
  EXPECT_EQ(summary.at("rows"), 62);
  EXPECT_LT(summary.at("samples"), 62);
}

TEST(CliGraph, OptionsReachTheData) {
  const TemporaryFolder folder;
  std::string text = chain_csv(60, "a,a,\"x, <b>y</b>\",d,kind");
  text += "NA,1,2,?,red\n5,5,5,5,blue\n";
  folder.write("data.csv", text);
  const CommandResult result = graph(
      folder, "graph data.csv -o out --method glasso-ebic --missing drop --robust kendall --json");
  ASSERT_EQ(result.status, 0) << result.err;
  const std::string words = result.json().dump();
  EXPECT_THAT(
      words, HasSubstr("'kind' is left out: 2 of its 62 cells are no numbers (line 62 has 'red')"));
  EXPECT_THAT(words, HasSubstr("in 1 of 62 rows: these were dropped"));
  EXPECT_THAT(words, HasSubstr("Kendall"));
  EXPECT_THAT(words, HasSubstr("'a' stands above several columns"));
  EXPECT_EQ(read_csv(folder / "out" / "precision.csv").columns,
            (std::vector<std::string>{"a", "a (2)", "x, <b>y</b>", "d"}));
  folder.write("forbid.csv", "source,target\na,d\n");
  const CommandResult forbidden = graph(
      folder, "graph data.csv -o out2 --method glasso-ebic --forbid forbid.csv --sign positive");
  ASSERT_EQ(forbidden.status, 0) << forbidden.err;
  const Matrix theta = read_csv(folder / "out2" / "precision.csv").values;
  EXPECT_EQ(theta(0, 3), 0);
  for (Eigen::Index i = 0; i < 4; ++i)
    for (Eigen::Index j = 0; j < i; ++j) EXPECT_LE(theta(i, j), 0);
  folder.write("S.csv", "a,b,c\n1,0.5,0\n0.5,1,0.2\n0,0.2,1\n");
  EXPECT_EQ(
      graph(folder, "graph S.csv -o out3 --input covariance --samples-count 50 --no-cache").status,
      0);
}

/// One clear line, status 2, and nothing left behind.
void expect_refused(const TemporaryFolder& folder, const std::string& line,
                    const std::vector<std::string>& parts) {
  SCOPED_TRACE(line);
  const CommandResult result = graph(folder, line);
  EXPECT_EQ(result.status, 2);
  EXPECT_EQ(result.out, "");
  EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << result.err;
  for (const std::string& part : parts) EXPECT_THAT(result.err, HasSubstr(part));
  EXPECT_FALSE(std::filesystem::exists(folder / "out"));
}

TEST(CliGraph, HostileInputIsRefusedInOneLine) {
  const TemporaryFolder folder;
  folder.write("good.csv", chain_csv(30));
  folder.write("empty.csv", "");
  folder.write("header.csv", "a,b,c\n");
  folder.write("binary.csv", std::string("\x89PNG\r\n\x1a\n\0\0\0\rIHDR", 16));
  folder.write("table.xlsx", "PK");
  folder.write("text.csv", "a,b\nred,blue\ngreen,red\n");
  folder.write("one.csv", "a,b\n1,2\n");
  folder.write("missing.csv", "a,b,c\n1,NA,1\n2,NA,3\n4,NA,4\n");
  folder.write("S.csv", "a,b\n1,0.5\n0.5,1\n");
  expect_refused(folder, "graph empty.csv -o out", {"empty.csv", "no rows"});
  expect_refused(folder, "graph header.csv -o out", {"header.csv", "rows"});
  expect_refused(folder, "graph binary.csv -o out", {"binary.csv"});
  expect_refused(folder, "graph table.xlsx -o out", {"table.xlsx", ".csv"});
  expect_refused(folder, "graph text.csv -o out", {"text.csv", "number"});
  expect_refused(folder, "graph one.csv -o out", {"1 sample"});
  expect_refused(folder, "graph absent.csv -o out", {"absent.csv", "No such file"});
  expect_refused(folder, "graph . -o out", {"."});
  expect_refused(folder, "graph S.csv -o out", {"--input samples or --input covariance"});
  expect_refused(folder, "graph S.csv -o out --input covariance", {"--samples-count"});
  expect_refused(folder, "graph good.csv -o out --samples-count 5", {"--samples-count"});
  expect_refused(folder, "graph good.csv -o out --stable 0.1", {"--bootstrap"});
  expect_refused(folder, "graph good.csv -o out --bootstrap 5 --stable 2", {"--stable"});
  expect_refused(folder, "graph good.csv -o out --missing em --robust kendall", {"em", "ranks"});
  expect_refused(folder, "graph good.csv -o out --method nonsense", {"nonsense"});
  expect_refused(folder, "graph good.csv -o out --method ledoit-wolf --sign positive", {"ledoit"});
  expect_refused(folder, "graph good.csv -o good.csv", {"good.csv", "folder"});
  expect_refused(folder, "graph good.csv -o /proc/nowhere/out", {"/proc"});
  const CommandResult empty_column =
      graph(folder, "graph missing.csv -o out --method glasso-ebic --json");
  EXPECT_EQ(empty_column.status, 0) << empty_column.err;
  EXPECT_THAT(empty_column.out, HasSubstr("'b' has no value at all: left out"));
}

TEST(CliGraph, HugeTablesAreRefusedBeforeTheMemoryIsTaken) {
  const TemporaryFolder folder;
  std::string wide;
  for (int row = 0; row < 3; ++row)
    for (int k = 0; k < 100000; ++k)
      wide += std::to_string((k * 7 + row * row * 13) % 11) + (k + 1 == 100000 ? "\n" : ",");
  folder.write("wide.csv", wide);
  folder.write("line.csv", "");
  std::filesystem::resize_file(folder / "line.csv", std::uintmax_t(2) << 30);  // of zero bytes
  std::ofstream comma(folder / "commas.csv");
  for (int k = 0; k < 300; ++k) comma << std::string(1 << 16, '1') << ',';
  comma.close();
  expect_refused(folder, "graph wide.csv -o out", {"100000 variables", "memory", "fewer"});
  expect_refused(folder, "graph line.csv -o out", {"line.csv"});
  expect_refused(folder, "graph commas.csv -o out", {"commas.csv"});
  rusage used{};
  ::getrusage(RUSAGE_CHILDREN, &used);
  EXPECT_LT(used.ru_maxrss, 1'000'000) << "kB";
}

TEST(CliGraph, AFullOrForbiddenFolderLeavesNothingHalfWritten) {
  const TemporaryFolder folder;
  folder.write("good.csv", chain_csv(30));
  std::filesystem::create_directory(folder / "results");
  folder.write("results/report.html", "earlier");
  std::filesystem::create_directory(folder / "results/edges.csv");  // cannot be replaced by a file
  const std::size_t before = files_below(folder / "results");
  const CommandResult result = graph(folder, "graph good.csv -o results --method glasso-ebic");
  EXPECT_EQ(result.status, 2);
  EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << result.err;
  EXPECT_EQ(files_below(folder / "results"), before);
  EXPECT_EQ(read_bytes(folder / "results/report.html"), "earlier");
}

TEST(CliGraph, InterruptedItWritesNothing) {
  const TemporaryFolder folder;
  ::setenv("XDG_CACHE_HOME", (folder / "cache").c_str(), 1);
  folder.write("data.csv", chain_csv(200));
  const RunningCommand running(folder.path(),
                               {"graph", "data.csv", "-o", "out", "--bootstrap", "1000000"});
  running.wait_for_work(1);
  running.signal(SIGINT);
  const CommandResult result = running.wait();
  EXPECT_EQ(result.status, 130) << result.err;
  EXPECT_FALSE(std::filesystem::exists(folder / "out"));
}

TEST(CliGraph, InterruptedInALongFitItEndsSoon) {
  const TemporaryFolder folder;
  std::string wide;
  std::uint32_t random = 1;
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 1000; ++j) {
      random = 1664525 * random + 1013904223;
      wide += std::to_string(random >> 12) + (j < 999 ? "," : "\n");
    }
  folder.write("wide.csv", wide);
  const RunningCommand running(folder.path(),
                               {"graph", "wide.csv", "-o", "out", "--method", "glasso-ebic"});
  running.wait_for_work(1);
  running.signal(SIGTERM);
  const CommandResult result = running.wait();
  EXPECT_EQ(result.status, 130) << result.err;  // the whole fit would take minutes
  EXPECT_EQ(result.err, "spodnet: interrupted, nothing was written\n");
  EXPECT_FALSE(std::filesystem::exists(folder / "out"));
}

}  // namespace
}  // namespace spodnet::test
