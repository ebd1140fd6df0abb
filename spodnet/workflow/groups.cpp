#include "spodnet/workflow/groups.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "spodnet/core/error.hpp"
#include "spodnet/io/message.hpp"
#include "spodnet/tables/prepare_columns.hpp"

namespace spodnet {
namespace {

constexpr Eigen::Index kFewestGroupRows = 5;

/// The place of each wanted column in a table; all of them are there.
std::vector<Eigen::Index> places_of(const Table& table, const std::vector<std::string>& wanted) {
  std::vector<Eigen::Index> places;
  for (const std::string& name : wanted)
    places.push_back(std::find(table.columns.begin(), table.columns.end(), name) -
                     table.columns.begin());
  return places;
}

bool has(const Table& table, const std::string& name) {
  return std::find(table.columns.begin(), table.columns.end(), name) != table.columns.end();
}

void match_names(const std::vector<Table>& tables, const std::vector<std::string>& names,
                 Table& out) {
  std::vector<std::string> missing;
  for (const std::string& name : tables[0].columns) {
    bool everywhere = true;
    for (const Table& table : tables) everywhere = everywhere && has(table, name);
    (everywhere ? out.columns : missing).push_back(name);
  }
  for (std::size_t k = 1; k < tables.size(); ++k)
    for (const std::string& name : tables[k].columns)
      if (!has(tables[0], name)) missing.push_back(name);
  if (out.columns.empty())
    throw Error(
        fmt::format("{} and {} have no column of the same name: give tables of the same "
                    "variables",
                    names[0], names[1]));
  if (!missing.empty())
    out.remarks.push_back(fmt::format("{} {} not in every table: left out", listed(missing),
                                      missing.size() == 1 ? "is" : "are"));
}

bool constant(const Matrix& X, Eigen::Index j) {
  double first = std::nan("");
  for (Eigen::Index i = 0; i < X.rows(); ++i) {
    if (std::isnan(X(i, j))) continue;
    if (std::isnan(first)) first = X(i, j);
    if (X(i, j) != first) return false;
  }
  return true;
}

std::vector<std::vector<Eigen::Index>> rows_of_groups(const Prepared& data,
                                                      const std::vector<std::string>& names) {
  std::vector<std::vector<Eigen::Index>> rows(names.size());
  for (std::size_t i = 0; i < data.rows.group.size(); ++i)
    rows[data.rows.group[i]].push_back(Eigen::Index(i));
  for (std::size_t g = 0; g < names.size(); ++g)
    if (Eigen::Index(rows[g].size()) < kFewestGroupRows)
      throw Error(fmt::format("group {} has {} rows: at least {} are needed", shown(names[g]),
                              rows[g].size(), kFewestGroupRows));
  return rows;
}

}  // namespace

Table stacked(const std::vector<Table>& tables, const std::vector<std::string>& names) {
  Table out;
  bool named = true;
  for (const Table& table : tables) named = named && !table.columns.empty();
  if (named) match_names(tables, names, out);
  Eigen::Index rows = 0, at = 0;
  for (std::size_t k = 0; k < tables.size(); ++k) {
    rows += tables[k].values.rows();
    if (!named && tables[k].values.cols() != tables[0].values.cols())
      throw Error(
          fmt::format("{} has {} columns of numbers, {} has {}: give tables of the same "
                      "variables",
                      names[0], tables[0].values.cols(), names[k], tables[k].values.cols()));
  }
  out.values.resize(rows, named ? Eigen::Index(out.columns.size()) : tables[0].values.cols());
  for (const Table& table : tables) {
    const Matrix values =
        named ? Matrix(table.values(Eigen::all, places_of(table, out.columns))) : table.values;
    out.values.middleRows(at, values.rows()) = values;
    at += values.rows();
    out.remarks.insert(out.remarks.end(), table.remarks.begin(), table.remarks.end());
  }
  return out;
}

std::vector<Prepared> split_groups(Prepared& data, const std::vector<std::string>& names) {
  if (names.size() < 2) throw Error("there is one group alone: a difference needs two or more");
  const auto rows = rows_of_groups(data, names);
  std::vector<Eigen::Index> kept;
  std::vector<std::string> gone;
  for (std::size_t j = 0; j < data.p(); ++j) {
    bool varies = true;
    for (const auto& group : rows)
      varies = varies && !constant(data.X(group, Eigen::all), Eigen::Index(j));
    if (varies)
      kept.push_back(Eigen::Index(j));
    else
      gone.push_back(data.names[j]);
  }
  if (kept.size() < 2) throw Error("fewer than two variables vary in every group");
  if (!gone.empty()) {
    keep_columns(data, kept);
    data.notes.push_back({true, fmt::format("{} {} constant in a group: left out", listed(gone),
                                            gone.size() == 1 ? "is" : "are")});
  }
  std::vector<Prepared> out;
  for (std::size_t g = 0; g < names.size(); ++g) {
    Prepared& part = out.emplace_back(data);
    part.X = data.X(rows[g], Eigen::all);
    part.rows.keep(rows[g]);
    part.moments = moments(part.X, part.moments_options(), part.rows.weight);
    const double left = part.moments.n - double(part.rows.covariates.cols());
    part.moments.n = std::max(2.0, left / part.design_effect);
  }
  return out;
}

void keep_whole_pairs(Prepared& data, std::size_t groups) {
  const RowFacts& rows = data.rows;
  if (rows.person.empty()) return;
  if (rows.depend())
    throw Error("paired groups do not go with clusters or blocks of rows: a person's rows are all");
  std::map<std::uint32_t, std::set<std::uint32_t>> seen;
  for (std::size_t i = 0; i < rows.person.size(); ++i)
    if (!seen[rows.person[i]].insert(rows.group[i]).second)
      throw Error(
          fmt::format("paired groups have one row of each person: row {} of the rows that are used "
                      "is a person's second one in its group",
                      i + 1));
  std::size_t whole = 0;
  for (const auto& [person, in] : seen) whole += in.size() == groups;
  if (whole < std::size_t(kFewestGroupRows))
    throw Error(fmt::format("{} of {} persons have a row in every group: at least {} are needed",
                            whole, seen.size(), kFewestGroupRows));
  const std::size_t all = seen.size();
  keep_rows(data, [&](Eigen::Index i) {
    return seen[data.rows.person[std::size_t(i)]].size() == groups;
  });
  if (whole < all)
    data.notes.push_back({true, fmt::format("{} of {} persons have no row in every group: left out",
                                            all - whole, all)});
  data.notes.push_back({false, fmt::format("{} persons are in every group: what chance does is "
                                           "seen by exchanging the rows of a person",
                                           whole)});
}

}  // namespace spodnet
