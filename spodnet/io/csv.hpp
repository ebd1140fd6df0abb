#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "spodnet/io/table.hpp"

namespace spodnet {

/// Beyond these a file is refused, before the memory is taken.
struct CsvLimits {
  std::size_t columns = 100'000;
  std::size_t line_bytes = std::size_t{16} << 20;  ///< of one record, quoted line breaks included
  std::size_t table_bytes = std::size_t{2} << 30;  ///< values (8 bytes each) and row names
  std::uint64_t expanded_bytes = std::uint64_t{8} << 30;  ///< what a .gz may expand to
};

struct CsvOptions {
  Choice header = Choice::automatic;
  Choice row_names = Choice::automatic;
  char separator = '\0';  ///< '\0': found in the text; else , ; | a tab, or ' ' for blanks
  char decimal = '\0';    ///< '\0': a point, or a comma where no comma separates; . or ,
  std::vector<std::string> missing = {};  ///< words for a missing value beside the usual ones
  std::vector<LevelScale> levels = {};    ///< words that count as 1, 2, 3, ...
  bool leave_out_text = false;            ///< see below
  bool every_line = false;  ///< titles, units and totals are rows, too (csv_frame.hpp)
  CsvLimits limits = {};
};

/// Reads a table of numbers from comma, semicolon or tab separated text, plain or gzip, in one
/// pass. Memory: the table and one line. docs/formats.md states the rules; those of the automatic
/// choices, which look at the first two lines that are not blank, are:
///
/// - What stands around a table (a title, comments, units, totals, `sep=;`) is left out and listed
/// in
///   the `remarks` (csv_frame.hpp), and so are words for a missing value that are not the usual.
/// - Separator: the first of tab, `;`, `,`, `|` that splits the first lines into equally many cells
///   (failing that, equally many but one less in the first line); else blanks, any number of them,
///   by the same rule; else the one of them the first line has; else one column.
/// - Decimal comma: where no comma separates; beside another separator than `;` a comma before
///   exactly three digits is refused unless `decimal` says what it is. A file that uses both signs
///   is refused.
/// - Header: line 1 is one if a cell beyond its first is text and none is a number with a decimal
///   sign or exponent; or if its first cell alone is text and that of line 2 is none; or if only
///   line 1 is quoted throughout; or if it is one cell shorter than line 2 and line 2 starts with
///   text; or if it counts from 0 or 1, or holds ascending years, behind an empty first cell or
///   above three or more numbers that all have a decimal sign or exponent. Above other numbers such
///   a line may be a header or not: the file is refused with that question.
/// - Row names: the first column holds them if line 1 is a header that is one cell shorter or has
///   an empty first cell, or if the first data line starts with text. In the last case every line
///   must, otherwise the file is refused rather than guessed at.
/// - Text, for these two, is neither number nor missing nor like 1,234.5 (refused as a cell rather
///   than taken for a name). Quoted beside unquoted cells, a number counts as text.
///
/// - Thousands: 24,996.07 is refused by that name. A column with 1.234 and 890 and no other
///   fractions may hold thousands: it is refused with that question unless `decimal` answers it; a
///   number with the other sign than `decimal` is refused.
///
/// With `leave_out_text` a column that holds text is left out and listed in the table's `left_out`
/// (a file without any other is refused), and guessed row names may be anything.
///
/// `levels`: a cell that is a word of the column's scale counts as its number, whatever it would
/// mean otherwise; such a column may hold these words and missing values alone, and is listed in
/// the table's `remarks`. A scale that nothing in the table uses is refused.
///
/// Names are UTF-8 (bytes that are not are taken for Latin-1), kept as they are, duplicates too.
/// Any other departure throws an Error naming file, line, column, the text found and the remedy.
Table read_csv(const std::filesystem::path& path, const CsvOptions& options = {});

/// The same of bytes in memory; `name` stands for the file in messages.
Table parse_csv(std::span<const std::byte> bytes, const std::string& name,
                const CsvOptions& options = {});

/// Writes names and values: a header if there are column names (its first cell empty above row
/// names), numbers as the shortest text that reads back to the same double, NaN for missing.
/// Names are quoted where they need it or would be taken for numbers. Atomic (atomic_file.hpp).
void write_csv(const std::filesystem::path& path, const Table& table, char separator = ',');

/// Appends a name as `write_csv` writes it: quoted where it needs it.
void append_csv_name(std::string& line, std::string_view name, char separator = ',');

/// The text `write_csv` writes.
std::string format_csv(const Table& table, char separator = ',');

}  // namespace spodnet
