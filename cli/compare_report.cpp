#include <fmt/format.h>

#include <cmath>

#include "cli/compare.hpp"
#include "spodnet/core/advice.hpp"
#include "spodnet/io/csv.hpp"

namespace spodnet::cli {
namespace {

std::string plus_minus(double mean, double sd) { return fmt::format("{:.3f} +- {:.3f}", mean, sd); }

std::string method_table(const Comparison& comparison) {
  std::vector<std::vector<std::string>> rows = {{"method", "held-out per row", "behind the best",
                                                 "edges", "density", "modularity", "communities",
                                                 "seconds"}};
  for (const ComparedMethod& m : comparison.methods) {
    if (!m.done) continue;
    rows.push_back({plain_name(m.name), plus_minus(m.held_out.mean, m.held_out.sd),
                    m.behind == 0 ? "best" : plus_minus(m.behind, m.behind_sd),
                    std::to_string(m.edges), fmt::format("{:.2f}", m.scores.density),
                    is_dense(m) ? "-" : fmt::format("{:.2f}", m.scores.modularity),
                    is_dense(m) ? "-" : fmt::format("{:.0f}", m.scores.communities),
                    fmt::format("{:.3f}", m.seconds)});
  }
  return rows.size() > 1 ? aligned(rows) : std::string();
}

std::string agreement_table(const Comparison& comparison) {
  std::vector<std::size_t> sparse;
  for (std::size_t k = 0; k < comparison.methods.size(); ++k)
    if (comparison.methods[k].done && !is_dense(comparison.methods[k])) sparse.push_back(k);
  if (sparse.size() < 2) return {};
  std::vector<std::vector<std::string>> rows = {{"edges in common (Jaccard)"}};
  for (std::size_t b = 0; b < sparse.size(); ++b) rows[0].push_back(std::to_string(b + 1));
  for (std::size_t a = 0; a < sparse.size(); ++a) {
    rows.push_back({fmt::format("{} {}", a + 1, plain_name(comparison.methods[sparse[a]].name))});
    for (std::size_t b = 0; b < sparse.size(); ++b)
      rows.back().push_back(
          a == b ? "" : fmt::format("{:.2f}", comparison.agreement(sparse[a], sparse[b]).jaccard));
  }
  return "\n" + aligned(rows);
}

Json agreement_json(const Comparison& comparison, std::size_t a, std::size_t b) {
  const EdgeAgreement both = comparison.agreement(a, b);
  return {{"a", comparison.methods[a].name},
          {"b", comparison.methods[b].name},
          {"common", both.common},
          {"jaccard", number_json(both.jaccard)},
          {"sign_agreement", number_json(both.sign_agreement)},
          {"top", both.top},
          {"top_overlap", number_json(both.top_overlap)},
          {"correlation", number_json(both.correlation)}};
}

Json method_json(const ComparedMethod& m) {
  Json out = {{"method", m.name}, {"done", m.done}, {"note", m.note}};
  if (!m.done) return out;
  out["status"] = to_string(m.estimate.status);
  out["held_out"] = {{"mean", number_json(m.held_out.mean)},
                     {"sd", number_json(m.held_out.sd)},
                     {"behind", number_json(m.behind)},
                     {"behind_sd", number_json(m.behind_sd)},
                     {"seconds", m.held_out.seconds}};
  for (const double fold : m.held_out.folds) out["held_out"]["folds"].push_back(number_json(fold));
  out["edges"] = m.edges;
  out["density"] = number_json(m.scores.density);
  out["modularity"] = number_json(m.scores.modularity);
  out["communities"] = number_json(m.scores.communities);
  out["eig_min"] = number_json(m.scores.eig_min);
  out["condition"] = number_json(m.scores.condition);
  out["residual"] = number_json(m.estimate.residual);
  out["seconds"] = m.seconds;
  return out;
}

/// A pair of methods that are both done, in the order of the ranking.
template <class Visit>
void for_each_pair(const Comparison& comparison, Visit visit) {
  for (std::size_t a = 0; a < comparison.methods.size(); ++a)
    for (std::size_t b = a + 1; b < comparison.methods.size(); ++b)
      if (comparison.methods[a].done && comparison.methods[b].done) visit(a, b);
}

}  // namespace

std::string compare_text(const ComparedData& data) {
  const Comparison& all = data.comparison;
  std::string text = fmt::format("{}: {:.0f} samples of {} variables, {} folds\n",
                                 plain_name(data.title), all.n, all.p, all.folds);
  for (const DataNote& note : data.notes)
    if (note.warning) text += "careful: " + note.text + "\n";
  text += method_table(all) + agreement_table(all);
  for (const ComparedMethod& m : all.methods)
    if (!m.note.empty()) text += without_functions(named_note(m)) + "\n";
  return text;
}

Json compare_json(const ComparedData& data, const std::vector<std::filesystem::path>& files) {
  const Comparison& all = data.comparison;
  Json out = {{"data", data.title}, {"n", number_json(all.n)}, {"p", all.p}, {"folds", all.folds}};
  out["methods"] = Json::array();
  for (const ComparedMethod& m : all.methods) out["methods"].push_back(method_json(m));
  out["agreement"] = Json::array();
  for_each_pair(all, [&](std::size_t a, std::size_t b) {
    out["agreement"].push_back(agreement_json(all, a, b));
  });
  out["notes"] = Json::array();
  for (const DataNote& note : data.notes) out["notes"].push_back(note.text);
  out["outputs"] = Json::array();
  for (const auto& file : files) out["outputs"].push_back(file.string());
  return out;
}

std::string compare_csv(const Comparison& comparison) {
  std::string text =
      "method,held_out,held_out_sd,behind,behind_sd,edges,density,modularity,communities,eig_min,"
      "condition,residual,seconds,held_out_seconds";
  for (int k = 1; k <= comparison.folds; ++k) text += ",fold_" + std::to_string(k);
  text += ",note\n";
  for (const ComparedMethod& m : comparison.methods) {
    append_csv_name(text, m.name);
    if (m.done)
      for (const double value :
           {m.held_out.mean, m.held_out.sd, m.behind, m.behind_sd, double(m.edges),
            m.scores.density, m.scores.modularity, m.scores.communities, m.scores.eig_min,
            m.scores.condition, m.estimate.residual, m.seconds, m.held_out.seconds})
        text += "," + number_cell(value);
    else
      text += std::string(13, ',');
    for (std::size_t k = 0; k < std::size_t(comparison.folds); ++k)
      text += "," + (m.done ? number_cell(m.held_out.folds[k]) : std::string());
    text += ",";
    if (!m.note.empty()) append_csv_name(text, m.note);
    text += "\n";
  }
  return text;
}

std::string agreement_csv(const Comparison& comparison) {
  std::string text =
      "method_a,method_b,edges_a,edges_b,common,jaccard,sign_agreement,top,top_overlap,"
      "correlation\n";
  for_each_pair(comparison, [&](std::size_t a, std::size_t b) {
    const EdgeAgreement both = comparison.agreement(a, b);
    append_csv_name(text, comparison.methods[a].name);
    text += ",";
    append_csv_name(text, comparison.methods[b].name);
    text += fmt::format(",{},{},{},{},{},{},{},{}\n", both.edges_a, both.edges_b, both.common,
                        number_cell(both.jaccard), number_cell(both.sign_agreement), both.top,
                        number_cell(both.top_overlap), number_cell(both.correlation));
  });
  return text;
}

}  // namespace spodnet::cli
