// Figure 9: what becomes of GLAD's matrices when they are repaired. Z projected onto the PSD cone
// is dense and singular; Theta on Z's support is not positive definite.
#include <fmt/format.h>

#include "reproduce/figure.hpp"
#include "reproduce/methods.hpp"

namespace spodnet::figures {
namespace {

constexpr const char* kVariants[] = {"z", "projected", "theta", "thresholded"};
constexpr double kSingular = 1e-10;  // eigenvalues below this count as 0

std::vector<Part> fig9_parts(const Study& study) {
  return parts_of(study, {glad_outputs().front()}, study.scale.fig4);
}

Json glad_result(const Study& study, const Cell& cell, int k) {
  return study.store.result(part_of(study, glad_outputs().front(), cell, k));
}

std::vector<ResultTable> fig9_tables(const Study& study) {
  ResultTable table{
      "fig9", {"p", "n", "alpha", "seed", "epoch", "variant", "density", "rank", "eig_min"}, {}};
  for_each_repetition(study, study.scale.fig4, [&](const Cell& cell, int k) {
    const Json result = glad_result(study, cell, k);
    for (const Json& at : result.at("history"))
      for (const char* variant : kVariants) {
        const Json& scores = at.at(variant);
        std::vector<Json> row = cell_columns(cell, k);
        row.insert(row.end(), {at.at("epoch"), variant, scores.at("density"), scores.at("rank"),
                               scores.at("eig_min")});
        table.rows.push_back(std::move(row));
      }
  });
  return {table};
}

std::vector<Verdict> fig9_verdicts(const Study& study) {
  std::size_t denser = 0, singular = 0, indefinite = 0, concerned = 0;
  std::string projected, rank, thresholded;
  for (const Cell& cell : study.scale.fig4) {
    const Json result = glad_result(study, cell, 0);
    const auto value = [&](const char* variant, const char* score) {
      return to_number(result.at("final").at(variant).at(score));
    };
    const std::string begin = projected.empty() ? "" : "; ";
    projected += fmt::format("{}{}: density {:.2f} to {:.2f}", begin, describe(cell),
                             value("z", "density"), value("projected", "density"));
    rank += fmt::format("{}{}: mean rank {:.1f} of {}", begin, describe(cell),
                        value("projected", "rank"), cell.p);
    thresholded +=
        fmt::format("{}{}: {:.3g}, {:.0f} % SPD", begin, describe(cell),
                    value("thresholded", "eig_min"), 100 * value("thresholded", "spd_share"));
    indefinite += value("thresholded", "spd_share") < 1;
    if (value("z", "spd_share") == 1) continue;  // nothing to project
    ++concerned;
    denser += value("projected", "density") > value("z", "density");
    singular += value("projected", "eig_min") < kSingular;
  }
  const std::string place = "Appendix B.3, Figure 9";
  const std::string settings = fmt::format("{} settings where some Z is not SPD", concerned);
  return {
      {"Z projected onto the PSD cone loses its sparsity", place, "no number", projected,
       verdict_of(denser, concerned), "counted over the " + settings},
      {"Z projected onto the PSD cone becomes singular", place, "no number", rank,
       verdict_of(singular, concerned),
       "holds in a setting when an eigenvalue of the test set is below 1e-10; over the " +
           settings},
      {"Theta thresholded by the support of Z is no longer positive definite", place, "no number",
       "smallest eigenvalue: " + thresholded, verdict_of(indefinite, study.scale.fig4.size()),
       "holds in a setting when some thresholded Theta of the test set is not SPD"}};
}

}  // namespace

Figure fig9() {
  return {.name = "fig9",
          .title = "GLAD's Z projected onto the PSD cone, its Theta thresholded by Z's support",
          .parts = fig9_parts,
          .tables = fig9_tables,
          .verdicts = fig9_verdicts};
}

}  // namespace spodnet::figures
