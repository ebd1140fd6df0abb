#include <fmt/format.h>

#include <algorithm>

#include "spodnet/io/message.hpp"
#include "spodnet/tables/dependence.hpp"
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
      "since no link between them could be told from another; to keep it leave out "
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

}  // namespace

void leave_out_dependent_columns(Prepared& data) {
  const bool ranks = data.options.ranks.has_value();
  const Matrix Y = ranks ? normal_scores(data.X) : data.X;
  keep_columns(data, note_dependences(data, equal_columns(pairwise_correlation(Y).R)));
  const Matrix complete = complete_rows(data.X);
  if (ranks || complete.rows() < complete.cols() + 2) return;
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
