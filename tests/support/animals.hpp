#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "spodnet/core/types.hpp"

namespace spodnet::test {

/// Where the Animals data (33 animals x 102 answers, one row per answer) is looked for:
/// $SPODNET_ANIMALS, else ../shared/data/animals/animals.csv beside the repository.
inline std::filesystem::path animals_path() {
  if (const char* path = std::getenv("SPODNET_ANIMALS")) return path;
  const std::filesystem::path root = std::filesystem::path(SPODNET_GOLDEN_DIR) / ".." / "..";
  return root / ".." / "shared" / "data" / "animals" / "animals.csv";
}

/// 102 x 33 samples; 0 x 0 when the file is not there.
inline Matrix read_animals() {
  std::ifstream in(animals_path());
  std::vector<double> values;
  std::string line, cell;
  std::getline(in, line);  // names
  Eigen::Index rows = 0;
  for (; std::getline(in, line); ++rows)
    for (std::istringstream cells(line); std::getline(cells, cell, ',');)
      values.push_back(std::stod(cell));
  if (rows == 0) return {};
  return Eigen::Map<const Matrix>(values.data(), rows, Eigen::Index(values.size()) / rows);
}

/// For a test that needs the data: says clearly that it did not run.
#define SPODNET_NEEDS_ANIMALS(X)                                                             \
  if ((X).size() == 0)                                                                       \
  GTEST_SKIP() << "NOT RUN: no Animals data at " << ::spodnet::test::animals_path().string() \
               << "; set SPODNET_ANIMALS to animals.csv"

}  // namespace spodnet::test
