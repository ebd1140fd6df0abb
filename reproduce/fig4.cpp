// Figure 4: test NMSE against epochs, learned against traditional methods.
#include <fmt/format.h>

#include "reproduce/classical.hpp"
#include "reproduce/figure.hpp"
#include "reproduce/methods.hpp"

namespace spodnet::figures {
namespace {

const MethodOutput kTruth = {"truth", "", "theta", true};

std::vector<Part> fig4_parts(const Study& study) {
  std::vector<Part> all = parts_of(study, paper_methods(), study.scale.fig4);
  for (Part& part : parts_of(study, {kTruth}, study.scale.fig4)) all.push_back(std::move(part));
  return all;
}

void add_line(const Study& study, const MethodOutput& line, const Cell& cell, int k,
              ResultTable& table) {
  const Json result = study.store.result(part_of(study, line, cell, k));
  const auto add = [&](const Json& epoch, const Json& measured) {
    std::vector<Json> row = cell_columns(cell, k);
    row.insert(row.begin() + 3, line.method);
    row.insert(row.end(),
               {epoch, measured.at(line.output).at("nmse"), line.guaranteed ? "yes" : "no"});
    table.rows.push_back(std::move(row));
  };
  if (line.trained.empty()) return add(nullptr, result);
  for (const Json& at : result.at("history")) add(at.at("epoch"), at);
}

std::vector<ResultTable> fig4_tables(const Study& study) {
  ResultTable table{
      "fig4", {"p", "n", "alpha", "method", "seed", "epoch", "nmse", "guaranteed"}, {}};
  for_each_repetition(study, study.scale.fig4, [&](const Cell& cell, int k) {
    for (const MethodOutput& line : paper_methods()) add_line(study, line, cell, k, table);
  });
  return {table};
}

/// NMSE of the traditional methods in the hardest cell.
Verdict traditional_fail(const Study& study) {
  const Cell& cell = study.scale.fig4.back();
  std::string measured;
  std::size_t near = 0;
  for (const MethodOutput& line : classical_methods()) {
    const double nmse = mean_score(study, line, cell, "nmse");
    near += nmse >= 0.8 && nmse <= 1.0;
    measured += fmt::format("{}{} {:.3f}", measured.empty() ? "" : ", ", line.method, nmse);
  }
  return {fmt::format("In the hardest case ({}) the traditional methods have an NMSE around 0.9",
                      describe(cell)),
          "Section 5.1, Figure 4",
          "about 0.9",
          measured,
          verdict_of(near, classical_methods().size()),
          "holds for a method when its NMSE lies in 0.8 ... 1.0"};
}

/// Best of ours (with the guarantee) against best traditional method, cell by cell.
Verdict learned_win(const Study& study) {
  std::size_t wins = 0;
  std::string measured;
  for (const Cell& cell : study.scale.fig4) {
    const BestLine ours = smallest_nmse(study, paper_models(), cell);
    const BestLine theirs = smallest_nmse(study, classical_methods(), cell);
    wins += ours.value < theirs.value;
    measured += fmt::format("{}{}: {} {:.3f} against {} {:.3f}", measured.empty() ? "" : "; ",
                            describe(cell), ours.method, ours.value, theirs.method, theirs.value);
  }
  return {"At convergence the learned models significantly outperform traditional methods",
          "Section 5.1, Figure 4",
          "in all six settings",
          measured,
          verdict_of(wins, study.scale.fig4.size()),
          fmt::format("smaller NMSE in {} of {} settings; ours at the epoch chosen on validation",
                      wins, study.scale.fig4.size())};
}

double gain(const Study& study, const Cell& cell) {
  return 1 - smallest_nmse(study, paper_models(), cell).value /
                 smallest_nmse(study, classical_methods(), cell).value;
}

/// The advantage between the two ends of each row, and between the rows.
Verdict advantage_grows(const Study& study) {
  const std::vector<Cell>& cells = study.scale.fig4;
  const std::size_t half = cells.size() / 2;
  std::vector<double> gains;
  std::string measured;
  for (const Cell& cell : cells) {
    gains.push_back(gain(study, cell));
    measured += fmt::format("{}{}: {:.0f} %", measured.empty() ? "" : "; ", describe(cell),
                            100 * gains.back());
  }
  std::size_t holding = (gains[half - 1] > gains[0]) + (gains.back() > gains[half]);
  for (std::size_t k = 0; k < half; ++k) holding += gains[half + k] > gains[k];
  return {"The advantage grows with the dimension and as the sparsity decreases",
          "Section 5.1, Figure 4",
          "no number",
          "NMSE saved against the best traditional method: " + measured,
          verdict_of(holding, 2 + half),
          "compared: largest with smallest p in both rows, weakly with strongly sparse for each p"};
}

/// Zeros of the true matrices.
std::vector<Verdict> sparsity_of_data(const Study& study) {
  std::vector<Verdict> out;
  for (const auto& [alpha, promised] : {std::pair(kStrong, 0.9), std::pair(kWeak, 0.25)}) {
    std::string measured;
    std::size_t near = 0, all = 0;
    for (const Cell& cell : study.scale.fig4) {
      if (cell.alpha != alpha) continue;
      const double zeros = mean_score(study, kTruth, cell, "zeros");
      near += std::abs(zeros - promised) <= 0.1;
      ++all;
      measured +=
          fmt::format("{}p = {}: {:.0f} %", measured.empty() ? "" : ", ", cell.p, 100 * zeros);
    }
    out.push_back(
        {fmt::format("alpha = {} gives roughly {:.0f} % of zero entries", alpha, 100 * promised),
         "Section 5.1, Appendix A.1", fmt::format("{:.0f} %", 100 * promised), measured,
         verdict_of(near, all),
         "off-diagonal zeros of the true test matrices; holds within 10 points; they get "
         "denser as p grows, as the paper says"});
  }
  return out;
}

std::vector<Verdict> fig4_verdicts(const Study& study) {
  std::vector<Verdict> all = {traditional_fail(study), learned_win(study), advantage_grows(study)};
  for (Verdict& verdict : sparsity_of_data(study)) all.push_back(std::move(verdict));
  return all;
}

}  // namespace

Figure fig4() {
  return {.name = "fig4",
          .title = "Test NMSE during training against traditional methods",
          .parts = fig4_parts,
          .tables = fig4_tables,
          .verdicts = fig4_verdicts};
}

}  // namespace spodnet::figures
