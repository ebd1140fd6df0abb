#include "cli/difference_page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "cli/still_graph.hpp"
#include "spodnet/metrics/edge.hpp"
#include "spodnet/report/export_text.hpp"
#include "spodnet/report/method_words.hpp"
#include "spodnet/report/page_files.hpp"
#include "spodnet/workflow/difference_files.hpp"

namespace spodnet::cli {
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
      "<figure><figcaption>{} minus {}; what differs at {:g}, corrected for the number of pairs, "
      "is "
      "strong, the rest faint</figcaption>{}</figure>",
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

std::string note_items(const Difference& difference) {
  std::string html;
  for (const AnswerNote& note : difference.notes)
    html += fmt::format("<li{}>{}</li>",
                        note.kind == AnswerNote::Kind::warning ? " class=\"warning\"" : "",
                        xml_text(note.text));
  return html;
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
  return fill_page(page_file("difference.html"),
                   {{"title", xml_text(title)},
                    {"version", std::string(library_version())},
                    {"graphs", graphs(difference)},
                    {"tests", tests},
                    {"notes", note_items(difference)},
                    {"method", xml_text(method_words(difference.method))}});
}

}  // namespace spodnet::cli
