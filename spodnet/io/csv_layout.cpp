#include "spodnet/io/csv_layout.hpp"

#include <algorithm>
#include <vector>

#include "spodnet/io/cell.hpp"
#include "spodnet/io/message.hpp"

namespace spodnet {
namespace {

constexpr std::size_t kSampleRecords = 20;

bool is_blank(char c) { return c == ' ' || c == '\t'; }

/// A cell begins at i, behind blanks that are not the line's first.
bool starts_after_blank(std::string_view sample, std::size_t start, std::size_t i) {
  return i > start && !is_blank(sample[i]) && is_blank(sample[i - 1]) &&
         !trimmed(sample.substr(start, i - start)).empty();
}

/// Neither blank nor a comment.
bool holds_cells(std::string_view line) {
  return !line.empty() && (line[0] != '#' || (line.size() > 1 && line[1] >= '0' && line[1] <= '9'));
}

/// Cells per record of the sample's first records under one separator, quotes respected and
/// faults forgiven. A record cut by the sample's end counts only when it is the only one.
std::vector<std::size_t> cell_counts(std::string_view sample, bool complete, char separator) {
  std::vector<std::size_t> counts;
  std::size_t cells = 1, start = 0;
  bool quoted = false, cell_start = true;
  for (std::size_t i = 0; i < sample.size() + complete && counts.size() < kSampleRecords; ++i) {
    const char c = i < sample.size() ? sample[i] : '\n';
    if (c == '"') {
      if (!quoted && separator == ' ') cells += starts_after_blank(sample, start, i);
      quoted = quoted ? false : cell_start;
    } else if (!quoted && (c == '\n' || c == '\r')) {
      if (holds_cells(trimmed(sample.substr(start, i - start)))) counts.push_back(cells);
      cells = 1;
      start = i + 1;
    } else if (!quoted && separator == ' ') {
      cells += starts_after_blank(sample, start, i);
    } else if (!quoted && c == separator) {
      ++cells;
    }
    cell_start = !quoted && (c == separator || c == '\n' || c == '\r' || (cell_start && c == ' '));
  }
  if (counts.empty()) counts.push_back(cells);
  return counts;
}

bool splits_evenly(const std::vector<std::size_t>& counts, std::size_t missing_in_first) {
  const std::size_t cells = counts.back();
  return cells > 1 && counts[0] + missing_in_first == cells &&
         std::all_of(counts.begin() + 1, counts.end(), [&](std::size_t n) { return n == cells; });
}

Cell cell_of(const CsvRecord& record, std::size_t j, char separator) {
  return read_cell(record[j], separator != ',');
}

/// Text in line 1 from cell j on. A quoted number above another quoted one is none.
bool has_text_from(const CsvRecord& first, const CsvRecord* second, std::size_t j, char separator) {
  for (; j < first.size(); ++j) {
    const bool quoted_below = second != nullptr && j < second->size() && second->quoted(j) &&
                              cell_of(*second, j, separator).kind == Cell::Kind::number;
    if (quoted_below && cell_of(first, j, separator).kind == Cell::Kind::number) continue;
    if (reads_as_text(first, j, separator)) return true;
  }
  return false;
}

/// A number with a decimal sign or exponent; quoted ones count when nothing but quotes is used.
bool is_fraction(const CsvRecord& record, std::size_t j, char separator) {
  const Cell cell = cell_of(record, j, separator);
  const bool plain = !record.quoted(j) || !record.has_plain();
  return cell.kind == Cell::Kind::number && !cell.is_integer && plain;
}

bool has_fraction(const CsvRecord& record, char separator) {
  for (std::size_t j = 0; j < record.size(); ++j)
    if (is_fraction(record, j, separator)) return true;
  return false;
}

/// The cells from j on read start, start + 1, ...
bool counts_up(const CsvRecord& record, std::size_t j, std::size_t start) {
  for (; j < record.size(); ++j)
    if (record[j] != std::to_string(start++)) return false;
  return true;
}

/// Ascending years: 1990, 1995, ...
bool holds_years(const CsvRecord& record, std::size_t j) {
  double last = 1499;
  for (; j < record.size(); ++j) {
    const Cell cell = read_cell(record[j], false);
    if (cell.kind != Cell::Kind::number || !cell.is_integer) return false;
    if (!(cell.value > last && cell.value < 2200)) return false;
    last = cell.value;
  }
  return true;
}

/// As headers of numbers look.
bool names_by_numbers(const CsvRecord& record, std::size_t j) {
  return counts_up(record, j, 0) || counts_up(record, j, 1) || holds_years(record, j);
}

/// Numbers throughout (missing ones aside), each with a decimal sign or exponent.
bool only_fractions(const CsvRecord& record, char separator) {
  for (std::size_t j = 0; j < record.size(); ++j)
    if (cell_of(record, j, separator).kind != Cell::Kind::missing &&
        !is_fraction(record, j, separator))
      return false;
  return true;
}

bool quoted_above_plain(const CsvRecord& first, const CsvRecord& second) {
  return first.has_quoted() && !first.has_plain() && second.has_plain();
}

enum class Verdict { no, yes, unsure };

/// The last doubt: numbers above numbers.
Verdict numbers_above(const CsvRecord& first, const CsvRecord& second, char separator) {
  if (first.size() < 2 || !names_by_numbers(first, 0)) return Verdict::no;
  const bool fractions = only_fractions(second, separator);
  if (first.size() == 2) return fractions && counts_up(first, 0, 0) ? Verdict::unsure : Verdict::no;
  return fractions ? Verdict::yes : Verdict::unsure;
}

Verdict yes_if(bool header) { return header ? Verdict::yes : Verdict::no; }

Verdict header_verdict(const CsvRecord& first, const CsvRecord* second, char separator,
                       Choice row_names) {
  if (second != nullptr && quoted_above_plain(first, *second)) return Verdict::yes;
  const bool may_name_rows = row_names != Choice::no && first.size() > 1;
  const bool fraction = has_fraction(first, separator);
  if (has_text_from(first, second, may_name_rows ? 1 : 0, separator)) return yes_if(!fraction);
  if (second == nullptr) return Verdict::no;
  const bool named_rows = row_names != Choice::no && reads_as_text(*second, 0, separator);
  if (first.size() + 1 == second->size()) return yes_if(named_rows);
  if (reads_as_text(first, 0, separator)) return yes_if(!named_rows && !fraction);
  if (may_name_rows && first[0].empty()) return yes_if(names_by_numbers(first, 1));
  return numbers_above(first, *second, separator);
}

}  // namespace

void strip_byte_order_mark(std::string& text, const std::string& name) {
  if (text.starts_with("\xFF\xFE") || text.starts_with("\xFE\xFF"))
    throw io_error(name, "is UTF-16 text", "save it as UTF-8");
  if (text.starts_with("\xEF\xBB\xBF")) text.erase(0, 3);
}

char detect_separator(std::string_view sample, bool complete) {
  constexpr std::string_view candidates = "\t;,|";
  for (const std::size_t missing_in_first : {0, 1})
    for (const char separator : candidates)
      if (splits_evenly(cell_counts(sample, complete, separator), missing_in_first))
        return separator;
  for (const std::size_t missing_in_first : {0, 1})
    if (splits_evenly(cell_counts(sample, complete, ' '), missing_in_first)) return ' ';
  for (const char separator : candidates)
    if (cell_counts(sample, complete, separator)[0] > 1) return separator;
  return ',';
}

bool reads_as_text(const CsvRecord& record, std::size_t j, char separator) {
  const Cell cell = cell_of(record, j, separator);
  if (cell.kind == Cell::Kind::text) return !resembles_number(record[j]);
  return record.quoted(j) && !record[j].empty() && record.has_plain();
}

CsvLayout detect_layout(const CsvRecord& first, const CsvRecord* second, char separator,
                        const CsvOptions& options) {
  CsvLayout layout;
  const Verdict verdict = options.header == Choice::automatic
                              ? header_verdict(first, second, separator, options.row_names)
                              : yes_if(options.header == Choice::yes);
  layout.header = verdict == Verdict::yes;
  layout.header_unsure = verdict == Verdict::unsure;
  const CsvRecord* data = layout.header ? second : &first;
  layout.cells = data == nullptr ? first.size() : data->size();
  layout.row_names = options.row_names == Choice::yes;
  if (options.row_names != Choice::automatic || layout.cells == 1 || data == nullptr) return layout;
  const bool marked = layout.header && (first.size() + 1 == layout.cells || first[0].empty());
  layout.row_names_guessed = !marked && reads_as_text(*data, 0, separator);
  layout.row_names = marked || layout.row_names_guessed;
  return layout;
}

}  // namespace spodnet
