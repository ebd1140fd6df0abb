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

/// Reads CSV/TSV (optionally .gz) or NPY, chosen by the file's name.
Table read_table(const std::filesystem::path& path);

}  // namespace spodnet
