#pragma once

#include <string>
#include <vector>

#include "spodnet/io/csv_scan.hpp"

namespace spodnet {

/// What stands above a table, found at its start.
struct CsvPreamble {
  char separator = ',';  ///< of the table
  std::vector<std::string> remarks;
};

/// Finds the lines above the table that is the text that starts with `sample` (or is it, when
/// `complete`), by the rules of csv_frame.hpp, and makes blanks of them, so that lines keep their
/// numbers. A separator in `options` goes before one that the text names.
CsvPreamble take_preamble(std::string& sample, bool complete, const CsvOptions& options);

/// Whether a line that starts with # and this cell is a comment rather than a row.
bool starts_comment(std::string_view cell, bool alone);

}  // namespace spodnet
