#pragma once

#include <string>
#include <vector>

#include "reproduce/table.hpp"

namespace spodnet::figures {

/// A claim of the paper beside what was measured.
struct Verdict {
  std::string claim;
  std::string place;     ///< where the paper says it
  std::string paper;     ///< its number
  std::string measured;  ///< ours
  std::string holds;     ///< yes, no, partly, or not measured
  std::string reason;    ///< why, and what to keep in mind
};

/// yes when all of them hold, no when none does, else partly; "not measured" of nothing.
std::string verdict_of(std::size_t holding, std::size_t all);

/// The table verdicts.csv.
ResultTable verdict_table(const std::vector<Verdict>& verdicts);

}  // namespace spodnet::figures
