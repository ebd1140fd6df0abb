// Figure 8: the share of SPD matrices among GLAD's outputs, with ours beside them.
#include <fmt/format.h>

#include "reproduce/figure.hpp"
#include "reproduce/methods.hpp"

namespace spodnet::figures {
namespace {

const std::vector<MethodOutput>& lines() {
  static const std::vector<MethodOutput> all = [] {
    std::vector<MethodOutput> lines = glad_outputs();
    lines.insert(lines.end(), paper_models().begin(), paper_models().end());
    return lines;
  }();
  return all;
}

std::vector<Part> fig8_parts(const Study& study) {
  return parts_of(study, lines(), study.scale.grid());
}

std::vector<Part> fig8_choices(const Study& study) {
  return choices_of(study, paper_models(), study.scale.grid());
}

std::vector<ResultTable> fig8_tables(const Study& study) {
  ResultTable table{"fig8", {"p", "n", "alpha", "method", "seed", "spd_share", "eig_min"}, {}};
  for_each_repetition(study, study.scale.grid(), [&](const Cell& cell, int k) {
    for (const MethodOutput& line : lines()) {
      std::vector<Json> row = cell_columns(cell, k);
      row.insert(row.begin() + 3, line.method);
      for (const char* score : {"spd_share", "eig_min"})
        row.push_back(to_json(final_score(study, line, cell, k, score)));
      table.rows.push_back(std::move(row));
    }
  });
  return {table};
}

std::string percent(double share) { return fmt::format("{:.4g} %", 100 * share); }

/// The share of SPD matrices of one line, cell by cell.
std::string shares(const Study& study, const MethodOutput& line) {
  std::string text;
  for (const Cell& cell : study.scale.grid())
    text += fmt::format("{}{}: {}", text.empty() ? "" : "; ", describe(cell),
                        percent(mean_score(study, line, cell, "spd_share")));
  return text;
}

Verdict never_in_large_dimension(const Study& study) {
  const std::vector<Cell>& cells = study.scale.fig4;
  const Cell& cell = cells[cells.size() / 2 - 1];  // strongly sparse, largest p
  const double share = mean_score(study, glad_outputs()[1], cell, "spd_share");
  return {fmt::format("GLAD's Z is SPD in virtually 0 % of the cases, {}", describe(cell)),
          "Appendix B.3, Figure 8",
          "0 %",
          percent(share),
          share <= 0.02 ? "yes"
          : share < 0.5 ? "partly"
                        : "no",
          "of the test set, at the epoch of smallest validation NMSE"};
}

Verdict never_in_various_settings(const Study& study) {
  std::size_t never = 0;
  for (const Cell& cell : study.scale.grid())
    never += mean_score(study, glad_outputs()[1], cell, "spd_share") <= 0.02;
  return {"GLAD's Z turns out never to be SPD in various settings",
          "Section 5.1",
          "0 %",
          shares(study, glad_outputs()[1]),
          verdict_of(never, study.scale.grid().size()),
          fmt::format("at most 2 % of the Z are SPD in {} of {} settings", never,
                      study.scale.grid().size())};
}

Verdict ours_always(const Study& study) {
  double worst = 1;
  for (const Cell& cell : study.scale.grid())
    for (const MethodOutput& line : paper_models())
      worst = std::min(worst, mean_score(study, line, cell, "spd_share"));
  return {"All outputs of UBG, PNP and E2E are SPD, in every setting",
          "Section 3, Proposition 1",
          "100 %",
          percent(worst) + " in the worst setting",
          worst == 1 ? "yes" : "no",
          "Cholesky of every test output"};
}

std::vector<Verdict> fig8_verdicts(const Study& study) {
  return {never_in_large_dimension(study), never_in_various_settings(study), ours_always(study)};
}

}  // namespace

Figure fig8() {
  return {.name = "fig8",
          .title = "Share of SPD matrices among GLAD's Z and Theta",
          .choices = fig8_choices,
          .parts = fig8_parts,
          .tables = fig8_tables,
          .verdicts = fig8_verdicts};
}

}  // namespace spodnet::figures
