#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "spodnet/core/types.hpp"

namespace spodnet {

/// A table of numbers with the names it came with.
struct Table {
  std::vector<std::string> columns;  ///< empty when the file has no header
  std::vector<std::string> rows;     ///< empty when the file has no row names
  Matrix values;                     ///< NaN where the file has a missing value
};

/// Reads CSV/TSV (.csv .tsv .txt, plain or .gz; io/csv.hpp) or NPY (.npy; one or two dimensions,
/// the former as one column), chosen by the file's name whatever its case.
Table read_table(const std::filesystem::path& path);

/// Writes .csv, .tsv, .npy or .mtx (io/matrix_market.hpp), chosen by the file's name; the last two
/// hold no names. Atomic: never half a file.
void write_table(const std::filesystem::path& path, const Table& table);

}  // namespace spodnet
