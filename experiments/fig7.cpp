// Figure 7: Theta along the column updates of UBG, trained with and without the scaling.
#include <fmt/format.h>

#include "experiments/figure.hpp"
#include "experiments/methods.hpp"
#include "experiments/walk.hpp"

namespace spodnet::experiments {
namespace {

constexpr const char* kScalings[] = {"normalize", "none"};

std::vector<Part> parts(const Study& study) {
  std::vector<Part> all;
  for (const Cell& cell : study.scale.walks)
    for (const char* scaling : kScalings) all.push_back(walk_part(study, scaling, cell));
  return all;
}

std::vector<ResultTable> tables(const Study& study) {
  ResultTable table{
      "fig7", {"p", "n", "alpha", "scaling", "update", "eig_min", "max_diagonal", "condition"}, {}};
  for (const Cell& cell : study.scale.walks)
    for (const char* scaling : kScalings) {
      const Json result = study.store.result(walk_part(study, scaling, cell));
      for (const Json& at : result.at("updates")) {
        std::vector<Json> row = cell_columns(cell, 0);
        row.back() = scaling;
        row.insert(row.end(),
                   {at.at("update"), at.at("eig_min"), at.at("max_diagonal"), at.at("condition")});
        table.rows.push_back(std::move(row));
      }
    }
  return {table};
}

/// Extremes along the updates.
struct Walk {
  double eig_min = std::numeric_limits<double>::infinity(), condition = 0;
  std::string ended;
};

Walk walk(const Study& study, const Cell& cell, const char* scaling) {
  Walk out;
  const Json result = study.store.result(walk_part(study, scaling, cell));
  for (const Json& at : result.at("updates")) {
    out.eig_min = std::min(out.eig_min, to_number(at.at("eig_min")));
    out.condition = std::max(out.condition, to_number(at.at("condition")));
  }
  if (result.at("status") != "ok")
    out.ended = fmt::format(", training ended after {} epochs ({})", result.at("epochs").get<int>(),
                            result.at("status").get<std::string>());
  return out;
}

std::vector<Verdict> verdicts(const Study& study) {
  std::size_t worse = 0, positive = 0;
  std::string measured, smallest;
  for (const Cell& cell : study.scale.walks) {
    const Walk scaled = walk(study, cell, "normalize"), plain = walk(study, cell, "none");
    worse += plain.condition > scaled.condition && plain.eig_min < scaled.eig_min;
    positive += plain.eig_min > 0 && scaled.eig_min > 0;
    measured += fmt::format("{}{}: condition up to {:.3g} without, {:.3g} with scaling{}{}",
                            measured.empty() ? "" : "; ", describe(cell), plain.condition,
                            scaled.condition, plain.ended, scaled.ended);
    smallest += fmt::format("{}{}: {:.3g} without, {:.3g} with", smallest.empty() ? "" : "; ",
                            describe(cell), plain.eig_min, scaled.eig_min);
  }
  const std::size_t all = study.scale.walks.size();
  const std::string place = "Section 4.2, Appendix B.1, Figure 7";
  return {
      {"Without the scaling Theta comes closer to singular along the column updates", place,
       "no number", measured, verdict_of(worse, all),
       "holds in a setting when the largest condition number is larger and the smallest "
       "eigenvalue smaller without the scaling; first test matrix"},
      {"With or without it, Theta stays positive definite at every column update", place,
       "no number", "smallest eigenvalue " + smallest, verdict_of(positive, all), "Proposition 1"}};
}

}  // namespace

Figure fig7() {
  return {.name = "fig7",
          .title = "Theta along the column updates, with and without the scaling",
          .parts = parts,
          .tables = tables,
          .verdicts = verdicts};
}

}  // namespace spodnet::experiments
