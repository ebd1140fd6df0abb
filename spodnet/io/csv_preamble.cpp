#include "spodnet/io/csv_preamble.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "spodnet/core/error.hpp"
#include "spodnet/io/cell.hpp"
#include "spodnet/io/csv_layout.hpp"
#include "spodnet/io/message.hpp"

namespace spodnet {
namespace {

constexpr std::size_t kMostTitles = 5;
constexpr std::size_t kTitleRecords = kMostTitles + 3;

/// A line of the sample, without its end.
struct SampleLine {
  std::size_t begin, end, next, number;
};

/// The first line from `at` on that is not blank; `begin` is the sample's size when there is none.
SampleLine line_from(std::string_view sample, std::size_t at, std::size_t number) {
  for (; at < sample.size(); ++number) {
    const std::size_t end = std::min(sample.find_first_of("\r\n", at), sample.size());
    const bool pair = sample.substr(end).starts_with("\r\n");
    const std::size_t next = std::min(end + (pair ? 2 : 1), sample.size());
    if (!trimmed(sample.substr(at, end - at)).empty()) return {at, end, next, number};
    at = next;
  }
  return {sample.size(), sample.size(), sample.size(), number};
}

std::string_view text_of(std::string_view sample, const SampleLine& line) {
  return trimmed(sample.substr(line.begin, line.end - line.begin));
}

void blank(std::string& sample, std::size_t begin, std::size_t end) {
  for (std::size_t i = begin; i < end; ++i)
    if (sample[i] != '\n' && sample[i] != '\r') sample[i] = ' ';
}

/// The separator of `sep=;`, quoted or not; zero: the line is none.
char named_separator(std::string_view line) {
  if (line.size() >= 2 && line.front() == '"' && line.back() == '"')
    line = line.substr(1, line.size() - 2);
  if (line.size() == 4 && line.substr(0, 4) == "sep=") return '\t';  // the tab was trimmed
  if (line.size() != 5 || (line.substr(0, 4) != "sep=" && line.substr(0, 4) != "SEP=")) return '\0';
  return std::string_view(",;|\t ").find(line[4]) == std::string_view::npos ? '\0' : line[4];
}

bool is_comment(std::string_view line) {
  if (!line.starts_with('#')) return false;
  const std::size_t end = std::min(line.find_first_of(",;|\t"), line.size());
  return starts_comment(trimmed(line.substr(0, end)), end == line.size());
}

class NoBlocks final : public BlockStream {
 public:
  std::string_view next() override { return {}; }
};

/// The first records of the sample, none where it cannot be split.
std::vector<CsvRecord> first_records(const std::string& sample, char separator,
                                     const CsvLimits& limits) try {
  NoBlocks none;
  CsvScanner scanner(sample, none, "", separator, limits);
  std::vector<CsvRecord> records;
  for (CsvRecord record; records.size() < kTitleRecords && scanner.next(record);)
    if (record.quoted(0) || !starts_comment(record[0], record.size() == 1))
      records.push_back(record);
  return records;
} catch (const Error&) {
  return {};
}

std::size_t count_text(const CsvRecord& record, char separator) {
  std::size_t count = 0;
  for (std::size_t j = 0; j < record.size(); ++j) count += reads_as_text(record, j, separator);
  return count;
}

bool is_empty(const CsvRecord& record) {
  for (std::size_t j = 0; j < record.size(); ++j)
    if (!record[j].empty()) return false;
  return true;
}

/// One text and nothing else.
bool is_title(const CsvRecord& record, char separator) {
  std::size_t filled = 0;
  for (std::size_t j = 0; j < record.size(); ++j) filled += !record[j].empty();
  return filled == 1 && read_cell(record[0], separator != ',').kind == Cell::Kind::text &&
         !resembles_number(record[0]);
}

/// Title lines, and empty ones below the first, above records[count]: nothing else, and a table
/// below.
bool are_titles(const std::vector<CsvRecord>& records, std::size_t count, char separator) {
  if (records.size() < count + 2) return false;
  const std::size_t cells = records[count].size();
  for (std::size_t k = count; k < records.size(); ++k)
    if (records[k].size() != cells) return false;
  bool padded = false;
  for (std::size_t k = 0; k < count; ++k) {
    if (!is_title(records[k], separator) && (k == 0 || !is_empty(records[k]))) return false;
    padded = padded || records[k].size() > 1;
  }
  if (cells >= 3 && !padded) return true;
  return cells >= 2 && count_text(records[count], separator) == cells &&
         count_text(records.back(), separator) < cells;
}

/// All records have as many cells, two at least, and the first has more than one word.
bool is_even(const std::vector<CsvRecord>& records, char separator) {
  if (records.size() < 2 || records[0].size() < 2 || is_title(records[0], separator)) return false;
  for (const CsvRecord& record : records)
    if (record.size() != records[0].size()) return false;
  return true;
}

/// Blanks the title lines; the separator is that of what follows them.
void take_titles(std::string& sample, bool complete, const CsvOptions& options, CsvPreamble& out) {
  if (is_even(first_records(sample, out.separator, options.limits), out.separator)) return;
  std::string below = sample;
  SampleLine line{0, 0, 0, 1};
  for (std::size_t count = 1; count <= kMostTitles; ++count) {
    line = line_from(sample, line.next, line.number + (count > 1 ? 1 : 0));
    if (line.begin == sample.size()) return;
    blank(below, line.begin, line.end);
    const char separator =
        options.separator != '\0' ? options.separator : detect_separator(below, complete);
    const auto records = first_records(sample, separator, options.limits);
    if (records.size() <= count) return;
    const CsvRecord& last = records[count - 1];
    if (!is_title(last, separator) && (count == 1 || !is_empty(last))) return;
    if (!are_titles(records, count, separator)) continue;
    for (std::size_t k = 0; k < count; ++k)
      if (!is_empty(records[k]))
        out.remarks.push_back(fmt::format("line {} ({}) was taken for a title", records[k].line,
                                          shown(records[k][0], 40)));
    sample = below;
    out.separator = separator;
    return;
  }
}

/// A comment whose words stand above as many columns of numbers is their header: its # alone goes.
bool names_columns(const std::string& sample, const SampleLine& comment, bool complete,
                   const CsvOptions& options) {
  if (options.header == Choice::no) return false;
  std::string rest = sample;
  blank(rest, 0, comment.end);
  const char separator =
      options.separator != '\0' ? options.separator : detect_separator(rest, complete);
  const auto data = first_records(rest, separator, options.limits);
  const auto words =
      first_records(std::string(text_of(sample, comment).substr(1)), separator, options.limits);
  if (data.empty() || words.empty() || data[0].size() < 2) return false;
  const bool named_rows = reads_as_text(data[0], 0, separator);
  return words[0].size() == data[0].size() && count_text(words[0], separator) == words[0].size() &&
         count_text(data[0], separator) == (named_rows ? 1 : 0);
}

/// Blanks the leading lines that start with #.
void take_comments(std::string& sample, bool complete, const CsvOptions& options,
                   CsvPreamble& out) {
  std::vector<SampleLine> lines;
  for (SampleLine line = line_from(sample, 0, 1);
       line.begin < sample.size() && is_comment(text_of(sample, line));
       line = line_from(sample, line.next, line.number + 1))
    lines.push_back(line);
  if (lines.empty()) return;
  if (names_columns(sample, lines.back(), complete, options)) {
    const std::size_t sign = sample.find('#', lines.back().begin);
    sample[sign] = ' ';
    out.remarks.push_back(
        fmt::format("line {} starts with # and was taken for the header", lines.back().number));
    lines.pop_back();
  }
  for (const SampleLine& line : lines) blank(sample, line.begin, line.end);
  if (!lines.empty())
    out.remarks.push_back(fmt::format(
        "line{} {} start{} with # and {} taken for {}", lines.size() == 1 ? "" : "s",
        lines.size() == 1 ? fmt::to_string(lines[0].number)
                          : fmt::format("{} to {}", lines[0].number, lines.back().number),
        lines.size() == 1 ? "s" : "", lines.size() == 1 ? "was" : "were",
        lines.size() == 1 ? "a comment" : "comments"));
}

}  // namespace

bool starts_comment(std::string_view cell, bool alone) {
  if (!cell.starts_with('#')) return false;
  if (cell.size() == 1) return alone;
  const bool number = cell[1] >= '0' && cell[1] <= '9';
  return !number && read_cell(cell, false).kind != Cell::Kind::missing;
}

CsvPreamble take_preamble(std::string& sample, bool complete, const CsvOptions& options) {
  CsvPreamble out;
  const SampleLine first = line_from(sample, 0, 1);
  const char named = named_separator(text_of(sample, first));
  if (named != '\0') {
    blank(sample, first.begin, first.end);
    out.remarks.push_back(fmt::format("line {} (sep=) names the separator", first.number));
  }
  CsvOptions known = options;
  if (known.separator == '\0') known.separator = named;
  take_comments(sample, complete, known, out);
  out.separator = known.separator != '\0' ? known.separator : detect_separator(sample, complete);
  if (!options.every_line) take_titles(sample, complete, known, out);
  return out;
}

}  // namespace spodnet
