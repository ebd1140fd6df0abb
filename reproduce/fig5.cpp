// Figure 5: NMSE and F1 against the number of samples.
#include <fmt/format.h>

#include "reproduce/figure.hpp"
#include "reproduce/methods.hpp"

namespace spodnet::figures {
namespace {

std::vector<Part> fig5_parts(const Study& study) {
  return parts_of(study, paper_methods(), study.scale.fig5);
}

std::vector<Part> fig5_choices(const Study& study) {
  return choices_of(study, paper_models(), study.scale.fig5);
}

std::vector<ResultTable> fig5_tables(const Study& study) {
  ResultTable table{"fig5", {"p", "n", "alpha", "method", "seed", "nmse", "f1", "f1_offdiag"}, {}};
  for_each_repetition(study, study.scale.fig5, [&](const Cell& cell, int k) {
    for (const MethodOutput& line : paper_methods()) {
      std::vector<Json> row = cell_columns(cell, k);
      row.insert(row.begin() + 3, line.method);
      for (const char* score : {"nmse", "f1", "f1_offdiag"})
        row.push_back(to_json(final_score(study, line, cell, k, score)));
      table.rows.push_back(std::move(row));
    }
  });
  return {table};
}

std::vector<Cell> cells_of(const Study& study, std::size_t p) {
  std::vector<Cell> cells;
  for (const Cell& cell : study.scale.fig5)
    if (cell.p == p) cells.push_back(cell);
  return cells;
}

const MethodOutput& glasso() { return classical_methods().front(); }
const MethodOutput& ubg() { return paper_models().front(); }

Verdict large_samples(const Study& study) {
  const Cell cell = cells_of(study, study.scale.small_p()).back();
  std::string measured;
  std::size_t excellent = 0;
  for (const MethodOutput& line : paper_methods()) {
    const double nmse = mean_score(study, line, cell, "nmse");
    excellent += nmse <= 0.05;
    measured += fmt::format("{}{} {:.4f}", measured.empty() ? "" : ", ", line.method, nmse);
  }
  return {"All methods recover well with many samples, down to around 2.5 % NMSE at the small p",
          "Section 5.1, Figure 5",
          "0.025",
          fmt::format("{}: {}", describe(cell), measured),
          verdict_of(excellent, paper_methods().size()),
          "holds for a method when its NMSE is at most twice the paper's number; the learning rate "
          "was chosen on validation because the paper's list does not match its cells"};
}

Verdict deficient_samples(const Study& study, std::size_t p) {
  std::size_t wins = 0, all = 0;
  std::string measured;
  for (const Cell& cell : cells_of(study, p)) {
    if (cell.n > cell.p) continue;
    const BestLine ours = smallest_nmse(study, paper_models(), cell);
    const BestLine theirs = smallest_nmse(study, classical_methods(), cell);
    wins += ours.value < theirs.value;
    ++all;
    measured += fmt::format("{}n = {}: {} {:.3f} against {} {:.3f}", measured.empty() ? "" : "; ",
                            cell.n, ours.method, ours.value, theirs.method, theirs.value);
  }
  return {fmt::format("With few samples (n <= p) our models reconstruct better, p = {}", p),
          "Section 5.1, Figure 5",
          "no number",
          measured,
          verdict_of(wins, all),
          "best of UBG, PNP, E2E against best of GLasso, Ledoit-Wolf, OAS"};
}

Verdict f1_of_ubg(const Study& study) {
  double best = 0, best_offdiag = 0;
  std::size_t at = 0;
  for (const Cell& cell : cells_of(study, study.scale.small_p())) {
    const double f1 = mean_score(study, ubg(), cell, "f1");
    if (f1 > best) best = f1, at = cell.n;
    best_offdiag = std::max(best_offdiag, mean_score(study, ubg(), cell, "f1_offdiag"));
  }
  return {fmt::format("UBG reaches an F1 score of over 0.75 at p = {}", study.scale.small_p()),
          "Section 5.1, Figure 5",
          "> 0.75",
          fmt::format("{:.3f} at n = {} (edges only: at most {:.3f})", best, at, best_offdiag),
          best > 0.75 ? "yes" : "no",
          "the authors' convention counts the diagonal, which every method gets right"};
}

struct Improvement {
  double relative = 0, absolute = 0;
  std::string where;
};

/// The largest gain in F1 over GLasso of any of our models in any cell.
Improvement largest_improvement(const Study& study, const std::string& score) {
  Improvement best{-1, -1, ""};
  for (const Cell& cell : study.scale.fig5) {
    const double base = mean_score(study, glasso(), cell, score);
    for (const MethodOutput& line : paper_models()) {
      const double f1 = mean_score(study, line, cell, score);
      if (f1 / base - 1 > best.relative)
        best = {f1 / base - 1, f1 - base, fmt::format("{}, {}", line.method, describe(cell))};
    }
  }
  return best;
}

Verdict f1_improvement(const Study& study) {
  const Improvement f1 = largest_improvement(study, "f1");
  const Improvement edges = largest_improvement(study, "f1_offdiag");
  return {"Up to 25 % better F1 than GLasso",
          "Section 5.1, Figure 5",
          "25 %",
          fmt::format("{:+.0f} % ({:+.3f}) for {}; edges only {:+.0f} % for {}", 100 * f1.relative,
                      f1.absolute, f1.where, 100 * edges.relative, edges.where),
          f1.relative >= 0.25 ? "yes"
          : f1.relative > 0.1 ? "partly"
                              : "no",
          "the largest relative gain over the settings of Figure 5"};
}

Verdict f1_with_n(const Study& study) {
  std::size_t wins = 0, all = 0;
  std::string measured;
  for (const std::size_t p : {study.scale.small_p(), study.scale.large_p()}) {
    const Cell cell = cells_of(study, p).back();
    const double base = mean_score(study, glasso(), cell, "f1");
    measured +=
        fmt::format("{}{}: glasso-cv {:.3f}", measured.empty() ? "" : "; ", describe(cell), base);
    for (const MethodOutput& line : paper_models()) {
      const double f1 = mean_score(study, line, cell, "f1");
      wins += f1 > base;
      ++all;
      measured += fmt::format(", {} {:.3f}", line.method, f1);
    }
  }
  return {"Our models have significantly better F1 than GLasso as n grows",
          "Section 5.1, Figure 5",
          "no number",
          measured,
          verdict_of(wins, all),
          "compared at the largest n of both p"};
}

Verdict glad_in_large_dimension(const Study& study) {
  std::size_t holding = 0, all = 0;
  std::string measured;
  for (const Cell& cell : cells_of(study, study.scale.large_p())) {
    const double theta = mean_score(study, glad_outputs()[0], cell, "nmse");
    const double z = mean_score(study, glad_outputs()[1], cell, "nmse");
    const double spd = mean_score(study, glad_outputs()[1], cell, "spd_share");
    holding += z < theta && spd <= 0.05;
    ++all;
    measured += fmt::format("{}n = {}: Z {:.3f} ({:.0f} % SPD), Theta {:.3f}",
                            measured.empty() ? "" : "; ", cell.n, z, 100 * spd, theta);
  }
  return {"In large dimension GLAD's Z performs well but is never SPD; its Theta is SPD but bad",
          "Figure 5",
          "Z SPD in 0 %",
          measured,
          verdict_of(holding, all),
          "holds in a setting when Z has the smaller NMSE and at most 5 % of the Z are SPD"};
}

std::vector<Verdict> fig5_verdicts(const Study& study) {
  return {large_samples(study),
          deficient_samples(study, study.scale.small_p()),
          deficient_samples(study, study.scale.large_p()),
          f1_of_ubg(study),
          f1_improvement(study),
          f1_with_n(study),
          glad_in_large_dimension(study)};
}

}  // namespace

Figure fig5() {
  return {.name = "fig5",
          .title = "NMSE and F1 against the number of samples",
          .choices = fig5_choices,
          .parts = fig5_parts,
          .tables = fig5_tables,
          .verdicts = fig5_verdicts};
}

}  // namespace spodnet::figures
