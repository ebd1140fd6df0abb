#pragma once

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "reproduce/reproduce.hpp"
#include "spodnet/models/model.hpp"
#include "support/animals.hpp"
#include "support/temporary_folder.hpp"

namespace spodnet::test {

using namespace spodnet::figures;

/// A table as it stands in its CSV file, all cells as text (none of ours has quoted line ends).
struct CsvTable {
  std::vector<std::string> columns;
  std::vector<std::vector<std::string>> rows;

  std::size_t column(const std::string& name) const {
    const auto found = std::find(columns.begin(), columns.end(), name);
    EXPECT_NE(found, columns.end()) << name;
    return std::size_t(found - columns.begin());
  }
  const std::string& at(std::size_t row, const std::string& name) const {
    return rows[row][column(name)];
  }
  double number(std::size_t row, const std::string& name) const { return std::stod(at(row, name)); }
};

inline std::vector<std::string> split_line(const std::string& line) {
  std::vector<std::string> cells = {""};
  bool quoted = false;
  for (const char c : line) {
    if (c == '"')
      quoted = !quoted;
    else if (c == ',' && !quoted)
      cells.emplace_back();
    else
      cells.back() += c;
  }
  return cells;
}

inline CsvTable read_result(const std::filesystem::path& path) {
  CsvTable table;
  std::istringstream in(read_bytes(path));
  std::string line;
  std::getline(in, line);
  table.columns = split_line(line);
  while (std::getline(in, line)) {
    table.rows.push_back(split_line(line));
    EXPECT_EQ(table.rows.back().size(), table.columns.size()) << path << ": " << line;
  }
  return table;
}

inline ReproduceOptions tiny(const std::filesystem::path& folder,
                             std::vector<std::string> figures = figure_names()) {
  ReproduceOptions options;
  options.figures = std::move(figures);
  options.scale = "tiny";
  options.folder = folder;
  if (std::filesystem::exists(animals_path())) options.animals = animals_path();
  options.version = "test";
  options.command = "test";
  options.run.threads = 2;
  return options;
}

}  // namespace spodnet::test
