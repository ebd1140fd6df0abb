// Figure 2: GLAD during training. Z is not SPD, Theta is not sparse, and the two differ.
#include <fmt/format.h>

#include "reproduce/figure.hpp"
#include "reproduce/methods.hpp"

namespace spodnet::figures {
namespace {

std::vector<Part> fig2_parts(const Study& study) {
  return parts_of(study, {glad_outputs().front()}, study.scale.fig4);
}

std::vector<ResultTable> fig2_tables(const Study& study) {
  ResultTable table{
      "fig2",
      {"p", "n", "alpha", "method", "seed", "epoch", "eig_min_Z", "density_Theta", "discrepancy"},
      {}};
  for_each_repetition(study, study.scale.fig4, [&](const Cell& cell, int k) {
    const Json result = study.store.result(part_of(study, glad_outputs().front(), cell, k));
    for (const Json& at : result.at("history")) {
      std::vector<Json> row = cell_columns(cell, k);
      row.insert(row.begin() + 3, "glad");
      row.insert(row.end(), {at.at("epoch"), at.at("z").at("eig_min_mean"),
                             at.at("theta").at("density"), at.at("discrepancy")});
      table.rows.push_back(std::move(row));
    }
  });
  return {table};
}

/// Smallest and largest of a value over the settings, at the chosen epoch.
struct Extent {
  double low = std::numeric_limits<double>::infinity(), high = -low;
  void add(double value) { low = std::min(low, value), high = std::max(high, value); }
};

std::vector<Verdict> fig2_verdicts(const Study& study) {
  Extent density, discrepancy, eig_min;
  std::size_t dense = 0, apart = 0, indefinite = 0;
  for (const Cell& cell : study.scale.fig4) {
    const Json result = study.store.result(part_of(study, glad_outputs().front(), cell, 0));
    const Json& at = result.at("final");
    density.add(to_number(at.at("theta").at("density")));
    discrepancy.add(to_number(at.at("discrepancy")));
    eig_min.add(to_number(at.at("z").at("eig_min_mean")));
    dense += to_number(at.at("theta").at("density")) > 0.99;
    apart += to_number(at.at("discrepancy")) > 0.01;
    indefinite += to_number(at.at("z").at("spd_share")) < 1;
  }
  const std::size_t all = study.scale.fig4.size();
  const std::string place = "Figure 2, Section 4.1";
  return {{"GLAD's Theta is not sparse", place, "no number",
           fmt::format("density {:.3f} ... {:.3f} over the settings of Figure 4", density.low,
                       density.high),
           verdict_of(dense, all), "holds in a setting when its density exceeds 0.99"},
          {"GLAD's Theta and Z differ", place, "no number",
           fmt::format("||Z - Theta|| / ||Theta|| {:.3f} ... {:.3f}", discrepancy.low,
                       discrepancy.high),
           verdict_of(apart, all), "holds in a setting when the discrepancy exceeds 0.01"},
          {"GLAD's Z is not positive definite", place, "no number",
           fmt::format("mean smallest eigenvalue {:.3f} ... {:.3f}", eig_min.low, eig_min.high),
           verdict_of(indefinite, all),
           "holds in a setting when some Z of the test set is not SPD; Figure 8 has the shares"}};
}

}  // namespace

Figure fig2() {
  return {.name = "fig2",
          .title = "GLAD during training: neither of its two matrices is sparse and SPD",
          .parts = fig2_parts,
          .tables = fig2_tables,
          .verdicts = fig2_verdicts};
}

}  // namespace spodnet::figures
