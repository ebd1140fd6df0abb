#include "spodnet/report/difference_page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "spodnet/estimators/method_words.hpp"
#include "spodnet/io/csv.hpp"
#include "spodnet/io/number_text.hpp"
#include "spodnet/metrics/edge.hpp"
#include "spodnet/report/export_text.hpp"
#include "spodnet/report/number_json.hpp"
#include "spodnet/report/plain_page.hpp"

namespace spodnet {
namespace {

std::string picture(const Difference& difference, const Matrix& weights, const std::string& label,
                    const std::vector<DifferentEdge>* marked) {
  const auto differs = [&](std::size_t i, std::size_t j) {
    return std::any_of(marked->begin(), marked->end(),
                       [&](const DifferentEdge& e) { return e.i == i && e.j == j; });
  };
  std::vector<StillLink> links;
  for (std::size_t i = 0; i < difference.names.size(); ++i)
    for (std::size_t j = i + 1; j < difference.names.size(); ++j) {
      const double weight = weights(Eigen::Index(i), Eigen::Index(j));
      if (is_edge(weight))
        links.push_back(
            {i, j, weight,
             fmt::format("{} – {}: {:+.3f}", difference.names[i], difference.names[j], weight),
             marked && !differs(i, j)});
    }
  return still_graph(difference.names, difference.points, links, label);
}

std::string graphs(const Difference& difference) {
  std::string html;
  for (const GroupGraph& group : difference.groups)
    html +=
        fmt::format("<figure><figcaption><b>{}</b>: {:.0f} rows, {} edges</figcaption>{}</figure>",
                    xml_text(group.name), group.rows, group.edges,
                    picture(difference, group.partial, "Graph of " + group.name, nullptr));
  return html;
}

std::string edge_rows(const Difference& difference, const std::vector<DifferentEdge>& edges) {
  std::string html;
  for (const DifferentEdge& edge : edges)
    html += fmt::format(
        "<tr><th scope=\"row\">{} – {}</th><td>{:+.3f}</td><td>{:+.3f}</td><td>{:+.3f}</td>"
        "<td>{:.3g}</td></tr>",
        short_name(difference.names[edge.i]), short_name(difference.names[edge.j]), edge.a, edge.b,
        edge.a - edge.b, edge.p);
  return html;
}

std::string test_section(const Difference& difference, const GroupPair& pair) {
  const PermutationTest& test = pair.test;
  const std::string a = xml_text(difference.groups[pair.a].name),
                    b = xml_text(difference.groups[pair.b].name);
  const std::vector<DifferentEdge> edges = different_edges(difference, pair);
  std::string html = fmt::format("<section><h2>{} and {}</h2><p class=\"verdict\">", a, b);
  html += xml_text(verdict(difference, pair)) +
          fmt::format(" By {} permutations of the rows.</p>", test.done);
  html += fmt::format(
      "<figure><figcaption>{0} minus {1}: solid and blue where {0} has more, dashed and orange "
      "where "
      "{1} has; what differs at {2:g}, corrected for the number of pairs, is strong, the rest "
      "faint</figcaption>{3}</figure>",
      a, b, difference.level,
      picture(difference, test.partial_a - test.partial_b,
              "Difference of " + difference.groups[pair.a].name + " and " +
                  difference.groups[pair.b].name,
              &edges));
  if (edges.empty()) return html + "<p>No single edge differs after correction.</p></section>";
  return html + "<div class=\"wide\"><table><thead><tr><th>edge</th><th>" + a + "</th><th>" + b +
         "</th><th>difference</th><th>p, corrected</th></tr></thead><tbody>" +
         edge_rows(difference, edges) + "</tbody></table></div></section>";
}

using Json = nlohmann::ordered_json;

void append_name_cell(std::string& text, const std::string& name) {
  append_csv_name(text, clean_text(name));
}

void append_number_cell(std::string& text, double value) {
  text += ',';
  append_number(text, value);
}

std::string pair_name(const Difference& difference, const GroupPair& pair) {
  return clean_text(difference.groups[pair.a].name) + " - " +
         clean_text(difference.groups[pair.b].name);
}

std::string header(const Difference& difference) {
  std::string text = "source,target";
  for (const GroupGraph& group : difference.groups) {
    text += ',';
    append_name_cell(text, group.name);
  }
  for (const GroupPair& pair : difference.pairs)
    for (const char* what : {"difference", "p", "p_holm", "p_max"}) {
      text += ',';
      append_name_cell(text, difference.pairs.size() == 1
                                 ? what
                                 : fmt::format("{} ({})", what, pair_name(difference, pair)));
    }
  return text + '\n';
}

Json edges_json(const Difference& difference, const PermutationTest& test) {
  Json list = Json::array();
  for (std::size_t i = 0; i < difference.names.size(); ++i)
    for (std::size_t j = i + 1; j < difference.names.size(); ++j) {
      const auto r = Eigen::Index(i), c = Eigen::Index(j);
      if (test.p_max(r, c) > difference.level) continue;
      list.push_back({{"source", clean_text(difference.names[i])},
                      {"target", clean_text(difference.names[j])},
                      {"difference", test.partial_a(r, c) - test.partial_b(r, c)},
                      {"p", test.p_edge(r, c)},
                      {"p_holm", test.p_holm(r, c)},
                      {"p_max", test.p_max(r, c)}});
    }
  return list;
}

}  // namespace

std::vector<DifferentEdge> different_edges(const Difference& difference, const GroupPair& pair) {
  std::vector<DifferentEdge> out;
  const PermutationTest& test = pair.test;
  for (std::size_t i = 0; i < difference.names.size(); ++i)
    for (std::size_t j = i + 1; j < difference.names.size(); ++j) {
      const auto r = Eigen::Index(i), c = Eigen::Index(j);
      if (test.p_max(r, c) <= difference.level)
        out.push_back({i, j, test.partial_a(r, c), test.partial_b(r, c), test.p_max(r, c)});
    }
  std::stable_sort(out.begin(), out.end(), [](const DifferentEdge& u, const DifferentEdge& v) {
    return u.p != v.p ? u.p < v.p : std::abs(u.a - u.b) > std::abs(v.a - v.b);
  });
  return out;
}

std::string difference_html(const Difference& difference, const std::string& title) {
  std::string tests;
  for (const GroupPair& pair : difference.pairs) tests += test_section(difference, pair);
  return plain_page("difference.html", title, "graphs of groups",
                    {{"graphs", graphs(difference)},
                     {"tests", tests},
                     {"notes", note_items(difference.notes)},
                     {"method", xml_text(method_words(difference.method))}});
}

std::string verdict(const Difference& difference, const GroupPair& pair) {
  const PermutationTest& test = pair.test;
  const bool structure = test.p_structure <= difference.level,
             strength = test.p_strength <= difference.level;
  const std::string largest =
      fmt::format("largest difference of a partial correlation {:.2f}, p = {:.3g}", test.largest,
                  test.p_structure);
  const std::string total = fmt::format("total strength {:.2f} and {:.2f}, p = {:.3g}",
                                        test.strength_a, test.strength_b, test.p_strength);
  if (structure && strength)
    return fmt::format("The graphs differ, in single edges ({}) and in all together ({}).", largest,
                       total);
  if (structure)
    return fmt::format("The graphs differ in single edges ({}); their total strengths do not ({}).",
                       largest, total);
  if (strength)
    return fmt::format(
        "The graphs differ in total strength ({}), though no single edge was found to differ ({}). "
        "Of two equal graphs one of these two tests says so about one time in ten.",
        total, largest);
  return fmt::format(
      "No difference was found, neither in single edges ({}) nor in all together "
      "({}).",
      largest, total);
}

std::string differences_csv(const Difference& difference) {
  std::string text = header(difference);
  for (std::size_t i = 0; i < difference.names.size(); ++i)
    for (std::size_t j = i + 1; j < difference.names.size(); ++j) {
      const auto r = Eigen::Index(i), c = Eigen::Index(j);
      append_name_cell(text, difference.names[i]);
      text += ',';
      append_name_cell(text, difference.names[j]);
      for (const GroupGraph& group : difference.groups)
        append_number_cell(text, is_edge(group.partial(r, c)) ? group.partial(r, c) : 0.0);
      for (const GroupPair& pair : difference.pairs) {
        const PermutationTest& test = pair.test;
        append_number_cell(text, test.partial_a(r, c) - test.partial_b(r, c) + 0.0);
        append_number_cell(text, test.p_edge(r, c));
        append_number_cell(text, test.p_holm(r, c));
        append_number_cell(text, test.p_max(r, c));
      }
      text += '\n';
    }
  return text;
}

std::string difference_json(const Difference& difference) {
  Json json = {{"variables", difference.names.size()},
               {"method", clean_text(difference.method)},
               {"joint", difference.joint},
               {"level", difference.level},
               {"groups", Json::array()},
               {"tests", Json::array()},
               {"notes", Json::array()}};
  for (const GroupGraph& group : difference.groups)
    json["groups"].push_back({{"name", clean_text(group.name)},
                              {"rows", number_json(group.rows)},
                              {"edges", group.edges}});
  for (const GroupPair& pair : difference.pairs) {
    const PermutationTest& test = pair.test;
    json["tests"].push_back(
        {{"groups",
          {clean_text(difference.groups[pair.a].name), clean_text(difference.groups[pair.b].name)}},
         {"verdict", clean_text(verdict(difference, pair))},
         {"permutations", test.done},
         {"largest_difference", test.largest},
         {"p_structure", test.p_structure},
         {"strength", {test.strength_a, test.strength_b}},
         {"p_strength", test.p_strength},
         {"edges", edges_json(difference, test)}});
  }
  for (const AnswerNote& note : difference.notes)
    json["notes"].push_back({{"kind", note.kind == AnswerNote::Kind::warning ? "warning" : "done"},
                             {"text", clean_text(note.text)}});
  return json.dump(2) + "\n";
}

}  // namespace spodnet
