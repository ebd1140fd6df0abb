#include "cli/estimate_report.hpp"

#include <algorithm>

#include "spodnet/metrics/largest_eigenvalue.hpp"
#include "spodnet/metrics/spectrum.hpp"
#include "spodnet/metrics/support.hpp"

namespace spodnet::cli {
namespace {

std::size_t count_pairs(const Matrix& Theta) {
  return std::size_t(Theta.rows()) * std::size_t(Theta.rows() - 1) / 2;
}

constexpr Eigen::Index kDenseSpectrum = 500;  // below, all eigenvalues take less than a second

/// The ends of the spectrum; of a large matrix through its inverse, in p^2.
Spectrum ends_of_spectrum(const Estimate& estimate) {
  const bool inverse_is_sound = estimate.residual < 1e-3;
  if (estimate.Theta.rows() <= kDenseSpectrum || !inverse_is_sound) return spectrum(estimate.Theta);
  Spectrum ends;
  ends.eig_max = largest_eigenvalue(estimate.Theta);
  ends.eig_min = 1 / largest_eigenvalue(estimate.W);
  ends.condition = ends.eig_max / ends.eig_min;
  return ends;
}

/// Anything is worse than ok, and a failure than an estimate that was replaced.
bool worse(Status status, Status than) {
  return is_sound(than) && status != than && status != Status::ok;
}

/// Which of the shipped networks it was.
std::string form_words(const std::string& form) {
  if (form == "paper") return "by the network for matrices like the paper's";
  if (form == "raw") return "by the network for covariances in their own units";
  if (form == "standardized") return "by the network for correlations";
  return "by the network for tables of measurements";
}

}  // namespace

Summary summarise(const Estimate& estimate, double seconds) {
  const Spectrum s = ends_of_spectrum(estimate);
  const Matrix& graph = estimate.Z ? *estimate.Z : estimate.Theta;
  return {estimate.status,    estimate.message,
          estimate.residual,  estimate.refreshes,
          count_edges(graph), count_pairs(estimate.Theta),
          s.eig_min,          s.eig_max,
          s.condition,        seconds,
          estimate.form,      estimate.details};
}

Summary combine(const std::vector<Summary>& all) {
  Summary out = all.front();
  if (all.size() > 1 && !out.message.empty()) out.message = "matrix 0: " + out.message;
  for (std::size_t k = 1; k < all.size(); ++k) {
    const Summary& each = all[k];
    if (worse(each.status, out.status) || (out.message.empty() && !each.message.empty())) {
      out.status = each.status;
      out.message = "matrix " + std::to_string(k) + ": " + each.message;
    }
    out.residual = std::max(out.residual, each.residual);
    out.refreshes += each.refreshes;
    out.edges += each.edges;
    out.pairs += each.pairs;
    out.eig_min = std::min(out.eig_min, each.eig_min);
    out.eig_max = std::max(out.eig_max, each.eig_max);
    out.condition = std::max(out.condition, each.condition);
    out.seconds += each.seconds;
    out.form.clear();
    out.details.clear();
  }
  return out;
}

Json to_json(const Summary& summary) {
  Json details = Json::object();
  for (const auto& [name, value] : summary.details) details[name] = number_json(value);
  Json out = {{"status", to_string(summary.status)},
              {"message", summary.message},
              {"residual", number_json(summary.residual)},
              {"refreshes", summary.refreshes},
              {"edges", summary.edges},
              {"density", summary.pairs ? double(summary.edges) / double(summary.pairs) : 0.0},
              {"eig_min", number_json(summary.eig_min)},
              {"eig_max", number_json(summary.eig_max)},
              {"condition", number_json(summary.condition)},
              {"seconds", summary.seconds},
              {"details", details}};
  if (!summary.form.empty()) out["form"] = summary.form;
  return out;
}

std::vector<std::string> to_lines(const Summary& summary, std::size_t count) {
  const std::string of_all = count > 1 ? " over all" : "";
  std::vector<std::string> lines = {
      "status " + std::string(to_string(summary.status)) + ", |Theta W - I| " +
          number_text(summary.residual) + (count > 1 ? " at most" : "") + ", W refreshed " +
          std::to_string(summary.refreshes) + (summary.refreshes == 1 ? " time" : " times"),
      "edges " + std::to_string(summary.edges) + " of " + std::to_string(summary.pairs) + of_all +
          ", smallest eigenvalue " + number_text(summary.eig_min) + ", condition " +
          number_text(summary.condition)};
  std::string details = summary.form.empty() ? "" : form_words(summary.form);
  for (const auto& [name, value] : summary.details)
    if (name != "replaced")  // the note says it in words
      details += (details.empty() ? "" : ", ") + name + " " + number_text(value);
  if (!details.empty()) lines.push_back(details);
  return lines;
}

}  // namespace spodnet::cli
