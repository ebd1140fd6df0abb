#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "spodnet/core/types.hpp"

namespace spodnet {

/// A column that holds text where a number is wanted, and where that was first seen.
struct TextColumn {
  std::size_t index = 0;  ///< in the file, counted from 0, a column of row names not counted
  std::string name;       ///< empty when the file has no header
  std::string text;       ///< the first cell that is no number ...
  std::size_t line = 0;   ///< ... and its line
};

/// A table of numbers with the names it came with.
struct Table {
  std::vector<std::string> columns;       ///< empty when the file has no header
  std::vector<std::string> rows;          ///< empty when the file has no row names
  Matrix values;                          ///< NaN where the file has a missing value
  std::vector<TextColumn> left_out = {};  ///< text columns, where they were not refused
};

struct TableOptions {
  bool leave_out_text = false;  ///< columns with text are left out and listed, not refused
};

/// Reads CSV/TSV (.csv .tsv .txt, plain or .gz; io/csv.hpp) or NPY (.npy; one or two dimensions,
/// the former as one column), chosen by the file's name whatever its case.
Table read_table(const std::filesystem::path& path, const TableOptions& options = {});

/// Writes .csv, .tsv, .npy or .mtx (io/matrix_market.hpp), chosen by the file's name; the last two
/// hold no names. Atomic: never half a file.
void write_table(const std::filesystem::path& path, const Table& table);

}  // namespace spodnet
