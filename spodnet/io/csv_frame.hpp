#pragma once

#include <deque>
#include <string>
#include <vector>

#include "spodnet/io/block_stream.hpp"
#include "spodnet/io/csv_scan.hpp"

namespace spodnet {

/// The records of a table without what people and programs write around it, which is left out and
/// said in `remarks`:
///
/// - a first line `sep=;`, which names the separator;
/// - lines that start with #. One that names as many columns as the numbers below it have is the
///   header (a cell `#`, `#1` or `#N/A` is no comment);
/// - title lines: up to five of one text each, above at least two lines of equally many cells, of
///   which the first holds text alone (or three cells and more);
/// - a line of units below the header: text or nothing wherever the next line has a number, in at
///   least two columns and in half of them;
/// - up to eight last lines that start with Total, Sum, Mean or the like and hold numbers, unless
///   the header has that word or the first column is known to name the rows.
///
/// With options.every_line all lines but the first two kinds are records.
class CsvFrame {
 public:
  /// `sample` is the start of the text, `rest` what follows it.
  CsvFrame(std::string sample, bool complete, BlockStream& rest, const std::string& name,
           const CsvOptions& options);

  char separator() const { return separator_; }
  /// False at the end of the table.
  bool next(CsvRecord& record);
  /// Complete once `next` was false.
  std::vector<std::string> remarks() const;

 private:
  bool scan(CsvRecord& record);
  void skip_units();
  bool is_total(const CsvRecord& record) const;
  bool end_of_table(CsvRecord& record);

  CsvOptions options_;
  std::vector<std::string> remarks_;
  char separator_;
  CsvScanner scanner_;
  std::deque<CsvRecord> ready_, held_;
  std::vector<std::string> header_;
  std::size_t given_ = 0, comments_ = 0, first_comment_ = 0;
  bool totals_are_rows_ = false;
};

}  // namespace spodnet
