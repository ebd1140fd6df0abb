#include "spodnet/io/csv_frame.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <utility>

#include "spodnet/io/cell.hpp"
#include "spodnet/io/csv_layout.hpp"
#include "spodnet/io/csv_preamble.hpp"
#include "spodnet/io/message.hpp"
#include "spodnet/io/utf8.hpp"

namespace spodnet {
namespace {

constexpr std::size_t kMostTotals = 8;
constexpr std::size_t kRowsAboveTotals = 3;

constexpr std::string_view kTotals[] = {"total",  "totals",  "grand total", "sum",       "sums",
                                        "mean",   "means",   "average",     "median",    "sd",
                                        "std",    "std dev", "stdev",       "std. dev.", "summe",
                                        "gesamt", "somme",   "mittelwert",  "moyenne"};
/// Below one of those; alone they may name a row.
constexpr std::string_view kFurtherTotals[] = {"min", "minimum", "max", "maximum",
                                               "n",   "count",   "se"};

std::string lowered(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = char(std::tolower(static_cast<unsigned char>(c)));
  while (out.ends_with(':')) out.pop_back();
  return out;
}

bool is_missing_or_level(std::string_view cell, const std::string& column,
                         const CsvOptions& options) {
  return std::find(options.missing.begin(), options.missing.end(), cell) != options.missing.end() ||
         scale_for(options.levels, column, cell) != nullptr;
}

/// Whether `line`, below `header`, holds text or nothing wherever `data` has a number, and enough
/// text.
bool holds_units(const CsvRecord& header, const CsvRecord& line, const CsvRecord& data,
                 char separator, const CsvOptions& options) {
  if (line.size() != data.size() || line.size() != header.size()) return false;
  std::size_t numbers = 0, words = 0;
  for (std::size_t j = 0; j < line.size(); ++j) {
    if (read_cell(data[j], separator != ',').kind != Cell::Kind::number) continue;
    ++numbers;
    if (line[j].empty()) continue;
    if (read_cell(line[j], separator != ',').kind != Cell::Kind::text ||
        resembles_number(line[j]) || is_missing_or_level(line[j], to_utf8(header[j]), options))
      return false;
    ++words;
  }
  return words >= 2 && 2 * words >= numbers;
}

}  // namespace

CsvFrame::CsvFrame(std::string sample, bool complete, BlockStream& rest, const std::string& name,
                   const CsvOptions& options)
    : options_(options),
      separator_([&] {
        CsvPreamble above = take_preamble(sample, complete, options);
        remarks_ = std::move(above.remarks);
        return above.separator;
      }()),
      scanner_(std::move(sample), rest, name, separator_, options.limits) {}

/// The next record that is no comment.
bool CsvFrame::scan(CsvRecord& record) {
  while (scanner_.next(record)) {
    if (record.quoted(0) || !starts_comment(record[0], record.size() == 1)) return true;
    if (comments_++ == 0) first_comment_ = record.line;
  }
  return false;
}

/// The first record is the header, the one behind it may be a line of units.
void CsvFrame::skip_units() {
  CsvRecord first, second, third;
  if (!scan(first)) return;
  for (std::size_t j = 0; j < first.size(); ++j) header_.push_back(lowered(first[j]));
  ready_.push_back(first);
  if (!scan(second)) return;
  ready_.push_back(second);
  if (!scan(third)) return;
  ready_.push_back(third);
  if (options_.every_line || !detect_layout(first, &third, separator_, options_).header ||
      !holds_units(first, second, third, separator_, options_))
    return;
  remarks_.push_back(fmt::format("line {} ({}, {}, ...) was taken for units", second.line,
                                 shown(second[0], 20), shown(second[second.size() - 1], 20)));
  ready_.erase(ready_.begin() + 1);
}

/// Total,1,2,3
bool CsvFrame::is_total(const CsvRecord& record) const {
  if (options_.every_line || options_.row_names == Choice::yes || given_ < 2) return false;
  if (record[0].empty() || record[0].size() > 12 ||
      !std::isalpha(static_cast<unsigned char>(record[0][0])))
    return false;
  const std::string word = lowered(record[0]);
  const auto is_among = [&](const auto& words) {
    return std::find(std::begin(words), std::end(words), word) != std::end(words);
  };
  if (!(is_among(kTotals) || (!held_.empty() && is_among(kFurtherTotals))) ||
      std::find(header_.begin(), header_.end(), word) != header_.end())
    return false;
  std::size_t numbers = 0;
  for (std::size_t j = 1; j < record.size(); ++j) {
    const Cell cell = read_cell(record[j], separator_ != ',');
    if (cell.kind == Cell::Kind::text && !resembles_number(record[j])) return false;
    numbers += cell.kind != Cell::Kind::missing;
  }
  return numbers > 0;
}

bool CsvFrame::next(CsvRecord& record) {
  if (given_ == 0 && ready_.empty()) skip_units();
  if (!ready_.empty()) {
    record = std::move(ready_.front());
    ready_.pop_front();
    totals_are_rows_ = totals_are_rows_ || is_total(record);
    ++given_;
    return true;
  }
  while (scan(record)) {
    const bool total = !totals_are_rows_ && is_total(record);
    totals_are_rows_ = totals_are_rows_ || (total && given_ <= kRowsAboveTotals);
    if (total && !totals_are_rows_) {
      held_.push_back(std::move(record));
      continue;
    }
    if (held_.empty()) {
      ++given_;
      return true;
    }
    held_.push_back(std::move(record));  // a word that other rows have, too
    totals_are_rows_ = true;
    ready_ = std::exchange(held_, {});
    return next(record);
  }
  return end_of_table(record);
}

bool CsvFrame::end_of_table(CsvRecord& record) {
  if (held_.size() > kMostTotals) {
    totals_are_rows_ = true;
    ready_ = std::exchange(held_, {});
    return next(record);
  }
  for (const CsvRecord& total : held_)
    remarks_.push_back(
        fmt::format("line {} ({}, {}, ...) was taken for a summary of the table: "
                    "left out",
                    total.line, shown(total[0], 20), shown(total.size() > 1 ? total[1] : "", 20)));
  held_.clear();
  return false;
}

std::vector<std::string> CsvFrame::remarks() const {
  std::vector<std::string> out = remarks_;
  if (comments_ == 1)
    out.push_back(fmt::format("line {} starts with # and was taken for a comment", first_comment_));
  if (comments_ > 1)
    out.push_back(fmt::format("{} lines from line {} on start with # and were taken for comments",
                              comments_, first_comment_));
  return out;
}

}  // namespace spodnet
