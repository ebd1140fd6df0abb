#pragma once

#include <string>
#include <string_view>

#include "spodnet/io/csv_scan.hpp"

namespace spodnet {

/// Bytes at the start of a file by which its layout is guessed.
inline constexpr std::size_t kLayoutBytes = std::size_t{1} << 18;

/// Removes a UTF-8 byte order mark from the start of a text; UTF-16 throws an Error.
void strip_byte_order_mark(std::string& text, const std::string& name);

/// The separator of the text that starts with `sample` (or is it, when `complete`), by the rule of
/// csv.hpp.
char detect_separator(std::string_view sample, bool complete);

/// How a table's lines are to be read.
struct CsvLayout {
  bool header = false;
  bool header_unsure = false;  ///< line 1 counts or holds years, as headers do and data may
  bool row_names = false;
  bool row_names_guessed = false;  ///< only because the first data line starts with text
  std::size_t cells = 0;           ///< of a data line, row name included
};

/// Decides from line 1 and line 2 (null when there is none), by the rules of csv.hpp.
CsvLayout detect_layout(const CsvRecord& first, const CsvRecord* second, char separator,
                        const CsvOptions& options);

/// For the choice of layout: text that does not resemble a number, or a number or missing value
/// quoted beside unquoted cells.
bool reads_as_text(const CsvRecord& record, std::size_t j, char separator);

}  // namespace spodnet
