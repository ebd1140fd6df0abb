#include <fmt/format.h>

#include <algorithm>

#include "spodnet/io/message.hpp"
#include "spodnet/tables/copied_rows.hpp"
#include "spodnet/tables/dependence.hpp"
#include "spodnet/tables/mixed_correlation.hpp"
#include "spodnet/tables/moments.hpp"
#include "spodnet/tables/pairwise.hpp"
#include "spodnet/tables/prepare_columns.hpp"

namespace spodnet {
namespace {

std::string others_of(const Dependence& found, const std::vector<std::string>& names) {
  std::vector<std::string> others;
  for (const std::size_t j : found.columns)
    if (j != found.leave_out) others.push_back(names[j]);
  return listed(others, 8);
}

std::string dependence_text(const Dependence& found, const std::vector<std::string>& names) {
  const std::string name = shown(names[found.leave_out]);
  if (found.correlation != 0)
    return fmt::format(
        "{} is {} {}: left out", name, others_of(found, names),
        found.correlation < 0 ? "with its sign reversed" : "once more, or in other units");
  return fmt::format(
      "{} follows exactly from {} (a sum, a mean or a difference of them): left out, "
      "since their links cannot be distinguished; to keep it leave out "
      "one of them",
      name, others_of(found, names));
}

/// Says what was found and returns the columns that are kept.
std::vector<Eigen::Index> note_dependences(Prepared& data, const std::vector<Dependence>& found) {
  std::vector<bool> gone(data.p(), false);
  for (const Dependence& each : found) {
    gone[each.leave_out] = true;
    data.notes.push_back({true, dependence_text(each, data.names), Advice::exclude});
  }
  std::vector<Eigen::Index> kept;
  for (std::size_t j = 0; j < gone.size(); ++j)
    if (!gone[j]) kept.push_back(Eigen::Index(j));
  return kept;
}

std::string near_text(const std::vector<std::string>& names) {
  if (names.size() == 2)
    return fmt::format(
        "{} say the same but for rounding (R^2 above {}): the link between them is not called "
        "stable; leave one of them out",
        listed(names), kNearlyExact);
  return fmt::format(
      "{} follow from each other but for rounding (R^2 above {}: a sum beside its items, "
      "percentages that add to 100): links among them are not called stable; leave one of them out",
      listed(names, 8), kNearlyExact);
}

void note_near(Prepared& data, const std::vector<std::size_t>& group) {
  std::vector<std::string> names;
  for (const std::size_t j : group) {
    names.push_back(data.names[j]);
    for (const std::size_t i : group)
      if (i < j) data.doubtful.emplace_back(i, j);
  }
  data.notes.push_back({true, near_text(names), Advice::exclude});
}

/// Fewer rows depend on each other in any table, and copies add no information.
bool more_rows_than_columns(const Matrix& X) {
  return has_different_rows(X, std::size_t(X.cols()) + 2);
}

}  // namespace

void note_near_dependences(Prepared& data) {
  if (data.options.ranks) return;
  const Matrix complete = complete_rows(data.X);
  if (!more_rows_than_columns(complete)) return;
  for (const auto& group : near_dependences(moments(complete).R, double(complete.rows())))
    note_near(data, group);
}

void note_empty_corners(Prepared& data) {
  if (data.kinds.empty()) return;
  const auto found = pairs_with_empty_corners(data.X, data.kinds, data.rows.weight);
  if (found.empty()) return;
  std::vector<std::string> named;
  for (const auto& [i, j] : found) named.push_back(data.names[i] + " - " + data.names[j]);
  data.notes.push_back(
      {true, fmt::format("{} pair{} empty cells, levels that never occur together ({}): {} "
                         "correlation rests on them, and {} not called stable",
                         found.size(), found.size() == 1 ? " has" : "s have", listed(named, 3),
                         found.size() == 1 ? "its" : "their",
                         found.size() == 1 ? "its link is" : "their links are")});
  data.doubtful.insert(data.doubtful.end(), found.begin(), found.end());
}

void leave_out_dependent_columns(Prepared& data) {
  const bool ranks = data.options.ranks.has_value();
  const Matrix Y = ranks ? normal_scores(data.X) : data.X;
  keep_columns(data, note_dependences(data, equal_columns(pairwise_correlation(Y).R)));
  const Matrix complete = complete_rows(data.X);
  if (ranks || !more_rows_than_columns(complete)) return;
  keep_columns(data, note_dependences(data, find_dependences(moments(complete).R)));
}

std::vector<Eigen::Index> leave_out_dependent(Prepared& data, const Matrix& R, double n) {
  std::vector<Eigen::Index> kept = note_dependences(data, equal_columns(R));
  const Matrix rest = R(kept, kept);
  keep_columns(data, kept);
  if (n < double(rest.rows()) + 2) return kept;
  std::vector<Eigen::Index> all;
  const std::vector<Eigen::Index> of_rest = note_dependences(data, find_dependences(rest));
  for (const Eigen::Index k : of_rest) all.push_back(kept[std::size_t(k)]);
  keep_columns(data, of_rest);
  return all;
}

}  // namespace spodnet
