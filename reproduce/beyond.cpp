// Beyond the paper: its settings and every baseline against clip, learned offset, two and three
// layers and a cosine schedule, on the whole grid of Figures 4 and 5.
#include <fmt/format.h>

#include "reproduce/figure.hpp"
#include "reproduce/methods.hpp"

namespace spodnet::figures {
namespace {

std::vector<Part> beyond_parts(const Study& study) {
  return parts_of(study, beyond_methods(), study.scale.grid());
}

std::vector<Part> beyond_choices(const Study& study) {
  return choices_of(study, paper_models(), study.scale.grid());
}

double seconds_of(const Study& study, const MethodOutput& line, const Cell& cell, int k) {
  const Json result = study.store.result(part_of(study, line, cell, k));
  return to_number((line.trained.empty() ? result : result.at("final")).at("seconds"));
}

std::vector<ResultTable> beyond_tables(const Study& study) {
  ResultTable table{
      "beyond", {"p", "n", "alpha", "method", "seed", "nmse", "f1", "f1_offdiag", "seconds"}, {}};
  for_each_repetition(study, study.scale.grid(), [&](const Cell& cell, int k) {
    for (const MethodOutput& line : beyond_methods()) {
      std::vector<Json> row = cell_columns(cell, k);
      row.insert(row.begin() + 3, line.method);
      for (const char* score : {"nmse", "f1", "f1_offdiag"})
        row.push_back(to_json(final_score(study, line, cell, k, score)));
      row.push_back(to_json(seconds_of(study, line, cell, k)));
      table.rows.push_back(std::move(row));
    }
  });
  return {table};
}

/// Not a claim of the paper but the project's own goal, judged in the same way.
std::vector<Verdict> beyond_verdicts(const Study& study) {
  const MethodOutput& best = beyond_methods().back();
  std::size_t wins = 0;
  std::string measured;
  for (const Cell& cell : study.scale.grid()) {
    const double ours = mean_score(study, best, cell, "nmse");
    const BestLine rival = smallest_nmse(study, paper_methods(), cell);
    wins += ours < rival.value;
    measured += fmt::format("{}{}: {:.4f} against {} {:.4f}", measured.empty() ? "" : "; ",
                            describe(cell), ours, rival.method, rival.value);
  }
  return {{"The preset best has a lower NMSE than every baseline and the paper's three models",
           "this project's goal", "in every setting", measured,
           verdict_of(wins, study.scale.grid().size()),
           fmt::format("lower in {} of {} settings, test seeds used once", wins,
                       study.scale.grid().size())}};
}

}  // namespace

Figure beyond() {
  return {.name = "beyond",
          .title = "The paper's settings and every baseline against the preset best",
          .choices = beyond_choices,
          .parts = beyond_parts,
          .tables = beyond_tables,
          .verdicts = beyond_verdicts};
}

}  // namespace spodnet::figures
