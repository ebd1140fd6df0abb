#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "reproduce/json.hpp"

namespace spodnet::figures {

/// What a figure is drawn from. Cells are numbers, text, or null (empty in CSV).
struct ResultTable {
  std::string name;  ///< of its files
  std::vector<std::string> columns;
  std::vector<std::vector<Json>> rows;
};

/// Header and rows; numbers as the shortest text that reads back the same, text quoted where
/// needed.
std::string to_csv(const ResultTable& table);

/// FOLDER/NAME.csv, and FOLDER/NAME.json with the same rows as objects behind `record` (seed,
/// settings, version, machine, command). Both atomic.
void write_table(const std::filesystem::path& folder, const ResultTable& table, const Json& record);

}  // namespace spodnet::figures
