#include "spodnet/report/temporal_page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "spodnet/estimators/method_words.hpp"
#include "spodnet/io/csv.hpp"
#include "spodnet/io/number_text.hpp"
#include "spodnet/metrics/edge.hpp"
#include "spodnet/report/export_text.hpp"
#include "spodnet/report/plain_page.hpp"

namespace spodnet {
namespace {

using Json = nlohmann::ordered_json;

/// One link with its confidence.
struct SureLink {
  std::size_t from = 0, to = 0;
  double weight = 0, share = 1, low = 0, high = 0;
};

SureLink link_of(const Matrix& weights, const EntryConfidence& confidence, std::size_t i,
                 std::size_t j) {
  const auto r = Eigen::Index(i), c = Eigen::Index(j);
  SureLink link{.from = i, .to = j, .weight = weights(r, c)};
  if (confidence.share.size() > 0) {
    link.share = confidence.share(r, c);
    link.low = confidence.low(r, c), link.high = confidence.high(r, c);
  }
  return link;
}

/// All effects, or all pairs i < j.
std::vector<SureLink> links_of(const Temporal& found, bool directed) {
  std::vector<SureLink> links;
  for (std::size_t i = 0; i < found.names.size(); ++i)
    for (std::size_t j = directed ? 0 : i + 1; j < found.names.size(); ++j)
      links.push_back(directed ? link_of(found.B, found.B_confidence, i, j)
                               : link_of(found.partial, found.partial_confidence, i, j));
  return links;
}

/// Those that are not zero, the strongest first.
std::vector<SureLink> shown_links(const Temporal& found, bool directed) {
  std::vector<SureLink> links = links_of(found, directed);
  std::erase_if(links, [](const SureLink& link) { return !is_edge(link.weight); });
  std::stable_sort(links.begin(), links.end(), [](const SureLink& u, const SureLink& v) {
    return std::abs(u.weight) > std::abs(v.weight);
  });
  return links;
}

std::string words_of(const Temporal& found, const SureLink& link, const char* sign) {
  std::string words = fmt::format("{} {} {}: {:+.3f}", found.names[link.from], sign,
                                  found.names[link.to], link.weight);
  if (found.resamples > 0)
    words += fmt::format(", in {:.0f} % of resamples, {:+.2f} to {:+.2f}", 100 * link.share,
                         link.low, link.high);
  return words;
}

std::string picture(const Temporal& found, bool directed) {
  std::vector<StillLink> links;
  for (const SureLink& link : shown_links(found, directed))
    links.push_back({link.from, link.to, link.weight, words_of(found, link, directed ? "→" : "–"),
                     link.share < kSureShare});
  return still_graph(found.names, found.points, links,
                     directed ? "Effects on the next measurement" : "Links within a measurement",
                     directed);
}

std::string rows_of(const Temporal& found, bool directed) {
  std::string html;
  for (const SureLink& link : shown_links(found, directed)) {
    html += fmt::format("<tr><th scope=\"row\">{} {} {}</th><td>{:+.3f}</td>",
                        short_name(found.names[link.from]), directed ? "→" : "–",
                        short_name(found.names[link.to]), link.weight);
    if (found.resamples > 0)
      html += fmt::format("<td>{:.0f} %</td><td>{:+.2f} to {:+.2f}</td>", 100 * link.share,
                          link.low, link.high);
    html += "</tr>";
  }
  return html;
}

std::string table_of(const Temporal& found, bool directed) {
  const std::string rows = rows_of(found, directed);
  if (rows.empty()) return "";
  return fmt::format(
      "<div class=\"wide\"><table><thead><tr><th>{}</th><th>{}</th>{}</tr></thead><tbody>{}</tbody>"
      "</table></div>",
      directed ? "effect" : "link", directed ? "size" : "partial correlation",
      found.resamples > 0 ? "<th>resamples with it</th><th>95 % of them</th>" : "", rows);
}

std::size_t sure_count(const Temporal& found, bool directed) {
  const auto links = shown_links(found, directed);
  return std::size_t(std::count_if(links.begin(), links.end(),
                                   [](const SureLink& link) { return link.share >= kSureShare; }));
}

std::string count_words(const Temporal& found, bool directed) {
  const std::size_t all = shown_links(found, directed).size();
  if (all == 0) return "none was found";
  if (found.resamples == 0) return fmt::format("{}", all);
  return fmt::format("{}, of which {} stand in {:.0f} % of the resamples or more", all,
                     sure_count(found, directed), 100 * kSureShare);
}

std::string csv_of(const Temporal& found, bool directed, const char* header) {
  std::string text = header;
  text += found.resamples > 0 ? ",share,low,high\n" : "\n";
  for (const SureLink& link : links_of(found, directed)) {
    append_csv_name(text, clean_text(found.names[link.from]));
    text += ',';
    append_csv_name(text, clean_text(found.names[link.to]));
    std::vector<double> cells = {is_edge(link.weight) ? link.weight : 0.0};
    if (found.resamples > 0) cells.insert(cells.end(), {link.share, link.low, link.high});
    for (const double value : cells) {
      text += ',';
      append_number(text, value);
    }
    text += '\n';
  }
  return text;
}

Json links_json(const Temporal& found, bool directed) {
  Json out = Json::array();
  for (const SureLink& link : shown_links(found, directed)) {
    Json each = {{directed ? "from" : "source", clean_text(found.names[link.from])},
                 {directed ? "to" : "target", clean_text(found.names[link.to])},
                 {directed ? "effect" : "partial_correlation", link.weight}};
    if (found.resamples > 0)
      each.update({{"share", link.share}, {"low", link.low}, {"high", link.high}});
    out.push_back(std::move(each));
  }
  return out;
}

}  // namespace

std::string temporal_csv(const Temporal& found) { return csv_of(found, true, "from,to,effect"); }

std::string contemporaneous_csv(const Temporal& found) {
  return csv_of(found, false, "source,target,partial_correlation");
}

std::string temporal_json(const Temporal& found) {
  Json notes = Json::array(), explained = Json::object();
  for (const AnswerNote& note : found.notes)
    notes.push_back({{"kind", note.kind == AnswerNote::Kind::warning ? "warning" : "done"},
                     {"text", clean_text(note.text)}});
  for (std::size_t j = 0; j < found.names.size(); ++j)
    explained[clean_text(found.names[j])] = found.explained[Eigen::Index(j)];
  const Json json = {{"variables", found.names.size()},
                     {"pairs", found.pairs},
                     {"persons", found.persons},
                     {"resamples", found.resamples},
                     {"block", found.block},
                     {"method", clean_text(found.method)},
                     {"effects", links_json(found, true)},
                     {"links", links_json(found, false)},
                     {"explained", explained},
                     {"notes", notes}};
  return json.dump(2) + "\n";
}

std::string temporal_text(const Temporal& found) {
  std::string text = fmt::format("{} variables, {} persons, {} pairs of successive rows\n",
                                 found.names.size(), found.persons, found.pairs);
  for (const bool directed : {true, false}) {
    text += fmt::format("{}: {}\n", directed ? "effects on the next beep" : "links at one beep",
                        count_words(found, directed));
    const auto links = shown_links(found, directed);
    for (std::size_t k = 0; k < std::min<std::size_t>(10, links.size()); ++k)
      text += "  " + words_of(found, links[k], directed ? "->" : "-") + "\n";
  }
  for (const AnswerNote& note : found.notes)
    text += (note.kind == AnswerNote::Kind::warning ? "careful: " : "note: ") + note.text + "\n";
  return text;
}

std::string temporal_html(const Temporal& found, const std::string& title) {
  std::string explained;
  for (std::size_t j = 0; j < found.names.size(); ++j)
    explained += fmt::format("<tr><th scope=\"row\">{}</th><td>{:.0f} %</td></tr>",
                             short_name(found.names[j]), 100 * found.explained[Eigen::Index(j)]);
  return plain_page("temporal.html", title, "networks over time",
                    {{"effects_count", count_words(found, true)},
                     {"links_count", count_words(found, false)},
                     {"effects", picture(found, true)},
                     {"links", picture(found, false)},
                     {"effects_table", table_of(found, true)},
                     {"links_table", table_of(found, false)},
                     {"explained", explained},
                     {"notes", note_items(found.notes)},
                     {"method", xml_text(method_words(found.method))}});
}

}  // namespace spodnet
