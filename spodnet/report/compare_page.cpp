#include "spodnet/report/compare_page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "spodnet/core/advice.hpp"
#include "spodnet/estimators/method_words.hpp"
#include "spodnet/io/message.hpp"
#include "spodnet/report/export_text.hpp"
#include "spodnet/report/plain_page.hpp"

namespace spodnet {
namespace {

constexpr std::size_t kEdgesOfThePage = 20;

std::vector<const ComparedMethod*> done_methods(const Comparison& comparison) {
  std::vector<const ComparedMethod*> done;
  for (const ComparedMethod& m : comparison.methods)
    if (m.done) done.push_back(&m);
  return done;
}

/// A method's plain name.
std::string words_of(const ComparedMethod& method) { return xml_text(method_words(method.name)); }

/// ... and below it the code that --method takes, where it is another.
std::string words_and_code(const ComparedMethod& method) {
  const std::string words = words_of(method), code = xml_text(method.name);
  return words == code ? code : words + "<div class=\"code\">" + code + "</div>";
}

std::string lead(const Comparison& comparison) {
  const auto done = done_methods(comparison);
  if (done.empty()) return "No method could be fitted to these data.";
  std::string text = "<b>" + words_of(*done[0]) + "</b> predicts unseen rows best";
  std::string close;
  for (std::size_t k = 1; k < done.size(); ++k) {
    const double error = done[k]->behind_sd / std::sqrt(double(comparison.folds));
    if (done[k]->behind > error) continue;
    close += (close.empty() ? "" : ", ") + words_of(*done[k]);
  }
  text += close.empty() ? ", more than one standard error ahead of all others."
                        : "; not distinguishable from it (one standard error): " + close + ".";
  return text;
}

/// How far behind the best a method may be and still be seen: one that failed must not press all
/// others into one point.
double most_behind(const std::vector<const ComparedMethod*>& ranked) {
  if (ranked.empty()) return 0;
  return 10 * std::max(ranked[ranked.size() / 2]->behind, ranked[0]->held_out.sd);
}

/// The range of the folds of the methods that are not far behind, with a little room.
struct Axis {
  double low = 0, high = 1, most = 0;
  explicit Axis(const std::vector<const ComparedMethod*>& methods) : most(most_behind(methods)) {
    low = std::numeric_limits<double>::infinity();
    high = -low;
    for (const ComparedMethod* m : methods)
      for (const double value : m->behind > most ? std::vector<double>{} : m->held_out.folds)
        if (std::isfinite(value)) low = std::min(low, value), high = std::max(high, value);
    if (!(low <= high)) low = 0, high = 1;
    const double room = std::max(0.04 * (high - low), 1e-6);
    low -= room, high += room;
  }
  double percent(double value) const {
    return std::clamp(100 * (value - low) / (high - low), 0.0, 100.0);
  }
};

std::string plot(const Comparison& comparison) {
  const auto done = done_methods(comparison);
  const Axis axis(done);
  std::string html = "<div class=\"plot\">";
  for (const ComparedMethod* m : done) {
    const HeldOut& held = m->held_out;
    html += fmt::format(
        "<div class=\"name\">{}{}</div><div class=\"track\" title=\"{:.3f} ± {:.3f}\">",
        words_of(*m), m->behind > axis.most ? " (far to the left)" : "", held.mean, held.sd);
    const double left = axis.percent(held.mean - held.sd),
                 right = axis.percent(held.mean + held.sd);
    html += fmt::format("<b style=\"left:{:.2f}%;width:{:.2f}%\"></b>", left, right - left);
    for (const double value : held.folds)
      html += fmt::format("<i class=\"fold\" style=\"left:{:.2f}%\"></i>", axis.percent(value));
    html +=
        fmt::format("<i class=\"mean\" style=\"left:{:.2f}%\"></i></div>", axis.percent(held.mean));
  }
  html += "<div class=\"corner\"></div><div class=\"axis\">";
  for (const double share : {0.0, 0.5, 1.0})
    html += fmt::format("<span style=\"left:{:.0f}%\">{:.2f}</span>", 100 * share,
                        axis.low + share * (axis.high - axis.low));
  return html + "</div></div>";
}

std::string table(const Comparison& comparison) {
  std::string html =
      "<table><thead><tr><th>method</th><th>held out, per row</th><th>behind the best</th>"
      "<th>edges</th><th>density</th><th>modularity</th><th>communities</th><th>condition</th>"
      "<th>seconds</th></tr></thead><tbody>";
  for (const ComparedMethod& m : comparison.methods) {
    html += fmt::format("<tr{}><th scope=\"row\">{}</th>",
                        m.done && m.behind == 0 ? " class=\"best\"" : "", words_and_code(m));
    if (!m.done) {
      html +=
          "<td class=\"note\" colspan=\"8\">" + xml_text(without_functions(m.note)) + "</td></tr>";
      continue;
    }
    html +=
        fmt::format("<td>{:.3f} ± {:.3f}</td><td>{}</td><td>{}</td><td>{:.0f} %</td>",
                    m.held_out.mean, m.held_out.sd,
                    m.behind == 0 ? "best" : fmt::format("{:.3f} ± {:.3f}", m.behind, m.behind_sd),
                    m.edges, 100 * m.scores.density);
    html += is_dense(m) ? "<td>–</td><td>–</td>"
                        : fmt::format("<td>{:.2f}</td><td>{:.0f}</td>", m.scores.modularity,
                                      m.scores.communities);
    html += fmt::format("<td>{:.3g}</td><td>{:.3f}</td></tr>", m.scores.condition, m.seconds);
  }
  return html + "</tbody></table>";
}

std::string heat(const Comparison& comparison) {
  const auto& methods = comparison.methods;
  std::string html = "<table class=\"heat\"><thead><tr><th></th>";
  for (const ComparedMethod& m : methods)
    if (m.done) html += "<th scope=\"col\">" + words_of(m) + "</th>";
  html += "</tr></thead><tbody>";
  for (std::size_t a = 0; a < methods.size(); ++a) {
    if (!methods[a].done) continue;
    html += "<tr><th scope=\"row\">" + words_of(methods[a]) + "</th>";
    for (std::size_t b = 0; b < methods.size(); ++b) {
      if (!methods[b].done) continue;
      if (a == b) {
        html += fmt::format("<td class=\"self\">{}</td>", methods[a].edges);
        continue;
      }
      const EdgeAgreement both = comparison.agreement(a, b);
      const double value = b > a ? both.jaccard : both.top_overlap;
      html += std::isnan(value)
                  ? "<td>–</td>"
                  : fmt::format(
                        "<td style=\"background:rgba(var(--accent-rgb),{:.2f})\" title=\"{} "
                        "edges in common\">{:.2f}</td>",
                        0.55 * value, both.common, value);
    }
    html += "</tr>";
  }
  return html + "</tbody></table>";
}

struct SharedEdge {
  Eigen::Index i = 0, j = 0;
  std::size_t methods = 0;
  double strength = 0;  ///< mean |partial correlation|
};

std::vector<SharedEdge> shared_edges(const std::vector<const ComparedMethod*>& sparse) {
  std::vector<SharedEdge> edges;
  const Eigen::Index p = sparse.front()->partial.rows();
  for (Eigen::Index i = 0; i < p; ++i)
    for (Eigen::Index j = 0; j < i; ++j) {
      SharedEdge edge{j, i};
      for (const ComparedMethod* m : sparse) {
        const double rho = m->partial(i, j);
        edge.methods += rho != 0;
        edge.strength += std::abs(rho) / double(sparse.size());
      }
      if (edge.methods > 0) edges.push_back(edge);
    }
  std::stable_sort(edges.begin(), edges.end(), [](const SharedEdge& a, const SharedEdge& b) {
    return a.methods != b.methods ? a.methods > b.methods : a.strength > b.strength;
  });
  return edges;
}

/// The edges that most of the sparse methods draw.
std::string consensus(const ComparedData& data) {
  std::vector<const ComparedMethod*> sparse;
  for (const ComparedMethod* m : done_methods(data.comparison))
    if (!is_dense(*m)) sparse.push_back(m);
  if (sparse.size() < 2) return {};
  const auto edges = shared_edges(sparse);
  const auto all = std::count_if(edges.begin(), edges.end(), [&](const SharedEdge& edge) {
    return edge.methods == sparse.size();
  });
  std::string html = fmt::format(
      "<section><h2>Edges they agree on</h2><p>{} of {} edges are drawn by all {} methods whose "
      "graphs have zeros; the strongest follow, with the partial correlation each method gives "
      "them.</p><div class=\"wide\"><table><thead><tr><th>edge</th><th>methods</th>",
      all, edges.size(), sparse.size());
  for (const ComparedMethod* m : sparse) html += "<th>" + words_of(*m) + "</th>";
  html += "</tr></thead><tbody>";
  for (std::size_t k = 0; k < std::min(kEdgesOfThePage, edges.size()); ++k) {
    const SharedEdge& edge = edges[k];
    html += fmt::format("<tr><th scope=\"row\">{} – {}</th><td>{}</td>",
                        xml_text(data.names[std::size_t(edge.i)]),
                        xml_text(data.names[std::size_t(edge.j)]), edge.methods);
    for (const ComparedMethod* m : sparse) {
      const double rho = m->partial(edge.i, edge.j);
      html += rho == 0 ? "<td>0</td>"
                       : fmt::format("<td class=\"{}\">{:+.2f}</td>",
                                     rho > 0 ? "positive" : "negative", rho);
    }
    html += "</tr>";
  }
  return html + "</tbody></table></div></section>";
}

std::string notes(const ComparedData& data) {
  std::string html;
  for (const DataNote& note : data.notes)
    html +=
        fmt::format("<li{}>{}</li>", note.warning ? " class=\"warning\"" : "", xml_text(note.text));
  for (const ComparedMethod& m : data.comparison.methods)
    if (m.done && !m.note.empty())
      html += "<li class=\"warning\">" + xml_text(without_functions(named_note(m))) + "</li>";
  return html;
}

}  // namespace

std::string plain_name(const std::string& name) {
  const std::string text = shown(name, 40);
  return text.substr(1, text.size() - 2);
}

std::string named_note(const ComparedMethod& method) {
  return method.note.starts_with(method.name + ": ") ? method.note
                                                     : plain_name(method.name) + ": " + method.note;
}

bool is_dense(const ComparedMethod& method) { return method.scores.density > 0.95; }

std::string compare_page(const ComparedData& data) {
  const Comparison& all = data.comparison;
  return plain_page("compare.html", data.title, "methods compared",
                    {{"shape", fmt::format("{:.0f} samples of {} variables, {} methods", all.n,
                                           all.p, all.methods.size())},
                     {"lead", lead(all)},
                     {"folds", std::to_string(all.folds)},
                     {"plot", plot(all)},
                     {"table", table(all)},
                     {"agreement", heat(all)},
                     {"consensus", consensus(data)},
                     {"notes", notes(data)}});
}

}  // namespace spodnet
