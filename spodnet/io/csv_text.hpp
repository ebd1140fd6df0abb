#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "spodnet/io/csv.hpp"

namespace spodnet {

/// One line of a table of text.
struct TextRecord {
  std::size_t line = 0;            ///< in the file, counted from 1
  std::vector<std::string> cells;  ///< UTF-8, quotes removed
};

/// Reads every line of comma, semicolon or tab separated text, plain or gzip, as text: lists of
/// names rather than numbers. Lines may differ in length; blank ones are left out. Separator,
/// quotes, limits and what stands around a table (csv_frame.hpp) as in read_csv: with equal options
/// these are the lines that it reads. An empty file gives no records.
std::vector<TextRecord> read_csv_text(const std::filesystem::path& path,
                                      const CsvOptions& options = {});

}  // namespace spodnet
