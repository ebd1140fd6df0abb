#include "spodnet/io/csv_scan.hpp"

#include <fmt/format.h>

#include <utility>

#include "spodnet/io/cell.hpp"
#include "spodnet/io/message.hpp"

namespace spodnet {

CsvScanner::CsvScanner(std::string first, BlockStream& rest, std::string name, char separator,
                       const CsvLimits& limits)
    : first_(std::move(first)),
      rest_(rest),
      name_(std::move(name)),
      separator_(separator),
      limits_(limits),
      block_(first_) {}

bool CsvScanner::next(CsvRecord& record) {
  record.text_.clear();
  record.cells_.clear();
  record.has_plain_ = record.has_quoted_ = false;
  cell_begin_ = 0;
  state_ = State::cell_start;
  quoted_ = false;
  record.line = line_;
  while (at_ < block_.size() || refill())
    if (step(block_[at_++], record)) return true;
  if (state_ == State::quoted)
    throw io_error(name_, fmt::format("the quote opened on line {} is never closed", quote_line_),
                   "close it or remove it");
  return end_record(record);
}

bool CsvScanner::refill() {
  block_ = rest_.next();
  at_ = 0;
  return !block_.empty();
}

/// Takes one character; true when it completes a record.
bool CsvScanner::step(char c, CsvRecord& record) {
  if (c == '\0') fail("has a zero byte, so this is no text file", "export the table as CSV");
  const bool second_half = std::exchange(after_return_, c == '\r') && c == '\n';
  if (c == '\n' || c == '\r') return end_line(c, second_half, record);
  if (state_ == State::quoted) {
    if (c == '"')
      state_ = State::quote_seen;
    else
      add(c, record);
  } else if (state_ == State::quote_seen && c == '"') {
    add(c, record);
    state_ = State::quoted;
  } else if (separator_ == ' ' && (c == ' ' || c == '\t')) {
    if (state_ != State::cell_start) end_cell(record);
  } else if (c == separator_) {
    end_cell(record);
  } else {
    take_outside_quotes(c, record);
  }
  return false;
}

bool CsvScanner::end_line(char c, bool second_half, CsvRecord& record) {
  bool complete = false;
  if (state_ == State::quoted)
    add(c, record);
  else if (!second_half)
    complete = end_record(record);
  if (!second_half) ++line_;
  if (record.cells_.empty() && state_ == State::cell_start) record.line = line_;
  return complete;
}

void CsvScanner::take_outside_quotes(char c, CsvRecord& record) {
  const bool blank = c == ' ' || c == '\t';
  if (state_ == State::quote_seen || state_ == State::closed) {
    if (!blank) fail("has text behind a closing quote", "double the quotes inside the cell");
    state_ = State::closed;
  } else if (state_ == State::cell_start && c == '"') {
    record.text_.resize(cell_begin_);
    quoted_ = true;
    quote_line_ = line_;
    state_ = State::quoted;
  } else {
    if (!blank) state_ = State::unquoted;
    add(c, record);
  }
}

void CsvScanner::add(char c, CsvRecord& record) {
  if (record.text_.size() >= limits_.line_bytes)
    fail(fmt::format("is longer than {} bytes", limits_.line_bytes),
         "check that the file is a table with one row per line");
  record.text_ += c;
}

void CsvScanner::end_cell(CsvRecord& record) {
  if (record.cells_.size() >= limits_.columns)
    fail(fmt::format("has more than {} cells", limits_.columns),
         "transpose the table or choose fewer columns");
  CsvRecord::Span cell{cell_begin_, record.text_.size(), quoted_};
  if (!quoted_) {
    const std::string_view all = std::string_view(record.text_).substr(cell_begin_);
    const std::string_view core = trimmed(all);
    if (!core.empty()) cell.begin += static_cast<std::size_t>(core.data() - all.data());
    cell.end = cell.begin + core.size();
  }
  record.cells_.push_back(cell);
  if (cell.begin < cell.end) (quoted_ ? record.has_quoted_ : record.has_plain_) = true;
  cell_begin_ = record.text_.size();
  quoted_ = false;
  state_ = State::cell_start;
}

/// False when the line was blank; the record is then empty again.
bool CsvScanner::end_record(CsvRecord& record) {
  const bool blanks_at_the_end = separator_ == ' ' && state_ == State::cell_start;
  if (!blanks_at_the_end || record.cells_.empty()) end_cell(record);
  if (record.cells_.size() > 1 || record.cells_[0].quoted || !record[0].empty()) return true;
  record.text_.clear();
  record.cells_.clear();
  cell_begin_ = 0;
  return false;
}

void CsvScanner::fail(const std::string& cause, const std::string& remedy) const {
  throw io_error(name_, fmt::format("line {} {}", line_, cause), remedy);
}

}  // namespace spodnet
