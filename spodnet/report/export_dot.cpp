#include <fmt/format.h>

#include <array>
#include <cmath>

#include "spodnet/metrics/layout.hpp"
#include "spodnet/report/export_text.hpp"
#include "spodnet/report/exports.hpp"

namespace spodnet {
namespace {

// Told apart by colour-blind readers too (Okabe and Ito), lightened for black text.
constexpr std::array<const char*, 7> kFills = {"#9ccbe8", "#f3c27a", "#8fd3bd", "#e9b6d2",
                                               "#f2e98a", "#f0a988", "#c9c2e6"};
constexpr const char* kPositive = "#0072b2";
constexpr const char* kNegative = "#d55e00";
constexpr double kInch = 72;  // Graphviz counts in points

}  // namespace

std::string graph_dot(const Answer& answer, const Points& points) {
  std::string text = fmt::format("graph {} {{\n", dot_label(answer.title));
  text +=
      "  graph [layout=neato, overlap=false, splines=line, outputorder=edgesfirst];\n"
      "  node [shape=ellipse, style=filled, penwidth=0.5, fontname=\"Helvetica\"];\n";
  const double scale = kInch * 1.2;
  for (std::size_t i = 0; i < answer.names.size(); ++i)
    text += fmt::format(
        "  n{} [label={}, community={}, fillcolor=\"{}\", pos=\"{:.2f},{:.2f}\"];\n", i,
        dot_label(answer.names[i]), answer.community[i] + 1,
        kFills[answer.community[i] % kFills.size()], scale * points[i].x, -scale * points[i].y);
  for (const AnswerEdge& edge : answer.edges) {
    const bool negative = edge.partial_correlation < 0;
    text += fmt::format(
        "  n{} -- n{} [partial_correlation=\"{}\", theta=\"{}\", color=\"{}\", penwidth={:.2f}{}",
        edge.i, edge.j, edge.partial_correlation, edge.theta, negative ? kNegative : kPositive,
        0.5 + 6 * std::abs(edge.partial_correlation), negative ? ", style=dashed" : "");
    if (edge.confidence) text += fmt::format(", share=\"{}\"", edge.confidence->share);
    text += "];\n";
  }
  return text += "}\n";
}

}  // namespace spodnet
