#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "spodnet/io/block_stream.hpp"
#include "spodnet/io/csv.hpp"

namespace spodnet {

/// The cells of one line (of several, when a quoted cell holds line breaks).
class CsvRecord {
 public:
  std::size_t line = 0;  ///< where it starts, counted from 1

  std::size_t size() const { return cells_.size(); }
  /// Quotes removed; blanks around an unquoted cell removed.
  std::string_view operator[](std::size_t j) const {
    return std::string_view(text_).substr(cells_[j].begin, cells_[j].end - cells_[j].begin);
  }
  bool quoted(std::size_t j) const { return cells_[j].quoted; }
  bool has_plain() const { return has_plain_; }    ///< a cell that is neither quoted nor empty
  bool has_quoted() const { return has_quoted_; }  ///< a cell that is quoted and not empty

 private:
  friend class CsvScanner;
  struct Span {
    std::size_t begin, end;
    bool quoted;
  };
  std::string text_;
  std::vector<Span> cells_;
  bool has_plain_ = false, has_quoted_ = false;
};

/// Splits text into records. Lines end with \n, \r\n or \r; lines without a cell are skipped. A
/// cell that starts with a quote (blanks before it allowed) runs to the closing quote, "" being a
/// quote inside; a quote elsewhere is a character like others. Zero bytes, text behind a closing
/// quote, a quote never closed and records beyond the limits throw an Error naming the line.
class CsvScanner {
 public:
  /// `first` comes before the blocks still in the stream.
  CsvScanner(std::string first, BlockStream& rest, std::string name, char separator,
             const CsvLimits& limits);
  /// False at the end of the text. `record` keeps its memory from call to call.
  bool next(CsvRecord& record);

 private:
  enum class State { cell_start, unquoted, quoted, quote_seen, closed };

  bool refill();
  bool step(char c, CsvRecord& record);
  bool end_line(char c, bool second_half, CsvRecord& record);
  void take_outside_quotes(char c, CsvRecord& record);
  void end_cell(CsvRecord& record);
  bool end_record(CsvRecord& record);
  void add(char c, CsvRecord& record);
  [[noreturn]] void fail(const std::string& cause, const std::string& remedy) const;

  std::string first_;
  BlockStream& rest_;
  std::string name_;
  char separator_;
  CsvLimits limits_;
  std::string_view block_;
  std::size_t at_ = 0, line_ = 1, cell_begin_ = 0, quote_line_ = 0;
  State state_ = State::cell_start;
  bool quoted_ = false, after_return_ = false;
};

}  // namespace spodnet
