#include <fmt/format.h>

#include <algorithm>
#include <fstream>

#include "cli/graph.hpp"
#include "spodnet/estimators/method_words.hpp"
#include "spodnet/io/message.hpp"
#include "spodnet/report/exports.hpp"
#include "spodnet/report/report_data.hpp"

namespace spodnet::cli {
namespace {

constexpr std::size_t kEdgesShown = 5;

/// A name on one line of a table.
std::string plain(const std::string& name) {
  std::string text = shown(name, 30);
  return text.substr(1, text.size() - 2);
}

std::string edge_table(const Answer& answer) {
  std::vector<std::vector<std::string>> rows;
  for (std::size_t k = 0; k < std::min(kEdgesShown, answer.edges.size()); ++k) {
    const AnswerEdge& edge = answer.edges[k];
    std::vector<std::string> row = {
        "  " + plain(answer.names[edge.i]) + " - " + plain(answer.names[edge.j]),
        fmt::format("{:+.2f}", edge.partial_correlation)};
    if (edge.confidence)
      row.push_back(fmt::format("in {:.0f} % of resamples", 100 * edge.confidence->share));
    rows.push_back(std::move(row));
  }
  return aligned(rows);
}

std::string held_out_line(const Answer& answer) {
  std::string line;
  for (const AnswerCandidate& each : answer.candidates)
    if (each.held_out == each.held_out)
      line += fmt::format("{}{} {:.2f}", line.empty() ? "" : "; ", method_words(each.method),
                          each.held_out);
  return line.empty() ? line : "held-out log-likelihood per row: " + line + "\n";
}

std::string counted(std::size_t count, const char* one, const char* many) {
  return fmt::format("{} {}", count, count == 1 ? one : many);
}

/// Communities of two or more variables, and the variables on their own.
std::string communities_text(const Answer& answer) {
  std::vector<std::size_t> size;
  for (const std::size_t c : answer.community) {
    if (c >= size.size()) size.resize(c + 1);
    ++size[c];
  }
  const auto alone = std::size_t(std::count(size.begin(), size.end(), 1u));
  return counted(size.size() - alone, "community", "communities") +
         (alone > 0 ? " and " + counted(alone, "variable", "variables") + " alone" : "");
}

}  // namespace

std::string verbose_text(const Answer& answer, const std::vector<std::filesystem::path>& files) {
  std::vector<std::vector<std::string>> rows = {
      {"method", "held-out", "+-", "NMSE (synthetic)", "edges", "time"}};
  for (const AnswerCandidate& each : answer.candidates)
    rows.push_back({(each.chosen ? "* " : "  ") + each.method, number_text(each.held_out),
                    number_text(each.spread), each.nmse ? number_text(*each.nmse) : "-",
                    std::to_string(each.edges), seconds_text(each.seconds), each.note});
  std::string text = aligned(rows);
  for (const auto& file : files) text += "wrote " + shown_path(file) + "\n";
  return text;
}

std::string graph_text(const Answer& answer, const std::filesystem::path& folder) {
  const std::size_t p = answer.names.size();
  std::string text = fmt::format(
      "{} variables, {:.0f} samples: {} of {}, {} (modularity {:.2f}), by {} ({})\n", p,
      answer.rows > 0 ? answer.rows : answer.n, counted(answer.edges.size(), "edge", "edges"),
      counted(p * (p - 1) / 2, "pair", "pairs"), communities_text(answer), answer.modularity,
      method_words(answer.method), seconds_text(answer.seconds));
  if (answer.stable_q) {
    const auto stable = std::count_if(answer.edges.begin(), answer.edges.end(),
                                      [](const AnswerEdge& e) { return e.confidence->stable; });
    text = fmt::format("{} stable at {:g}, of ",
                       counted(std::size_t(stable), "edge is", "edges are"), *answer.stable_q) +
           text;
  }
  if (!answer.edges.empty())
    text += "strongest edges (partial correlation):\n" + edge_table(answer);
  text += held_out_line(answer);
  text += fmt::format(
      "certificate: |Theta W - I| {:.1e}, smallest eigenvalue {:.3g}, condition "
      "{:.3g}\n",
      answer.certificate.residual, answer.certificate.eig_min, answer.certificate.condition);
  if (answer.stable_q)
    text += fmt::format("stable at {:g}: {}\n", *answer.stable_q, answer.stable_check);
  for (const AnswerNote& note : answer.notes)
    text += (note.kind == AnswerNote::Kind::warning ? "careful: " : "note: ") + note.text + "\n";
  return text + "report: " + shown_path(folder / "report.html") + "\n";
}

Json graph_result_json(const Answer& answer, const std::vector<std::filesystem::path>& files) {
  Json out = {{"method", answer.method},
              {"method_name", method_words(answer.method)},
              {"p", answer.names.size()},
              {"n", number_json(answer.n)},
              {"edges", answer.edges.size()},
              {"density", number_json(answer.certificate.density)},
              {"modularity", number_json(answer.modularity)},
              {"residual", number_json(answer.certificate.residual)},
              {"eig_min", number_json(answer.certificate.eig_min)},
              {"condition", number_json(answer.certificate.condition)},
              {"seconds", answer.seconds}};
  for (const AnswerNote& note : answer.notes)
    out[note.kind == AnswerNote::Kind::warning ? "warnings" : "notes"].push_back(note.text);
  for (const double value : answer.eigenvalues) out["eigenvalues"].push_back(number_json(value));
  for (const auto& file : files) out["files"].push_back(file.string());
  out["summary"] = Json::parse(summary_json(answer));
  if (answer.edges.size() <= kReportEdges)
    for (const auto& file : files)
      if (file.filename() == "graph.json") out["graph"] = Json::parse(std::ifstream(file));
  return out;
}

}  // namespace spodnet::cli
