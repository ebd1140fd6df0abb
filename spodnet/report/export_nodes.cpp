#include <fmt/format.h>

#include "spodnet/io/csv.hpp"
#include "spodnet/io/number_text.hpp"
#include "spodnet/metrics/centrality.hpp"
#include "spodnet/report/export_text.hpp"
#include "spodnet/report/exports.hpp"

namespace spodnet {
namespace {

void append_value(std::string& line, double value) {
  line += ',';
  append_number(line, value);
}

void append_edge(std::string& line, const Answer& answer, const AnswerEdge& edge) {
  append_csv_name(line, clean_text(answer.names[edge.i]));
  line += ',';
  append_csv_name(line, clean_text(answer.names[edge.j]));
}

void append_range(std::string& line, const AnswerDifference& difference) {
  append_value(line, difference.low);
  append_value(line, difference.high);
  line += difference.differs() ? ",1\n" : ",0\n";
}

void append_node_pairs(std::string& text, const Answer& answer, NodeMeasure measure,
                       const std::vector<AnswerDifference>& differences) {
  for (const AnswerDifference& each : differences) {
    text += kNodeMeasureNames[std::size_t(measure)];
    text += ',';
    append_csv_name(text, clean_text(answer.names[each.a]));
    text += ',';
    append_csv_name(text, clean_text(answer.names[each.b]));
    const auto column = answer.nodes.value.col(Eigen::Index(measure));
    append_value(text, column[Eigen::Index(each.a)] - column[Eigen::Index(each.b)]);
    append_range(text, each);
  }
}

}  // namespace

std::string nodes_csv(const Answer& answer) {
  const AnswerNodes& nodes = answer.nodes;
  std::string text = "variable,index,community,kind";
  for (const std::string_view name : kNodeMeasureNames) {
    text += fmt::format(",{}", name);
    if (nodes.low.size() > 0) text += fmt::format(",{0}_low,{0}_high", name);
  }
  text += '\n';
  for (Eigen::Index i = 0; i < nodes.value.rows(); ++i) {
    append_csv_name(text, clean_text(answer.names[std::size_t(i)]));
    text += fmt::format(",{},{},{}", i + 1, answer.community[std::size_t(i)] + 1,
                        answer.kinds.empty() ? "gaussian" : answer.kinds[std::size_t(i)]);
    for (Eigen::Index m = 0; m < nodes.value.cols(); ++m) {
      append_value(text, nodes.value(i, m));
      if (nodes.low.size() == 0) continue;
      append_value(text, nodes.low(i, m));
      append_value(text, nodes.high(i, m));
    }
    text += '\n';
  }
  return text;
}

std::string edge_differences_csv(const Answer& answer) {
  std::string text = "source_1,target_1,source_2,target_2,difference,low,high,differs\n";
  for (const AnswerDifference& each : answer.edge_differences) {
    const AnswerEdge &a = answer.edges[each.a], &b = answer.edges[each.b];
    append_edge(text, answer, a);
    text += ',';
    append_edge(text, answer, b);
    append_value(text, a.partial_correlation - b.partial_correlation);
    append_range(text, each);
  }
  return text;
}

std::string node_differences_csv(const Answer& answer) {
  std::string text = "measure,variable_1,variable_2,difference,low,high,differs\n";
  append_node_pairs(text, answer, NodeMeasure::strength, answer.strength_differences);
  append_node_pairs(text, answer, NodeMeasure::expected_influence, answer.influence_differences);
  return text;
}

}  // namespace spodnet
