#include <fmt/format.h>

#include <cmath>
#include <string_view>

#include "spodnet/io/number_text.hpp"
#include "spodnet/metrics/layout.hpp"
#include "spodnet/report/export_text.hpp"
#include "spodnet/report/exports.hpp"

namespace spodnet {
namespace {

constexpr std::string_view kHead = R"(<?xml version="1.0" encoding="UTF-8"?>
<graphml xmlns="http://graphml.graphdrawing.org/xmlns"
         xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"
         xsi:schemaLocation="http://graphml.graphdrawing.org/xmlns http://graphml.graphdrawing.org/xmlns/1.0/graphml.xsd">
  <key id="title" for="graph" attr.name="title" attr.type="string"/>
  <key id="method" for="graph" attr.name="method" attr.type="string"/>
  <key id="samples" for="graph" attr.name="samples" attr.type="double"/>
  <key id="modularity" for="graph" attr.name="modularity" attr.type="double"/>
  <key id="name" for="node" attr.name="name" attr.type="string"/>
  <key id="label" for="node" attr.name="label" attr.type="string"/>
  <key id="community" for="node" attr.name="community" attr.type="int"/>
  <key id="x" for="node" attr.name="x" attr.type="double"/>
  <key id="y" for="node" attr.name="y" attr.type="double"/>
  <key id="weight" for="edge" attr.name="weight" attr.type="double"/>
  <key id="sign" for="edge" attr.name="sign" attr.type="string"/>
  <key id="partial_correlation" for="edge" attr.name="partial_correlation" attr.type="double"/>
  <key id="theta" for="edge" attr.name="theta" attr.type="double"/>
)";
constexpr std::string_view kConfidenceKeys =
    R"(  <key id="share" for="edge" attr.name="share" attr.type="double"/>
  <key id="sign_agreement" for="edge" attr.name="sign_agreement" attr.type="double"/>
  <key id="low" for="edge" attr.name="low" attr.type="double"/>
  <key id="high" for="edge" attr.name="high" attr.type="double"/>
  <key id="stable" for="edge" attr.name="stable" attr.type="boolean"/>
)";

void append_data(std::string& text, std::string_view key, std::string_view value) {
  text += fmt::format("<data key=\"{}\">{}</data>", key, value);
}

void append_data(std::string& text, std::string_view key, double value) {
  std::string number;
  append_number(number, value);
  append_data(text, key, number);
}

void append_node(std::string& text, const Answer& answer, std::size_t i, const Point& at) {
  const std::string name = xml_text(answer.names[i]);
  text += fmt::format("    <node id=\"n{}\">", i);
  append_data(text, "name", name);
  append_data(text, "label", name);
  append_data(text, "community", std::to_string(answer.community[i] + 1));
  append_data(text, "x", at.x);
  append_data(text, "y", at.y);
  text += "</node>\n";
}

void append_edge(std::string& text, const AnswerEdge& edge, std::size_t index) {
  text += fmt::format("    <edge id=\"e{}\" source=\"n{}\" target=\"n{}\">", index, edge.i, edge.j);
  append_data(text, "weight", std::abs(edge.partial_correlation));
  append_data(text, "sign", edge.partial_correlation < 0 ? "negative" : "positive");
  append_data(text, "partial_correlation", edge.partial_correlation);
  append_data(text, "theta", edge.theta);
  if (const auto& c = edge.confidence) {
    append_data(text, "share", c->share);
    append_data(text, "sign_agreement", c->sign_agreement);
    append_data(text, "low", c->low);
    append_data(text, "high", c->high);
    append_data(text, "stable", c->stable ? "true" : "false");
  }
  text += "</edge>\n";
}

}  // namespace

std::string graphml(const Answer& answer, const Points& points) {
  std::string text(kHead);
  if (answer.resamples > 0) text += kConfidenceKeys;
  text += "  <graph id=\"G\" edgedefault=\"undirected\">\n    ";
  append_data(text, "title", xml_text(answer.title));
  append_data(text, "method", xml_text(answer.method));
  append_data(text, "samples", answer.n);
  append_data(text, "modularity", answer.modularity);
  text += '\n';
  for (std::size_t i = 0; i < answer.names.size(); ++i) append_node(text, answer, i, points[i]);
  for (std::size_t e = 0; e < answer.edges.size(); ++e) append_edge(text, answer.edges[e], e);
  return text += "  </graph>\n</graphml>\n";
}

}  // namespace spodnet
