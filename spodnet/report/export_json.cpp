#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "spodnet/estimators/method_words.hpp"
#include "spodnet/metrics/centrality.hpp"
#include "spodnet/report/export_text.hpp"
#include "spodnet/report/exports.hpp"
#include "spodnet/report/number_json.hpp"
#include "spodnet/report/report_data.hpp"

namespace spodnet {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kSummaryEdges = 10;

Json number(double value) { return number_json(value); }
Json number(std::optional<double> value) { return value ? number(*value) : Json(nullptr); }

/// For positions on a page: pixels do not need 17 digits.
Json rounded(double value) { return number(std::round(value * 1e4) / 1e4); }

void add_values(Json& json, const AnswerEdge& edge) {
  json["theta"] = edge.theta;
  json["partial_correlation"] = edge.partial_correlation;
  if (!edge.confidence) return;
  json["share"] = number(edge.confidence->share);
  json["sign_agreement"] = number(edge.confidence->sign_agreement);
  json["low"] = number(edge.confidence->low);
  json["high"] = number(edge.confidence->high);
  json["stable"] = edge.confidence->stable;
}

Json candidates(const Answer& answer) {
  Json list = Json::array();
  for (const AnswerCandidate& c : answer.candidates)
    list.push_back({{"method", clean_text(c.method)},
                    {"name", clean_text(method_words(c.method))},
                    {"held_out", number(c.held_out)},
                    {"spread", number(c.spread)},
                    {"nmse", number(c.nmse)},
                    {"edges", c.edges},
                    {"chosen", c.chosen},
                    {"note", clean_text(c.note)}});
  return list;
}

const char* kind_name(AnswerNote::Kind kind) {
  switch (kind) {
    case AnswerNote::Kind::warning:
      return "warning";
    case AnswerNote::Kind::choice:
      return "choice";
    default:
      return "done";
  }
}

Json notes(const Answer& answer) {
  Json list = Json::array();
  for (const AnswerNote& note : answer.notes)
    list.push_back({{"kind", kind_name(note.kind)}, {"text", clean_text(note.text)}});
  return list;
}

/// A list of pairs, not an object: a setting may be given twice.
Json settings(const Answer& answer) {
  Json list = Json::array();
  for (const auto& [key, value] : answer.settings)
    list.push_back({{"name", clean_text(key)}, {"value", clean_text(value)}});
  return list;
}

std::size_t community_count(const Answer& answer) {
  const auto largest = std::ranges::max_element(answer.community);
  return largest == answer.community.end() ? 0 : *largest + 1;
}

/// How stable the order by each measure is; null where that was not asked.
Json order_stability(const AnswerNodes& nodes) {
  if (nodes.stability.size() == 0) return nullptr;
  Json json;
  for (std::size_t m = 0; m < kNodeMeasures; ++m)
    json[std::string(kNodeMeasureNames[m])] = number(nodes.stability[Eigen::Index(m)]);
  return json;
}

void add_measures(Json& json, const Matrix& values, Eigen::Index i, const std::string& ending) {
  for (std::size_t m = 0; m < kNodeMeasures && values.size() > 0; ++m)
    json[std::string(kNodeMeasureNames[m]) + ending] = number(values(i, Eigen::Index(m)));
}

/// One array per measure, with its range where there is one.
Json node_columns(const AnswerNodes& nodes) {
  Json json = Json::object();
  const auto column = [](const Matrix& values, std::size_t m) {
    Json list = Json::array();
    for (Eigen::Index i = 0; i < values.rows(); ++i)
      list.push_back(number(values(i, Eigen::Index(m))));
    return list;
  };
  for (std::size_t m = 0; m < kNodeMeasures && nodes.value.size() > 0; ++m) {
    Json& measure = json[std::string(kNodeMeasureNames[m])] = {{"value", column(nodes.value, m)}};
    if (nodes.low.size() == 0) continue;
    measure["low"] = column(nodes.low, m);
    measure["high"] = column(nodes.high, m);
  }
  return json;
}

Json summary(const Answer& answer) {
  const AnswerCertificate& c = answer.certificate;
  return {{"title", clean_text(answer.title)},
          {"variables", answer.names.size()},
          {"rows", number(answer.rows > 0 ? answer.rows : answer.n)},
          {"samples", number(answer.n)},
          {"method", clean_text(answer.method)},
          {"method_name", clean_text(method_words(answer.method))},
          {"edges", answer.edges.size()},
          {"communities", community_count(answer)},
          {"modularity", number(answer.modularity)},
          {"order_stability", order_stability(answer.nodes)},
          {"certificate",
           {{"residual", number(c.residual)},
            {"eig_min", number(c.eig_min)},
            {"eig_max", number(c.eig_max)},
            {"condition", number(c.condition)},
            {"density", number(c.density)}}},
          {"resamples", answer.resamples},
          {"stable_q", number(answer.stable_q)},
          {"stable_check", clean_text(answer.stable_check)},
          {"candidates", candidates(answer)},
          {"notes", notes(answer)},
          {"settings", settings(answer)}};
}

/// One array per quantity: a third of the size of an object per edge.
Json edge_columns(const Answer& answer) {
  const std::size_t count = std::min(answer.edges.size(), kReportEdges);
  const auto column = [&](auto&& of) {
    Json values = Json::array();
    for (std::size_t e = 0; e < count; ++e) values.push_back(of(answer.edges[e]));
    return values;
  };
  const auto confidence = [&](auto&& of) {
    return column([&](const AnswerEdge& e) {
      return e.confidence ? Json(of(*e.confidence)) : Json(nullptr);
    });
  };
  Json json = {{"i", column([](const AnswerEdge& e) { return e.i; })},
               {"j", column([](const AnswerEdge& e) { return e.j; })},
               {"theta", column([](const AnswerEdge& e) { return e.theta; })},
               {"partial", column([](const AnswerEdge& e) { return e.partial_correlation; })}};
  if (answer.resamples == 0) return json;
  json["share"] = confidence([](const EdgeConfidence& c) { return number(c.share); });
  json["sign_agreement"] =
      confidence([](const EdgeConfidence& c) { return number(c.sign_agreement); });
  json["low"] = confidence([](const EdgeConfidence& c) { return number(c.low); });
  json["high"] = confidence([](const EdgeConfidence& c) { return number(c.high); });
  json["stable"] = confidence([](const EdgeConfidence& c) { return c.stable; });
  return json;
}

}  // namespace

std::string summary_json(const Answer& answer) {
  Json json = summary(answer);
  json["strongest"] = Json::array();
  for (std::size_t e = 0; e < std::min(answer.edges.size(), kSummaryEdges); ++e) {
    const AnswerEdge& edge = answer.edges[e];
    Json item = {{"source", clean_text(answer.names[edge.i])},
                 {"target", clean_text(answer.names[edge.j])}};
    add_values(item, edge);
    json["strongest"].push_back(std::move(item));
  }
  return json.dump(2) + "\n";
}

std::string graph_json(const Answer& answer, const Points& points) {
  const Json about = {{"title", clean_text(answer.title)},
                      {"method", clean_text(answer.method)},
                      {"samples", number(answer.n)},
                      {"modularity", number(answer.modularity)}};
  // Line by line: a tree of a million edges would take a gigabyte.
  std::string text = "{\"directed\": false,\n\"multigraph\": false,\n\"graph\": " + about.dump();
  const auto add_list = [&](const char* name, std::size_t count, auto&& item) {
    text += fmt::format(",\n\"{}\": [", name);
    for (std::size_t k = 0; k < count; ++k) text += (k == 0 ? "\n" : ",\n") + item(k).dump();
    text += "\n]";
  };
  add_list("nodes", answer.names.size(), [&](std::size_t i) {
    Json node = {{"id", i},
                 {"name", clean_text(answer.names[i])},
                 {"community", answer.community[i] + 1},
                 {"x", rounded(points[i].x)},
                 {"y", rounded(points[i].y)}};
    if (!answer.kinds.empty()) node["kind"] = answer.kinds[i];
    add_measures(node, answer.nodes.value, Eigen::Index(i), "");
    add_measures(node, answer.nodes.low, Eigen::Index(i), "_low");
    add_measures(node, answer.nodes.high, Eigen::Index(i), "_high");
    return node;
  });
  add_list("links", answer.edges.size(), [&](std::size_t e) {
    Json link = {{"source", answer.edges[e].i}, {"target", answer.edges[e].j}};
    add_values(link, answer.edges[e]);
    return link;
  });
  return text + "}\n";
}

std::string report_data(const Answer& answer, const Points& points) {
  Json json = {{"summary", summary(answer)},
               {"names", Json::array()},
               {"community", answer.community},
               {"x", Json::array()},
               {"y", Json::array()},
               {"edges", edge_columns(answer)},
               {"eigenvalues", Json::array()},
               {"nodes", node_columns(answer.nodes)}};
  for (const std::string& name : answer.names) json["names"].push_back(clean_text(name));
  for (const Point& at : points) {
    json["x"].push_back(rounded(at.x));
    json["y"].push_back(rounded(at.y));
  }
  for (const double y : answer.eigenvalues) json["eigenvalues"].push_back(number(y));
  for (const NodeStyle& style : answer.styles)
    json["styles"].push_back({{"label", clean_text(style.label)},
                              {"group", clean_text(style.group)},
                              {"colour", style.colour}});
  return json.dump();
}

}  // namespace spodnet
