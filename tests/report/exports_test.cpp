#include "spodnet/report/exports.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>
#include <csignal>
#include <fstream>
#include <nlohmann/json.hpp>

#include "spodnet/core/parse.hpp"
#include "spodnet/estimators/method_words.hpp"
#include "spodnet/io/csv.hpp"
#include "spodnet/io/npy.hpp"
#include "spodnet/metrics/centrality.hpp"
#include "spodnet/report/export_text.hpp"
#include "support/csv_cells.hpp"
#include "support/expect_error.hpp"
#include "support/graph_answer.hpp"
#include "support/temporary_folder.hpp"

namespace spodnet {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using test::csv_cells;
using test::expect_error;
using test::read_bytes;
using test::TemporaryFolder;

const Answer& small() {
  static const Answer answer = [] {
    Answer made = test::make_answer(
        {.names = {"a", "b", "c d", "e", "f", "g", "h"}, .n = 80, .resamples = 12, .lambda = 0.1});
    test::add_words(made);
    return made;
  }();
  return answer;
}

TEST(Exports, WritesEveryFileAndNothingElse) {
  const TemporaryFolder folder;
  const std::vector<fs::path> paths = write_graph_answer(folder / "out", small());
  std::vector<std::string> names;
  for (const fs::path& path : paths) names.push_back(path.filename());
  EXPECT_THAT(names,
              testing::ElementsAre(
                  "edges.csv", "pairs.csv", "precision.csv", "precision.npy", "precision.mtx",
                  "partial_correlations.csv", "covariance.csv", "communities.csv", "nodes.csv",
                  "edge_differences.csv", "node_differences.csv", "graph.graphml", "graph.dot",
                  "graph.json", "graph.svg", "graph.pdf", "graph.png", "summary.json",
                  "read_results.py", "read_results.R", "report.html"));
  std::size_t found = 0;
  for (const auto& entry : fs::directory_iterator(folder / "out")) found += entry.file_size() > 0;
  EXPECT_EQ(found, paths.size());
}

TEST(Exports, FilesOfAnEarlierAnswerThatThisOneHasNotAreGone) {
  const TemporaryFolder folder;
  write_graph_answer(folder / "out", small());
  std::ofstream(folder / "out/mine.csv") << "1\n";
  Answer plain = small();
  plain.nodes.low.resize(0, 0);
  plain.nodes.high.resize(0, 0);
  write_graph_answer(folder / "out", plain);
  EXPECT_FALSE(fs::exists(folder / "out/edge_differences.csv"));
  EXPECT_FALSE(fs::exists(folder / "out/node_differences.csv"));
  EXPECT_TRUE(fs::exists(folder / "out/nodes.csv"));
  EXPECT_TRUE(fs::exists(folder / "out/mine.csv"));
}

TEST(Exports, TheSameAnswerGivesTheSameBytes) {
  const TemporaryFolder folder;
  const auto first = write_graph_answer(folder / "1", small());
  const auto second = write_graph_answer(folder / "2", small());
  for (std::size_t k = 0; k < first.size(); ++k)
    EXPECT_EQ(read_bytes(first[k]), read_bytes(second[k])) << first[k];
}

TEST(Exports, MatricesReadBackBitForBit) {
  const TemporaryFolder folder;
  write_graph_answer(folder.path(), small());
  const Table precision = read_csv(folder / "precision.csv");
  EXPECT_EQ(precision.values, small().Theta);
  EXPECT_EQ(precision.rows, small().names);
  EXPECT_EQ(precision.columns, small().names);
  EXPECT_EQ(read_csv(folder / "partial_correlations.csv").values, small().partial);
  EXPECT_THAT(read_bytes(folder / "partial_correlations.csv"), Not(testing::HasSubstr("-0,")));
  const Tensor npy = read_npy(folder / "precision.npy");
  EXPECT_THAT(npy.values, testing::ElementsAreArray(small().Theta.data(), small().Theta.size()));
  EXPECT_THAT(read_bytes(folder / "precision.mtx"),
              testing::StartsWith("%%MatrixMarket matrix coordinate real symmetric\n7 7 "));
}

TEST(Exports, EdgesReadBack) {
  const auto rows = csv_cells(edges_csv(small()));
  ASSERT_EQ(rows.size(), small().edges.size() + 1);
  EXPECT_THAT(rows[0], testing::ElementsAre("source", "target", "source_index", "target_index",
                                            "theta", "partial_correlation", "share",
                                            "sign_agreement", "low", "high", "stable"));
  for (std::size_t e = 0; e < small().edges.size(); ++e) {
    const AnswerEdge& edge = small().edges[e];
    const auto& row = rows[e + 1];
    ASSERT_EQ(row.size(), rows[0].size());
    EXPECT_EQ(row[0], small().names[edge.i]);
    EXPECT_EQ(row[1], small().names[edge.j]);
    EXPECT_EQ(to_count(row[2]), edge.i + 1);
    EXPECT_EQ(to_count(row[3]), edge.j + 1);
    EXPECT_EQ(to_double(row[4]), edge.theta);
    EXPECT_EQ(to_double(row[5]), edge.partial_correlation);
    EXPECT_EQ(to_double(row[6]), edge.confidence->share);
    EXPECT_EQ(to_double(row[7]), edge.confidence->sign_agreement);
    EXPECT_EQ(to_double(row[8]), edge.confidence->low);
    EXPECT_EQ(to_double(row[9]), edge.confidence->high);
    EXPECT_EQ(row[10], edge.confidence->stable ? "1" : "0");
  }
}

TEST(Exports, WithoutResamplesThereAreNoConfidenceColumns) {
  Answer answer = small();
  answer.resamples = 0;
  for (AnswerEdge& edge : answer.edges) edge.confidence.reset();
  EXPECT_EQ(csv_cells(edges_csv(answer))[0].size(), 6u);
  const Points points = answer_layout(answer);
  EXPECT_THAT(graphml(answer, points), Not(testing::HasSubstr("share")));
  EXPECT_FALSE(json::parse(graph_json(answer, points))["links"][0].contains("share"));
}

TEST(Exports, CommunitiesCountTheNeighbours) {
  const auto rows = csv_cells(communities_csv(small()));
  ASSERT_EQ(rows.size(), small().names.size() + 1);
  for (std::size_t i = 0; i < small().names.size(); ++i) {
    EXPECT_EQ(rows[i + 1][0], small().names[i]);
    EXPECT_EQ(to_count(rows[i + 1][2]), small().community[i] + 1);
    const auto row = small().Theta.row(Eigen::Index(i));
    EXPECT_EQ(to_count(rows[i + 1][3]), std::size_t((row.array() != 0).count()) - 1);
  }
}

TEST(Exports, NodesReadBackWithTheirRanges) {
  const auto rows = csv_cells(nodes_csv(small()));
  const json nodes = json::parse(graph_json(small(), answer_layout(small())))["nodes"];
  ASSERT_EQ(rows.size(), small().names.size() + 1);
  for (std::size_t i = 0; i < small().names.size(); ++i)
    for (std::size_t m = 0; m < kNodeMeasures; ++m) {
      const double value = small().nodes.value(Eigen::Index(i), Eigen::Index(m));
      const std::string name(kNodeMeasureNames[m]);
      EXPECT_EQ(rows[0][4 + 3 * m], name);
      EXPECT_EQ(to_double(rows[i + 1][4 + 3 * m]), value);
      EXPECT_EQ(to_double(rows[i + 1][5 + 3 * m]), value - 0.125);
      EXPECT_EQ(to_double(rows[i + 1][6 + 3 * m]), value + 0.25);
      EXPECT_EQ(nodes[i][name].get<double>(), value);
      EXPECT_EQ(nodes[i][name + "_high"].get<double>(), value + 0.25);
    }
  const json summary = json::parse(summary_json(small()));
  EXPECT_EQ(summary["order_stability"]["predictability"].get<double>(), 0.75);
}

TEST(Exports, DifferencesNameBothSides) {
  const auto edges = csv_cells(edge_differences_csv(small()));
  ASSERT_EQ(edges.size(), small().edges.size());
  const AnswerEdge &first = small().edges[0], &second = small().edges[1];
  EXPECT_EQ(edges[1][0], small().names[first.i]);
  EXPECT_EQ(edges[1][3], small().names[second.j]);
  EXPECT_EQ(to_double(edges[1][4]), first.partial_correlation - second.partial_correlation);
  EXPECT_EQ(edges[1][7], "0");  // -0.1 to 0.2 holds 0
  EXPECT_EQ(edges[2][7], "1");
  const auto nodes = csv_cells(node_differences_csv(small()));
  ASSERT_EQ(nodes.size(), small().names.size() + 1);
  EXPECT_EQ(nodes[1][0], "strength");
  EXPECT_EQ(nodes.back()[0], "expected_influence");
  EXPECT_EQ(nodes.back()[2], small().names[1]);
}

TEST(Exports, GraphJsonReadsBack) {
  const Points points = answer_layout(small());
  const json graph = json::parse(graph_json(small(), points));
  ASSERT_EQ(graph["nodes"].size(), small().names.size());
  ASSERT_EQ(graph["links"].size(), small().edges.size());
  for (std::size_t i = 0; i < small().names.size(); ++i) {
    EXPECT_EQ(graph["nodes"][i]["name"], small().names[i]);
    EXPECT_NEAR(graph["nodes"][i]["x"].get<double>(), points[i].x, 1e-4);
  }
  for (std::size_t e = 0; e < small().edges.size(); ++e) {
    EXPECT_EQ(graph["links"][e]["target"], small().edges[e].j);
    EXPECT_EQ(graph["links"][e]["theta"].get<double>(), small().edges[e].theta);
    EXPECT_EQ(graph["links"][e]["high"].get<double>(), small().edges[e].confidence->high);
  }
}

TEST(Exports, SummaryHoldsTheWholeStory) {
  const json summary = json::parse(summary_json(small()));
  EXPECT_EQ(summary["variables"], 7);
  EXPECT_EQ(summary["samples"], 80);
  EXPECT_EQ(summary["certificate"]["eig_min"].get<double>(), small().certificate.eig_min);
  EXPECT_EQ(summary["notes"][0]["kind"], "done");
  EXPECT_EQ(summary["notes"][3]["kind"], "warning");
  EXPECT_EQ(summary["notes"][4]["kind"], "choice");
  EXPECT_EQ(summary["candidates"].size(), small().candidates.size());
  EXPECT_TRUE(summary["candidates"].back()["held_out"].is_null());  // was NaN
  EXPECT_EQ(summary["strongest"][0]["source"], small().names[small().edges[0].i]);
}

TEST(Exports, DotStatesEveryEdgeOnce) {
  const std::string dot = graph_dot(small(), answer_layout(small()));
  std::size_t lines = 0;
  for (std::size_t at = 0; (at = dot.find(" -- ", at)) != dot.npos; ++at) ++lines;
  EXPECT_EQ(lines, small().edges.size());
}

TEST(Exports, ReportHoldsNoAddressToLoadFrom) {
  const std::string page = report_html(small(), answer_layout(small()));
  for (const char* address : {"src=\"http", "href=\"//", "url(http", "@import", "fetch("})
    EXPECT_THAT(page, Not(testing::HasSubstr(address)));
  EXPECT_THAT(page, Not(testing::HasSubstr("{{")));
}

TEST(Exports, ReportCitesWhatTheProjectAsksFor) {
  const std::string page = report_html(small(), answer_layout(small()));
  const std::string citation = read_bytes(fs::path(SPODNET_GOLDEN_DIR) / "../../CITATION.cff");
  const std::string paper = citation.substr(citation.find("preferred-citation:"));
  const auto value_of = [&](const std::string& key, std::size_t& at) {
    at = paper.find(key + ": ", at) + key.size() + 2;
    std::string value = paper.substr(at, paper.find('\n', at) - at);
    std::erase(value, '"');
    return value;
  };
  std::size_t at = 0;
  EXPECT_THAT(page, testing::HasSubstr(value_of("title", at)));
  for (int author = 0; author < 3; ++author) {
    const std::string family = value_of("family-names", at), given = value_of("given-names", at);
    EXPECT_THAT(page, testing::HasSubstr(family + ", " + given));
  }
  EXPECT_THAT(page, testing::HasSubstr("{" + value_of("year", at) + "}"));
}

TEST(Exports, RefusesWhatContradictsItself) {
  const TemporaryFolder folder;
  const auto refused = [&](auto&& change, const std::vector<std::string>& parts) {
    Answer answer = small();
    change(answer);
    expect_error([&] { write_graph_answer(folder / "out", answer); }, parts);
    EXPECT_FALSE(fs::exists(folder / "out"));
  };
  refused([](Answer& a) { a.names.pop_back(); }, {"Theta is 7 x 7 for 6 names"});
  refused([](Answer& a) { a.community.pop_back(); }, {"6 community labels for 7 names"});
  refused([](Answer& a) { a.community[2] = 7; }, {"community 7 of 7"});
  refused([](Answer& a) { a.edges[0].j = 7; }, {"edge (", "i < j < p"});
  refused([](Answer& a) { a.edges[0].theta = NAN; }, {"edge (", "not finite"});
  refused([](Answer& a) { a.Theta(1, 1) = INFINITY; }, {"Theta", "not finite"});
  refused([](Answer& a) { std::swap(a.edges.front(), a.edges.back()); }, {"strongest first"});
  refused([](Answer& a) { a = {}; }, {"no variable"});
}

TEST(Exports, AFailureLeavesTheEarlierFiles) {
  const TemporaryFolder folder;
  const auto paths = write_graph_answer(folder.path(), small());
  const std::string before = read_bytes(folder / "edges.csv");
  fs::remove(folder / "report.html");
  fs::create_directory(folder / "report.html");
  Answer changed = small();
  changed.names[0] = "changed";
  expect_error([&] { write_graph_answer(folder.path(), changed); }, {"report.html", "folder"});
  EXPECT_EQ(read_bytes(folder / "edges.csv"), before);
  EXPECT_EQ(std::distance(fs::directory_iterator(folder.path()), {}), std::ptrdiff_t(paths.size()));
}

TEST(Exports, AFullDiskIsToldWithTheFilesOwnName) {
  const TemporaryFolder folder;
  struct ::rlimit before {};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  const auto ignored = std::signal(SIGXFSZ, SIG_IGN);
  const struct ::rlimit little { 2000, before.rlim_max };
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &little), 0);
  const std::string path = (folder / "new/out/").string();
  expect_error([&] { write_graph_answer(path, small()); }, {path + "nodes.csv", "too large"});
  ::setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, ignored);
  EXPECT_TRUE(fs::is_empty(folder.path()));
}

TEST(MethodWords, CodesAreReadAndFilesStay) {
  EXPECT_EQ(method_words("pretrained:target=precision,refit=true"), "learned network, refitted");
  EXPECT_EQ(method_words("pretrained:factors=given"), "learned network, given hidden factors");
  EXPECT_EQ(method_words("pretrained"), "learned network");
  EXPECT_EQ(method_words("glasso-ebic:gamma=0"), "graphical lasso, EBIC (gamma=0)");
  EXPECT_EQ(method_words("ubg trained to 60 x 9, refitted"), "network trained to 60 x 9, refitted");
  EXPECT_EQ(method_words("mine.safetensors"), "mine.safetensors");
}

}  // namespace
}  // namespace spodnet
