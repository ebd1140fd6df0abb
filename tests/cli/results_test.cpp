#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/refusal.hpp"
#include "spodnet/core/random.hpp"
#include "spodnet/io/csv.hpp"
#include "spodnet/io/safetensors.hpp"

namespace spodnet::test {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::Not;

/// Five variables in a chain, with gaps where asked.
std::string chain_table(int rows, const std::string& last = "") {
  std::string text = "a,b,c,d,e\n";
  std::uint32_t random = 7;
  const auto next = [&] {
    double sum = 0;
    for (int k = 0; k < 12; ++k) {
      random = 1664525 * random + 1013904223;
      sum += double(random >> 8) / double(1u << 24);
    }
    return sum - 6;
  };
  for (int i = 0; i < rows; ++i) {
    double x = next();
    for (int j = 0; j < 5; ++j, x = 0.7 * x + next())
      text += (j > 0 ? "," : "") + std::to_string(x);
    text += '\n';
  }
  return text + last;
}

TEST(CliResults, TheSettingsBesideTheResultsRepeatThem) {
  const TemporaryFolder folder;
  folder.write("x.csv", chain_table(60));
  ASSERT_EQ(spodnet(folder,
                    "graph x.csv -o one --method glasso-ebic --bootstrap 10 --seed 4 "
                    "--exclude e --folds-in-order")
                .status,
            0);
  const CommandResult again = spodnet(folder, "graph --config one/settings.toml -o two");
  ASSERT_EQ(again.status, 0) << again.err;
  for (const auto& entry : fs::directory_iterator(folder / "one")) {
    const fs::path name = entry.path().filename();
    EXPECT_EQ(read_bytes(folder / "one" / name), read_bytes(folder / "two" / name)) << name;
  }
  const CommandResult other =
      spodnet(folder, "graph --config one/settings.toml -o three --bootstrap 0 --json");
  ASSERT_EQ(other.status, 0) << other.err;
  EXPECT_EQ(other.json().at("p"), 4);
  EXPECT_THAT(read_bytes(folder / "three" / "settings.toml"), HasSubstr("bootstrap = 0\n"));
}

TEST(CliResults, SettingsThatAreNoneAreRefused) {
  const TemporaryFolder folder;
  folder.write("x.csv", chain_table(30));
  folder.write("word.toml", "boostrap = 3\n");
  folder.write("section.toml", "[graph]\nbootstrap = 3\n");
  folder.write("value.toml", "bootstrap = \"3\n");
  folder.write("flag.toml", "train = \"maybe\"\n");
  expect_refused(folder,
                 {{"graph x.csv -o g --config word.toml", {"word.toml", "line 1", "did you mean"}},
                  {"graph x.csv -o g --config section.toml", {"line 1", "section"}},
                  {"graph x.csv -o g --config value.toml", {"value.toml", "line 1"}},
                  {"graph x.csv -o g --config flag.toml", {"true or false"}},
                  {"graph x.csv -o g --config none.toml", {"none.toml"}}});
}

TEST(CliResults, ADryRunSaysWhatWouldBeDoneAndWritesNothing) {
  const TemporaryFolder folder;
  folder.write("x.csv", "a,b,c,d\n1,2,x,7\n2,4.5,y,7\n3,?,x,7\n5,1,y,7\n");
  const CommandResult result = spodnet(folder, "graph x.csv --dry-run -o out --bootstrap 100");
  ASSERT_EQ(result.status, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("2 of 4 columns would be used"));
  EXPECT_THAT(result.out, HasSubstr("left out"));
  EXPECT_THAT(result.out, HasSubstr("'c' is not numeric"));
  EXPECT_THAT(result.out, HasSubstr("--levels"));
  EXPECT_THAT(result.out, HasSubstr("expected time"));
  EXPECT_FALSE(fs::exists(folder / "out"));
}

TEST(CliResults, ADryRunInJsonIsJson) {
  const TemporaryFolder folder;
  folder.write("x.csv", "a,b,c,d\n1,2,x,7\n2,4.5,y,7\n3,?,x,7\n5,1,y,7\n");
  const CommandResult result = spodnet(folder, "graph x.csv --dry-run --json");
  ASSERT_EQ(result.status, 0) << result.err;
  const auto said = result.json();
  EXPECT_EQ(said.at("rows"), 4);
  EXPECT_EQ(said.at("columns").size(), 4u);
  EXPECT_EQ(said.at("columns")[1].at("missing"), 1);
  EXPECT_EQ(said.at("columns")[1].at("high"), 4.5);
  EXPECT_EQ(said.at("columns")[2].at("used"), false);
  EXPECT_THAT(said.at("warnings").dump(), HasSubstr("'c' is not numeric"));
  EXPECT_GT(said.at("expected_seconds").get<double>(), 0);
}

TEST(CliResults, SamplesInColumnsAndHopelessTables) {
  const TemporaryFolder folder;
  RandomStream random(3);
  std::string wide = "v1";
  for (int j = 2; j <= 1200; ++j) wide += ",v" + std::to_string(j);
  for (int i = 0; i < 8; ++i) {
    wide += "\n" + std::to_string(random.normal());
    for (int j = 2; j <= 1200; ++j) wide += "," + std::to_string(random.normal());
  }
  folder.write("x.csv", wide + "\n");
  const CommandResult refused = spodnet(folder, "graph x.csv -o out");
  EXPECT_EQ(refused.status, 2);
  EXPECT_THAT(refused.err, HasSubstr("cannot be distinguished from chance"));
  EXPECT_THAT(refused.err, HasSubstr("--transpose"));
  EXPECT_FALSE(fs::exists(folder / "out"));
  const CommandResult turned = spodnet(folder, "graph x.csv --dry-run --transpose --json");
  ASSERT_EQ(turned.status, 0) << turned.err;
  EXPECT_EQ(turned.json().at("rows"), 1200);
  EXPECT_EQ(turned.json().at("variables"), 8);
}

TEST(CliResults, LevelsMakeCategoriesVariables) {
  const TemporaryFolder folder;
  std::string table = "mood,x,y\n";
  const char* words[] = {"bad", "ok", "good"};
  for (int i = 0; i < 40; ++i)
    table += std::string(words[i * 7 % 3]) + "," + std::to_string(i * 13 % 11) + "," +
             std::to_string(i * 17 % 7) + "\n";
  folder.write("x.csv", table);
  const CommandResult result = spodnet(folder, {"graph", "x.csv", "-o", "out", "--method",
                                                "glasso-ebic", "--levels", "mood=bad<ok<good"});
  ASSERT_EQ(result.status, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("bad<ok<good as 1 to 3"));
  EXPECT_EQ(read_csv(folder / "out" / "precision.csv").columns.front(), "mood");
}

TEST(CliResults, QuietPrintsNothingAndVerboseMore) {
  const TemporaryFolder folder;
  folder.write("x.csv", chain_table(40));
  const CommandResult quiet = spodnet(folder, "graph x.csv -o out --method glasso-ebic --quiet");
  EXPECT_EQ(quiet.status, 0);
  EXPECT_EQ(quiet.out + quiet.err, "");
  EXPECT_TRUE(fs::exists(folder / "out" / "report.html"));
  const CommandResult verbose =
      spodnet(folder, "graph x.csv -o out --method glasso-ebic --verbose");
  EXPECT_THAT(verbose.out, HasSubstr("wrote out/edges.csv"));
  EXPECT_THAT(verbose.out, HasSubstr("* glasso-ebic"));
}

TEST(CliResults, GroupsReachThePictureAndThePage) {
  const TemporaryFolder folder;
  folder.write("x.csv", chain_table(40));
  folder.write("nodes.csv", "variable,group,label\na,mind,Alpha\nb,mind,\nc,body,\n");
  const CommandResult result =
      spodnet(folder, "graph x.csv -o out --method glasso-ebic --groups nodes.csv");
  ASSERT_EQ(result.status, 0) << result.err;
  for (const char* file : {"graph.svg", "report.html"}) {
    const std::string text = read_bytes(folder / "out" / file);
    EXPECT_THAT(text, HasSubstr("Alpha")) << file;
    EXPECT_THAT(text, HasSubstr("mind")) << file;
  }
  expect_refused(folder, {{"graph x.csv -o g --groups x.csv", {"x.csv", "line"}}});
}

TEST(CliResults, AllPairsHaveTheirShares) {
  const TemporaryFolder folder;
  folder.write("x.csv", chain_table(60));
  ASSERT_EQ(spodnet(folder, "graph x.csv -o out --method glasso-ebic --bootstrap 20").status, 0);
  const Table theta = read_csv(folder / "out" / "partial_correlations.csv");
  const std::string pairs = read_bytes(folder / "out" / "pairs.csv");
  EXPECT_EQ(std::count(pairs.begin(), pairs.end(), '\n'), 1 + 10);
  CsvOptions text;
  text.leave_out_text = true;
  text.row_names = Choice::no;
  const Table table = read_csv(folder / "out" / "pairs.csv", text);
  ASSERT_EQ(table.columns.back(), "high");
  for (Eigen::Index k = 0; k < table.values.rows(); ++k) {
    const auto i = Eigen::Index(table.values(k, 0)) - 1, j = Eigen::Index(table.values(k, 1)) - 1;
    EXPECT_EQ(table.values(k, 3), theta.values(i, j));
    EXPECT_LE(table.values(k, 5), table.values(k, 6));
    EXPECT_TRUE(theta.values(i, j) == 0 || table.values(k, 4) > 0);
  }
}

TEST(CliResults, HelpBecomesCompletionsAndManualPages) {
  const TemporaryFolder folder;
  for (const char* shell : {"bash", "zsh", "fish"}) {
    const CommandResult result = spodnet(folder, std::string("completion ") + shell);
    EXPECT_EQ(result.status, 0) << result.err;
    for (const char* word : {"graph", "bootstrap", "estimate"})
      EXPECT_THAT(result.out, HasSubstr(word)) << shell;
  }
  folder.write("c.bash", spodnet(folder, "completion bash").out);
  EXPECT_EQ(std::system(("bash -n " + (folder / "c.bash").string()).c_str()), 0);
  const CommandResult page = spodnet(folder, "manual graph");
  EXPECT_THAT(page.out, HasSubstr(".TH SPODNET-GRAPH 1"));
  EXPECT_THAT(page.out, HasSubstr("\\-\\-bootstrap"));
  EXPECT_THAT(spodnet(folder, "--help").out, Not(HasSubstr("completion")));
}

TEST(CliResults, OptionsForFewStandInHelpAll) {
  const TemporaryFolder folder;
  const std::string usual = spodnet(folder, "train --help").out;
  const std::string all = spodnet(folder, "train --help-all").out;
  EXPECT_THAT(usual, HasSubstr("--help-all"));
  for (const char* option : {"--v-min", "--zeta", "--summary", "--tied", "--width", "--skip-bad"}) {
    EXPECT_THAT(usual, Not(HasSubstr(option)));
    EXPECT_THAT(all, HasSubstr(option));
  }
  EXPECT_THAT(spodnet(folder, "graph --help").out, Not(HasSubstr("--link-unobserved")));
  EXPECT_THAT(spodnet(folder, "graph --help-all").out, HasSubstr("--link-unobserved"));
}

TEST(CliResults, MessagesSpeakOfTheUsersMatters) {
  const TemporaryFolder folder;
  folder.write("x.csv", chain_table(3));
  const CommandResult few = spodnet(folder, "estimate x.csv --method glasso-cv -o t.csv");
  EXPECT_EQ(few.status, 2);
  EXPECT_THAT(few.err, Not(HasSubstr("glasso_cv")));
  EXPECT_THAT(few.err, HasSubstr("folds"));
  folder.write("y.csv", chain_table(40));
  const CommandResult words = spodnet(folder, "estimate y.csv -o t.csv");
  EXPECT_EQ(words.status, 0) << words.err;
  EXPECT_THAT(words.out, Not(HasSubstr("standardized 0")));
  EXPECT_THAT(words.out, HasSubstr("by the network for"));
}

TEST(CliResults, OneDriftingColumnAmongManyIsNamed) {
  const TemporaryFolder folder;
  std::string table = "a,b,c,d,e,drift\n";
  std::uint32_t random = 5;
  const auto next = [&] { return random = 1664525 * random + 1013904223, (random >> 16) % 1000; };
  for (int i = 0; i < 120; ++i) {
    for (int j = 0; j < 5; ++j) table += std::to_string(next()) + ",";
    table += std::to_string(i + double(next()) / 100) + "\n";
  }
  folder.write("x.csv", table);
  const CommandResult result = spodnet(folder, "graph x.csv -o out --method glasso-ebic");
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("'drift' drifts from row to row"));
  EXPECT_THAT(result.out, Not(HasSubstr("'a' drift")));
}

TEST(CliResults, TheHeadlineCountsTheRowsUsed) {
  const TemporaryFolder folder;
  folder.write("x.csv", chain_table(40, ",,,,\n,,,,\n"));
  EXPECT_THAT(spodnet(folder, "graph x.csv -o o --method glasso-ebic").out,
              HasSubstr("5 variables, 40 samples"));
  folder.write("y.csv", chain_table(40, "1,,,,\n"));
  EXPECT_THAT(spodnet(folder, "graph y.csv -o o --method glasso-ebic --missing drop").out,
              HasSubstr("5 variables, 40 samples"));
}

TEST(CliResults, AColumnThatStandsTwiceHasNoScoreOfItsOwn) {
  const TemporaryFolder folder;
  std::string table, line;
  std::stringstream lines(chain_table(40));
  while (std::getline(lines, line)) table += line + "," + line.substr(0, line.find(',')) + "\n";
  folder.write("x.csv", table);
  const CommandResult result = spodnet(folder, "graph x.csv -o o --json");
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_EQ(result.json().at("p"), 5);
  EXPECT_LT(result.json().at("condition").get<double>(), 1e4);
  EXPECT_EQ(result.json().at("eigenvalues").size(), 5u);
  EXPECT_THAT(result.out, Not(testing::ContainsRegex("[0-9]\\.0[,}\\]]")));
  EXPECT_THAT(result.json().at("warnings").dump(), HasSubstr("left out"));
}

TEST(CliResults, RanksGiveNoAdviceToUseRanksAndSayTheirUnits) {
  const TemporaryFolder folder;
  std::string heavy = "a,b,c\n";
  std::uint32_t random = 5;
  for (int i = 0; i < 80; ++i) {
    for (int j = 0; j < 3; ++j) {
      random = 1664525 * random + 1013904223;
      const double u = double(random >> 8) / double(1u << 24) - 0.5;
      heavy += (j > 0 ? "," : "") + std::to_string(u / (0.51 - std::abs(u)) / 3);
    }
    heavy += '\n';
  }
  folder.write("x.csv", heavy);
  EXPECT_THAT(spodnet(folder, "graph x.csv -o o --method glasso-ebic").out,
              HasSubstr("which go by ranks alone"));
  EXPECT_THAT(spodnet(folder, "graph x.csv -o o --method glasso-ebic --kind gaussian").out,
              HasSubstr("--robust spearman"));
  const CommandResult ranks =
      spodnet(folder, "graph x.csv -o o --method glasso-ebic --robust spearman");
  EXPECT_EQ(ranks.status, 0) << ranks.err;
  EXPECT_THAT(ranks.out, Not(HasSubstr("--robust spearman")));
  EXPECT_THAT(ranks.out, HasSubstr("1.48 median absolute deviations"));
  EXPECT_THAT(ranks.out, Not(HasSubstr("in the data's units")));
}

TEST(CliResults, ACovarianceAloneGivesNoHairball) {
  const TemporaryFolder folder;
  folder.write("x.csv", chain_table(120));
  ASSERT_EQ(spodnet(folder, "graph x.csv -o samples").status, 0);
  const Matrix X = read_csv(folder / "x.csv").values;
  const Matrix centred = X.rowwise() - X.colwise().mean();
  const Matrix S = centred.transpose() * centred / double(X.rows());
  write_csv(folder / "S.csv", {{"a", "b", "c", "d", "e"}, {"a", "b", "c", "d", "e"}, S});
  const CommandResult result =
      spodnet(folder, "graph S.csv -o g --input covariance --samples-count 120 --json");
  ASSERT_EQ(result.status, 0) << result.err;
  const auto lines = read_bytes(folder / "samples" / "edges.csv");
  const auto edges = double(std::count(lines.begin(), lines.end(), '\n') - 1);
  EXPECT_LE(result.json().at("edges").get<double>(), 2 * edges + 1);
}

TEST(CliResults, ADamagedModelIsOneClearLine) {
  const TemporaryFolder folder;
  folder.write("x.csv", chain_table(40));
  ASSERT_EQ(spodnet(folder,
                    "train --model ubg --p 5 --n 40 --count 8 --valid 0.5 --epochs 1 "
                    "-o m.safetensors --quiet")
                .status,
            0);
  EXPECT_EQ(spodnet(folder, "estimate x.csv --method m.safetensors -o t.csv").status, 0);
  std::string bytes = read_bytes(folder / "m.safetensors");
  bytes[bytes.size() - 3] = char(bytes[bytes.size() - 3] ^ 4);
  folder.write("m.safetensors", bytes);
  expect_refused(folder, {{"estimate x.csv --method m.safetensors -o t.csv",
                           {"m.safetensors", "checksum", "damaged"}}});
}

}  // namespace
}  // namespace spodnet::test
