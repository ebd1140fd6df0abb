#include "spodnet/tables/prepare_columns.hpp"

#include <fmt/format.h>

#include <cmath>
#include <set>

#include "spodnet/core/advice.hpp"
#include "spodnet/core/error.hpp"
#include "spodnet/io/message.hpp"
#include "spodnet/tables/covariance.hpp"
#include "spodnet/tables/missing_codes.hpp"

namespace spodnet {
namespace {

enum class Kind { empty, constant, varied };

Kind kind_of(const MatrixRef& X, Eigen::Index j) {
  double first = 0;
  Kind kind = Kind::empty;
  for (Eigen::Index i = 0; i < X.rows(); ++i) {
    if (std::isnan(X(i, j))) continue;
    if (kind == Kind::empty) {
      first = X(i, j);
      kind = Kind::constant;
    } else if (X(i, j) != first) {
      return Kind::varied;
    }
  }
  return kind;
}

/// Leaves out the columns of one kind, with one note for all of them.
void leave_out(Prepared& data, Kind kind, const std::string& one, const std::string& many) {
  std::vector<Eigen::Index> kept;
  std::vector<std::string> gone;
  for (Eigen::Index j = 0; j < data.X.cols(); ++j) {
    if (kind_of(data.X, j) == kind)
      gone.push_back(data.names[std::size_t(j)]);
    else
      kept.push_back(j);
  }
  if (gone.empty()) return;
  keep_columns(data, kept);
  data.notes.push_back(
      {true, fmt::format("{} {}: left out", listed(gone, 10), gone.size() == 1 ? one : many)});
}

std::string name_of(const TextColumn& column) {
  return column.name.empty() ? fmt::format("column {}", column.index + 1) : column.name;
}

/// What the column says of the rows; empty: nothing.
std::string role_of(const TextColumn& column, const RowFacts& rows) {
  for (const auto& [wanted, role] : rows.columns)
    if (wanted == column.name || wanted == std::to_string(column.index + 1)) return role;
  return {};
}

/// A word or two among many numbers.
bool odd_words(const TextColumn& column) {
  return !column.words.empty() && column.words.size() <= 3 && column.numbers >= 4 * column.cells;
}

DataNote odd_words_note(const TextColumn& column, const std::string& name) {
  std::string words;
  for (const std::string& word : column.words) words += (words.empty() ? "" : ",") + word;
  const bool option = words.find_first_of(" '\"") == std::string::npos && words.size() <= 40;
  return {true,
          fmt::format("{} is left out: {} of its {} cells {} no number{} (line {} has {}); if that "
                      "means a missing value, say so",
                      name, column.cells, column.cells + column.numbers,
                      column.cells == 1 ? "is" : "are", column.cells == 1 ? "" : "s", column.line,
                      shown(column.text, 30)),
          Advice::missing_word, option ? words : ""};
}

}  // namespace

std::size_t keep_rows(Prepared& data, const std::function<bool(Eigen::Index)>& keep) {
  std::vector<Eigen::Index> kept;
  for (Eigen::Index i = 0; i < data.X.rows(); ++i)
    if (keep(i)) kept.push_back(i);
  const std::size_t gone = std::size_t(data.X.rows()) - kept.size();
  if (gone == 0) return 0;
  data.X = Matrix(data.X(kept, Eigen::all));
  data.rows.keep(kept);
  return gone;
}

void keep_columns(Prepared& data, const std::vector<Eigen::Index>& kept) {
  std::vector<std::string> names;
  std::vector<std::size_t> place;
  std::vector<ColumnKind> kinds;
  for (const Eigen::Index j : kept) {
    names.push_back(data.names[std::size_t(j)]);
    place.push_back(data.place[std::size_t(j)]);
    if (!data.kinds.empty()) kinds.push_back(data.kinds[std::size_t(j)]);
  }
  data.names = std::move(names);
  data.place = std::move(place);
  if (!data.kinds.empty()) data.kinds = std::move(kinds);
  if (data.X.size() > 0) data.X = Matrix(data.X(Eigen::all, kept));
}

void list_columns(const Table& table, Prepared& data) {
  data.file_columns.assign(data.names.size() + table.left_out.size(), "");
  std::vector<bool> is_text(data.file_columns.size());
  for (const TextColumn& column : table.left_out) {
    is_text[column.index] = true;
    data.file_columns[column.index] = column.name;
  }
  for (std::size_t j = 0; j < is_text.size(); ++j) {
    if (is_text[j]) continue;
    data.file_columns[j] = data.names[data.place.size()];
    data.place.push_back(j);
  }
}

void note_text_columns(const Table& table, const RowFacts& rows, std::vector<DataNote>& notes) {
  constexpr std::size_t kMost = 10;
  std::size_t text = 0;
  std::vector<std::string> asked;
  for (const TextColumn& column : table.left_out) {
    if (column.line == 0) {
      const std::string name = name_of(column), role = role_of(column, rows);
      if (role.empty())
        asked.push_back(name);
      else
        notes.push_back({false, fmt::format("{} is {}, not a variable", shown(name), role)});
      continue;
    }
    if (++text > kMost) continue;
    const std::string name = column.name.empty() ? name_of(column) : shown(column.name);
    if (odd_words(column)) {
      notes.push_back(odd_words_note(column, name));
      continue;
    }
    const bool few = column.words.size() >= 2;
    notes.push_back(
        {true,
         fmt::format("{} is not numeric (line {} has {}): left out{}", name, column.line,
                     shown(column.text, 30), few ? "; if its words have an order, say it" : ""),
         few ? Advice::levels : Advice::none});
  }
  if (text > kMost)
    notes.push_back({true, fmt::format("{} more columns are not numeric: left out", text - kMost)});
  if (!asked.empty()) notes.push_back({false, listed(asked) + ": left out as asked"});
}

void note_row_names(const Table& table, std::vector<DataNote>& notes) {
  if (table.rows.empty()) return;
  const std::size_t different = std::set(table.rows.begin(), table.rows.end()).size();
  if (different == table.rows.size())
    return notes.push_back({false, fmt::format("the first column names the rows ({}, ...)",
                                               shown(table.rows.front(), 30))});
  notes.push_back(
      {true, fmt::format("the first column holds text ({}, ...) and was taken for names of rows, "
                         "though only {} of {} differ: if it is a variable, write it in numbers",
                         shown(table.rows.front(), 30), different, table.rows.size())});
}

void refuse_infinite(const Prepared& data, const std::string& where) {
  for (Eigen::Index i = 0; i < data.X.rows(); ++i)
    for (Eigen::Index j = 0; j < data.X.cols(); ++j)
      if (std::isinf(data.X(i, j)))
        throw Error(
            fmt::format("{}: sample {}, variable {}: is infinite; correct it, or write NA "
                        "if it is not known",
                        where, i + 1, shown(data.names[std::size_t(j)])));
      else if (std::abs(data.X(i, j)) > kLargestValue)
        throw Error(
            fmt::format("{}: sample {}, variable {}: {:g} has no square within the range of "
                        "numbers; rescale the column",
                        where, i + 1, shown(data.names[std::size_t(j)]), data.X(i, j)));
}

void leave_out_empty_columns(Prepared& data) {
  leave_out(data, Kind::empty, "has no value at all", "have no value at all");
}

void leave_out_constant_columns(Prepared& data) {
  leave_out(data, Kind::constant, "is constant and has no correlation with anything",
            "are constant and have no correlation with anything");
}

void note_missing_codes(Prepared& data) {
  for (std::size_t j = 0; j < data.p(); ++j) {
    const auto code = find_missing_code(data.X.col(Eigen::Index(j)));
    if (!code) continue;
    data.notes.push_back(
        {true,
         fmt::format(
             "{} has {:g} {}, away from its other values ({:g} to {:g}): if that stands for "
             "a missing value, say so",
             shown(data.names[j]), code->value,
             code->count == 1 ? "once" : fmt::format("{} times", code->count), code->low,
             code->high),
         Advice::missing_word, fmt::format("{:g}", code->value)});
  }
}

void leave_out_empty_rows(Prepared& data) {
  if (data.p() == 0) return;
  const std::size_t gone =
      keep_rows(data, [&](Eigen::Index i) { return !data.X.row(i).array().isNaN().all(); });
  if (gone > 0)
    data.notes.push_back(
        {true, fmt::format("{} row{} without any value: left out", gone, gone == 1 ? "" : "s")});
}

void leave_out_incomplete_rows(Prepared& data, const std::string& where) {
  const Eigen::Index before = data.X.rows(), values = data.X.size();
  const Eigen::Index missing = data.X.array().isNaN().count();
  const std::size_t gone = keep_rows(data, [&](Eigen::Index i) { return !data.X.row(i).hasNaN(); });
  if (data.X.rows() < 2)
    throw AdvisedError(
        fmt::format("{}: {} of {} rows have all values, at least two are needed; keep rows that "
                    "miss some, or leave out the columns that miss most",
                    where, data.X.rows(), before),
        Advice::pairwise);
  if (gone == 0) return;
  const bool most = 2 * gone > std::size_t(before);
  data.notes.push_back(
      {most,
       fmt::format("{} of {} values are missing ({:.1f} %), in {} of {} rows: these were "
                   "dropped{}",
                   missing, values, 100 * double(missing) / double(values), gone, before,
                   most ? ", most of the data; correlations pair by pair keep all" : ""),
       most ? Advice::pairwise : Advice::none});
}

void check_scale(const Prepared& data, const std::string& where) {
  for (std::size_t j = 0; j < data.p(); ++j) {
    const double scale = data.moments.scale[Eigen::Index(j)];
    if (!(scale > 0) || !std::isfinite(scale * scale) || !std::isfinite(1 / (scale * scale)))
      throw Error(
          fmt::format("{}: the variance of {} is beyond the range of numbers ({:.3g} is its "
                      "standard deviation); rescale the column",
                      where, shown(data.names[j]), scale));
  }
}

}  // namespace spodnet
