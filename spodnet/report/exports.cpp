#include "spodnet/report/exports.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "spodnet/core/error.hpp"
#include "spodnet/io/atomic_file.hpp"
#include "spodnet/io/csv.hpp"
#include "spodnet/io/file_set.hpp"
#include "spodnet/io/matrix_market.hpp"
#include "spodnet/io/npy.hpp"
#include "spodnet/report/export_text.hpp"
#include "spodnet/report/page_files.hpp"
#include "spodnet/report/picture.hpp"
#include "spodnet/report/report_data.hpp"

namespace spodnet {
namespace {

Table named(const Answer& answer, const Matrix& values) {
  std::vector<std::string> names;
  for (const std::string& name : answer.names) names.push_back(clean_text(name));
  return {names, names, values.array() + 0.0};  // -0 becomes 0
}

void check_edges(const Answer& answer, const std::string& where) {
  for (const AnswerEdge& edge : answer.edges) {
    if (!(edge.i < edge.j && edge.j < answer.names.size()))
      throw Error(fmt::format("{}: edge ({}, {}) of {} variables; i < j < p is needed", where,
                              edge.i, edge.j, answer.names.size()));
    if (!std::isfinite(edge.theta) || !std::isfinite(edge.partial_correlation))
      throw Error(fmt::format("{}: edge ({}, {}) is not finite", where, edge.i, edge.j));
  }
  const auto strength = [](const AnswerEdge& edge) { return std::abs(edge.partial_correlation); };
  if (!std::ranges::is_sorted(answer.edges, std::ranges::greater(), strength))
    throw Error(where + ": the edges do not come strongest first");
}

void write_files(FileSet& files, const Answer& answer, const std::vector<NamedText>& more) {
  const auto text = [&](const char* name, const std::string& content) {
    write_file_atomically(files.add(name), content);
  };
  const Points points = answer_layout(answer);
  text("edges.csv", edges_csv(answer));
  if (answer.names.size() <= kPairsVariables) text("pairs.csv", pairs_csv(answer));
  write_csv(files.add("precision.csv"), named(answer, answer.Theta));
  write_npy(files.add("precision.npy"), answer.Theta);
  write_matrix_market(files.add("precision.mtx"), answer.Theta);
  write_csv(files.add("partial_correlations.csv"), named(answer, answer.partial));
  if (answer.W.size() > 0) write_csv(files.add("covariance.csv"), named(answer, answer.W));
  text("communities.csv", communities_csv(answer));
  if (answer.nodes.value.size() > 0) text("nodes.csv", nodes_csv(answer));
  if (answer.nodes.low.size() > 0) {
    text("edge_differences.csv", edge_differences_csv(answer));
    text("node_differences.csv", node_differences_csv(answer));
  }
  text("graph.graphml", graphml(answer, points));
  text("graph.dot", graph_dot(answer, points));
  text("graph.json", graph_json(answer, points));
  const Picture picture = draw_picture(answer, points);
  text("graph.svg", picture_svg(picture));
  text("graph.pdf", picture_pdf(picture));
  text("graph.png", picture_png(picture));
  text("summary.json", summary_json(answer));
  for (const char* name : {"read_results.py", "read_results.R"})
    text(name, std::string(page_file(name)));
  for (const auto& [name, content] : more) text(name.c_str(), content);
  text("report.html", report_html(answer, points));
}

/// Files that an earlier answer had and this one has not: they would contradict it.
void remove_unwritten(const std::filesystem::path& dir,
                      const std::vector<std::filesystem::path>& written) {
  for (const char* name : {"pairs.csv", "covariance.csv", "nodes.csv", "edge_differences.csv",
                           "node_differences.csv"}) {
    std::error_code ignored;
    if (std::ranges::find(written, dir / name) == written.end())
      std::filesystem::remove(dir / name, ignored);
  }
}

}  // namespace

void check_answer(const Answer& answer, const std::string& where) {
  const auto p = Eigen::Index(answer.names.size());
  const auto square = [&](const Matrix& A, const char* name) {
    if (A.rows() != p || A.cols() != p)
      throw Error(
          fmt::format("{}: {} is {} x {} for {} names", where, name, A.rows(), A.cols(), p));
    if (!A.allFinite())
      throw Error(fmt::format("{}: {} holds a value that is not finite", where, name));
  };
  if (p == 0) throw Error(fmt::format("{}: the answer has no variable", where));
  square(answer.Theta, "Theta");
  square(answer.partial, "partial");
  if (answer.community.size() != answer.names.size())
    throw Error(
        fmt::format("{}: {} community labels for {} names", where, answer.community.size(), p));
  for (const std::size_t c : answer.community)
    if (c >= answer.names.size())
      throw Error(fmt::format("{}: community {} of {} variables", where, c, p));
  check_edges(answer, where);
  if (answer.nodes.value.size() > 0 && answer.nodes.value.rows() != p)
    throw Error(
        fmt::format("{}: measures of {} nodes for {} names", where, answer.nodes.value.rows(), p));
  const std::size_t pairs = answer.names.size() * (answer.names.size() - 1) / 2;
  if (!answer.pairs.empty() && answer.pairs.size() != pairs)
    throw Error(
        fmt::format("{}: shares of {} pairs, there are {}", where, answer.pairs.size(), pairs));
  if (!answer.styles.empty() && answer.styles.size() != answer.names.size())
    throw Error(fmt::format("{}: {} styles for {} names", where, answer.styles.size(), p));
}

std::vector<std::filesystem::path> write_graph_answer(const std::filesystem::path& dir,
                                                      const Answer& answer,
                                                      const std::vector<NamedText>& more) {
  check_answer(answer, "graph");
  FileSet files(dir);
  try {
    write_files(files, answer, more);
  } catch (const Error& error) {
    throw Error(files.named(error.what()));
  }
  const bool again = std::filesystem::exists(dir / "summary.json");
  std::vector<std::filesystem::path> written = files.commit();
  if (again) remove_unwritten(dir, written);
  return written;
}

std::string report_html(const Answer& answer, const Points& points) {
  return fill_page(page_file("page.html"), {{"title", xml_text(answer.title)},
                                            {"version", std::string(library_version())},
                                            {"style", std::string(page_file("style.css"))},
                                            {"data", json_for_script(report_data(answer, points))},
                                            {"scripts", page_scripts()}});
}

}  // namespace spodnet
