#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "spodnet/core/types.hpp"
#include "spodnet/io/levels.hpp"

namespace spodnet {

/// A column that holds text where a number is wanted, and where that was first seen.
struct TextColumn {
  std::size_t index = 0;  ///< in the file, counted from 0, a column of row names not counted
  std::string name;       ///< empty when the file has no header
  std::string text;       ///< the first cell that is no number ...
  std::size_t line = 0;   ///< ... and its line; 0: left out because the user asked for it
  std::vector<std::string> words = {};  ///< all that it holds, where they are few (at most 10)
  std::size_t cells = 0;                ///< that hold text
  std::size_t numbers = 0;              ///< that hold numbers
};

/// A table of numbers with the names it came with.
struct Table {
  std::vector<std::string> columns;       ///< empty when the file has no header
  std::vector<std::string> rows;          ///< empty when the file has no row names
  Matrix values;                          ///< NaN where the file has a missing value
  std::vector<TextColumn> left_out = {};  ///< text columns, where they were not refused
  std::vector<std::string> remarks = {};  ///< what was guessed of its form, in words
};

enum class Choice { automatic, yes, no };

/// How a table is read; all but the columns matter to text alone (io/csv.hpp).
struct TableOptions {
  bool leave_out_text = false;  ///< columns with text are left out and listed, not refused
  Choice header = Choice::automatic;
  Choice row_names = Choice::automatic;
  char separator = '\0', decimal = '\0';
  std::vector<std::string> missing = {};  ///< words for a missing value beside the usual ones
  std::vector<LevelScale> levels = {};    ///< ordered categories, read as 1, 2, 3, ...
  std::vector<std::string> columns = {};  ///< to keep, by name, number from 1, or 3-7; empty: all
  std::vector<std::string> exclude = {};  ///< to leave out
};

/// Whether the name ends like that of a table, or with .gz.
bool has_table_name(const std::filesystem::path& path);

/// Reads CSV/TSV (.csv .tsv .txt, plain or .gz; io/csv.hpp) or NPY (.npy; one or two dimensions,
/// the former as one column), chosen by the file's name whatever its case.
Table read_table(const std::filesystem::path& path, const TableOptions& options = {});

/// Text as in a .csv, from memory; `name` stands for the file in messages.
Table parse_table(std::string_view text, const std::string& name, const TableOptions& options);

/// Writes .csv, .tsv, .npy or .mtx (io/matrix_market.hpp), chosen by the file's name; the last two
/// hold no names. Atomic: never half a file.
void write_table(const std::filesystem::path& path, const Table& table);

}  // namespace spodnet
