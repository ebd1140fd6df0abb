#include "spodnet/io/select_columns.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "spodnet/core/closest_word.hpp"
#include "spodnet/core/parse.hpp"
#include "spodnet/io/message.hpp"

namespace spodnet {
namespace {

/// Names of all columns of the file, text columns too; empty names where there is no header.
std::vector<std::string> file_columns(const Table& table) {
  const std::size_t count = std::size_t(table.values.cols()) + table.left_out.size();
  std::vector<std::string> names(count);
  std::vector<bool> text(count, false);
  for (const TextColumn& column : table.left_out) {
    names[column.index] = column.name;
    text[column.index] = true;
  }
  for (std::size_t j = 0, k = 0; j < count; ++j)
    if (!text[j] && !table.columns.empty()) names[j] = table.columns[k++];
  return names;
}

/// 1-based places first to last.
struct Places {
  std::size_t first = 0, last = 0;
};

std::optional<Places> numbered(const std::string& word, std::size_t count) {
  const std::size_t dash = word.find('-');
  const auto first = to_count(word.substr(0, dash));
  const auto last = dash == word.npos ? first : to_count(word.substr(dash + 1));
  if (!first || !last || *first < 1 || *last > count || *first > *last) return std::nullopt;
  return Places{std::size_t(*first), std::size_t(*last)};
}

void mark(const std::vector<std::string>& words, const std::vector<std::string>& names,
          const std::string& where, std::vector<bool>& marked) {
  for (const std::string& word : words) {
    bool found = false;
    for (std::size_t j = 0; j < names.size(); ++j)
      if (names[j] == word) marked[j] = found = true;
    const auto places = found ? std::nullopt : numbered(word, names.size());
    if (places)
      for (std::size_t j = places->first; j <= places->last; ++j) marked[j - 1] = found = true;
    if (found) continue;
    const std::string closest = closest_word(word, names);
    throw io_error(where, fmt::format("has no column {}", shown(word)),
                   closest.empty()
                       ? fmt::format("give a name, or a number from 1 to {}", names.size())
                       : "did you mean " + shown(closest) + "?");
  }
}

}  // namespace

void select_columns(Table& table, const TableOptions& options, const std::string& where) {
  if (options.columns.empty() && options.exclude.empty()) return;
  const std::vector<std::string> names = file_columns(table);
  std::vector<bool> wanted(names.size(), options.columns.empty()), excluded(names.size(), false);
  mark(options.columns, names, where, wanted);
  mark(options.exclude, names, where, excluded);
  const auto gone = [&](std::size_t j) { return !wanted[j] || excluded[j]; };
  std::vector<bool> text(names.size(), false);
  for (TextColumn& column : table.left_out) {
    text[column.index] = true;
    if (gone(column.index)) column.line = 0;
  }
  std::vector<Eigen::Index> kept;
  std::vector<std::string> kept_names;
  Eigen::Index at = -1;
  for (std::size_t j = 0; j < names.size(); ++j) {
    if (text[j]) continue;
    ++at;
    if (gone(j)) {
      table.left_out.push_back({j, names[j], "", 0});
      continue;
    }
    kept.push_back(at);
    if (!table.columns.empty()) kept_names.push_back(names[j]);
  }
  if (kept.empty()) throw io_error(where, "has no column of numbers left", "choose others");
  std::sort(table.left_out.begin(), table.left_out.end(),
            [](const TextColumn& a, const TextColumn& b) { return a.index < b.index; });
  table.columns = std::move(kept_names);
  table.values = Matrix(table.values(Eigen::all, kept));
}

}  // namespace spodnet
