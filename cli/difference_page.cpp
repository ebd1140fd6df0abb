#include "cli/difference_page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "spodnet/metrics/edge.hpp"
#include "spodnet/report/export_text.hpp"
#include "spodnet/report/letters.hpp"
#include "spodnet/report/method_words.hpp"
#include "spodnet/report/page_files.hpp"
#include "spodnet/report/picture_labels.hpp"
#include "spodnet/workflow/difference_files.hpp"

namespace spodnet::cli {
namespace {

constexpr double kWidth = 520, kMargin = 46, kThickest = 7, kMark = 5, kTextSize = 12;

/// Places of the variables inside a picture of kWidth.
struct Frame {
  double left = 0, top = 0, scale = 1, height = kWidth;
  explicit Frame(const Points& points) {
    double right = -1e300, bottom = -1e300;
    left = top = 1e300;
    for (const Point& at : points) {
      left = std::min(left, at.x), right = std::max(right, at.x);
      top = std::min(top, at.y), bottom = std::max(bottom, at.y);
    }
    const double span = std::max(right - left, 1e-9);
    scale = (kWidth - 2 * kMargin) / span;
    scale = std::min(scale, (1.2 * kWidth - 2 * kMargin) / std::max(bottom - top, 1e-9));
    height = scale * (bottom - top) + 2 * kMargin;
    left -= (kWidth / scale - (right - left)) / 2;
  }
  double x(const Point& at) const { return scale * (at.x - left); }
  double y(const Point& at) const { return scale * (at.y - top) + kMargin; }
};

std::string line(const Frame& frame, const Point& from, const Point& to, double weight,
                 const std::string& kind, const std::string& words) {
  return fmt::format(
      "<line class=\"{}{}\" x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" "
      "stroke-width=\"{:.2f}\"><title>{}</title></line>",
      weight < 0 ? "minus" : "plus", kind, frame.x(from), frame.y(from), frame.x(to), frame.y(to),
      weight == 0 ? 0 : std::max(0.6, kThickest * std::sqrt(std::abs(weight))), xml_text(words));
}

/// The names, clear of each other and of the lines where they can be.
std::string labels(const Difference& difference, const Frame& frame, const Matrix& weights) {
  const std::size_t p = difference.names.size();
  const auto at = [&](std::size_t i) {
    return Point{frame.x(difference.points[i]), frame.y(difference.points[i])};
  };
  std::vector<LabelSpot> spots;
  std::vector<PictureLine> lines;
  for (std::size_t i = 0; i < p; ++i) {
    spots.push_back({.at = at(i),
                     .r = kMark,
                     .importance = weights.row(Eigen::Index(i)).cwiseAbs().sum(),
                     .words = shortened(clean_text(difference.names[i])),
                     .must = p <= 40});
    for (std::size_t j = i + 1; j < p && p <= 80; ++j)
      if (is_edge(weights(Eigen::Index(i), Eigen::Index(j)))) lines.push_back({at(i), at(j)});
  }
  std::string svg;
  for (const PictureText& text :
       place_labels(spots, kTextSize, lines, {}, {0, 0, kWidth, frame.height}))
    svg += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" dy=\".35em\" text-anchor=\"{}\">{}</text>",
                       text.at.x, text.at.y,
                       text.align == Align::left     ? "start"
                       : text.align == Align::centre ? "middle"
                                                     : "end",
                       xml_text(text.words));
  return svg;
}

std::string picture(const Difference& difference, const Matrix& weights, const std::string& label,
                    const std::vector<DifferentEdge>* marked) {
  const Frame frame(difference.points);
  std::string svg =
      fmt::format("<svg viewBox=\"0 0 {:.0f} {:.0f}\" role=\"img\" aria-label=\"{}\">", kWidth,
                  frame.height, xml_text(label));
  const auto differs = [&](std::size_t i, std::size_t j) {
    if (!marked) return false;
    return std::any_of(marked->begin(), marked->end(),
                       [&](const DifferentEdge& e) { return e.i == i && e.j == j; });
  };
  for (std::size_t i = 0; i < difference.names.size(); ++i)
    for (std::size_t j = i + 1; j < difference.names.size(); ++j) {
      const double weight = weights(Eigen::Index(i), Eigen::Index(j));
      if (!is_edge(weight)) continue;
      svg +=
          line(frame, difference.points[i], difference.points[j], weight,
               marked && !differs(i, j) ? " faint" : "",
               fmt::format("{} – {}: {:+.3f}", difference.names[i], difference.names[j], weight));
    }
  for (std::size_t i = 0; i < difference.names.size(); ++i) {
    const double x = frame.x(difference.points[i]), y = frame.y(difference.points[i]);
    svg += fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"{}\"/>", x, y, kMark);
  }
  return svg + labels(difference, frame, weights) + "</svg>";
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

/// A name for a table's cell; a long one is whole when pointed at.
std::string short_name(const std::string& name) {
  const std::string whole = clean_text(name), text = shortened(whole, 40);
  if (text == whole) return xml_text(whole);
  return "<bdi title=\"" + xml_text(whole) + "\">" + xml_text(text) + "</bdi>";
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
