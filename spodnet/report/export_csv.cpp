#include <fmt/format.h>

#include "spodnet/io/csv.hpp"
#include "spodnet/io/number_text.hpp"
#include "spodnet/report/export_text.hpp"
#include "spodnet/report/exports.hpp"

namespace spodnet {
namespace {

void append_name(std::string& line, const std::string& name) {
  append_csv_name(line, clean_text(name));
}

void append_cell(std::string& line, double value) {
  line += ',';
  append_number(line, value);
}

}  // namespace

std::string edges_csv(const Answer& answer) {
  const bool confidence = answer.resamples > 0;
  std::string text = "source,target,source_index,target_index,theta,partial_correlation";
  if (confidence) text += ",share,sign_agreement,low,high,stable";
  text += '\n';
  for (const AnswerEdge& edge : answer.edges) {
    append_name(text, answer.names[edge.i]);
    text += ',';
    append_name(text, answer.names[edge.j]);
    text += fmt::format(",{},{}", edge.i + 1, edge.j + 1);
    append_cell(text, edge.theta);
    append_cell(text, edge.partial_correlation);
    if (const auto& c = edge.confidence; confidence && c) {
      for (const double value : {c->share, c->sign_agreement, c->low, c->high})
        append_cell(text, value);
      text += c->stable ? ",1" : ",0";
    } else if (confidence) {
      text += ",,,,,";
    }
    text += '\n';
  }
  return text;
}

std::string pairs_csv(const Answer& answer) {
  const std::size_t p = answer.names.size();
  const bool confidence = !answer.pairs.empty();
  std::string text = "source,target,source_index,target_index,theta,partial_correlation";
  text += confidence ? ",share,low,high\n" : "\n";
  for (std::size_t i = 0, k = 0; i < p; ++i)
    for (std::size_t j = i + 1; j < p; ++j, ++k) {
      append_name(text, answer.names[i]);
      text += ',';
      append_name(text, answer.names[j]);
      text += fmt::format(",{},{}", i + 1, j + 1);
      append_cell(text, answer.Theta(Eigen::Index(i), Eigen::Index(j)) + 0.0);
      append_cell(text, answer.partial(Eigen::Index(i), Eigen::Index(j)) + 0.0);
      if (confidence)
        for (const double value :
             {answer.pairs[k].share, answer.pairs[k].low, answer.pairs[k].high})
          append_cell(text, value + 0.0);
      text += '\n';
    }
  return text;
}

std::string communities_csv(const Answer& answer) {
  std::vector<std::size_t> neighbours(answer.names.size(), 0);
  for (const AnswerEdge& edge : answer.edges) ++neighbours[edge.i], ++neighbours[edge.j];
  std::string text = "variable,index,community,neighbours\n";
  for (std::size_t i = 0; i < answer.names.size(); ++i) {
    append_name(text, answer.names[i]);
    text += fmt::format(",{},{},{}\n", i + 1, answer.community[i] + 1, neighbours[i]);
  }
  return text;
}

}  // namespace spodnet
