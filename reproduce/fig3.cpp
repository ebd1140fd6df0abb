// Figure 3: UBG, PNP and E2E during training, on the test set: always SPD, stable, sparse.
#include <fmt/format.h>

#include "reproduce/figure.hpp"
#include "reproduce/methods.hpp"

namespace spodnet::figures {
namespace {

std::vector<Part> fig3_parts(const Study& study) {
  return parts_of(study, paper_models(), study.scale.fig4);
}

std::vector<ResultTable> fig3_tables(const Study& study) {
  ResultTable table{"fig3",
                    {"p", "n", "alpha", "method", "seed", "epoch", "eig_min", "condition",
                     "sparsity", "spd_share"},
                    {}};
  for_each_repetition(study, study.scale.fig4, [&](const Cell& cell, int k) {
    for (const MethodOutput& line : paper_models()) {
      const Json result = study.store.result(part_of(study, line, cell, k));
      for (const Json& at : result.at("history")) {
        const Json& theta = at.at("theta");
        std::vector<Json> row = cell_columns(cell, k);
        row.insert(row.begin() + 3, line.method);
        row.insert(row.end(), {at.at("epoch"), theta.at("eig_min"), theta.at("condition"),
                               theta.at("zeros"), theta.at("spd_share")});
        table.rows.push_back(std::move(row));
      }
    }
  });
  return {table};
}

/// Over every logged epoch of every training.
struct Extremes {
  double spd_share = 1, eig_min = std::numeric_limits<double>::infinity(), condition = 0;
  std::size_t sparse = 0, trainings = 0;
  double zeros_low = 1, zeros_high = 0;
};

Extremes extremes(const Study& study) {
  Extremes out;
  for_each_repetition(study, study.scale.fig4, [&](const Cell& cell, int k) {
    for (const MethodOutput& line : paper_models()) {
      const Json result = study.store.result(part_of(study, line, cell, k));
      Json rows = result.at("history");
      rows.push_back(result.at("final"));
      for (const Json& at : rows) {
        const Json& theta = at.at("theta");
        out.spd_share = std::min(out.spd_share, to_number(theta.at("spd_share")));
        out.eig_min = std::min(out.eig_min, to_number(theta.at("eig_min")));
        out.condition = std::max(out.condition, to_number(theta.at("condition")));
      }
      const double zeros = to_number(result.at("final").at("theta").at("zeros"));
      out.zeros_low = std::min(out.zeros_low, zeros);
      out.zeros_high = std::max(out.zeros_high, zeros);
      out.sparse += zeros > 0;
      ++out.trainings;
    }
  });
  return out;
}

std::vector<Verdict> fig3_verdicts(const Study& study) {
  const Extremes seen = extremes(study);
  const std::string place = "Figure 3, Proposition 1";
  return {{"The outputs of UBG, PNP and E2E are positive definite at all times", place, "100 %",
           fmt::format("{:.4g} % SPD in the worst epoch; smallest eigenvalue {:.3g}",
                       100 * seen.spd_share, seen.eig_min),
           seen.spd_share == 1 ? "yes" : "no",
           "Cholesky of every test output at every logged epoch of every training"},
          {"The outputs of UBG, PNP and E2E are sparse", place, "no number",
           fmt::format("{:.0f} ... {:.0f} % exact zeros off the diagonal", 100 * seen.zeros_low,
                       100 * seen.zeros_high),
           verdict_of(seen.sparse, seen.trainings),
           fmt::format("{} of {} trained models have exact zeros; SPD and sparse in one matrix",
                       seen.sparse, seen.trainings)},
          {"The conditioning remains stable during training", place, "no number",
           fmt::format("mean condition number at most {:.3g}", seen.condition),
           seen.condition < 1e6 ? "yes" : "no", "holds when it stays below 1e6 in every epoch"}};
}

}  // namespace

Figure fig3() {
  return {.name = "fig3",
          .title = "UBG, PNP and E2E during training: SPD and sparse at every epoch",
          .parts = fig3_parts,
          .tables = fig3_tables,
          .verdicts = fig3_verdicts};
}

}  // namespace spodnet::figures
