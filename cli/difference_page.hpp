#pragma once

#include <string>
#include <vector>

#include "spodnet/workflow/difference.hpp"

namespace spodnet::cli {

/// An edge that two groups differ in (corrected p-value at most the level), the smallest p first.
struct DifferentEdge {
  std::size_t i = 0, j = 0;
  double a = 0, b = 0;  ///< partial correlations that were compared
  double p = 1;         ///< corrected by the largest difference
};
std::vector<DifferentEdge> different_edges(const Difference& difference, const GroupPair& pair);

/// One page without scripts: every group's graph with the variables in the same places, what
/// differs, the tests, what was done.
std::string difference_html(const Difference& difference, const std::string& title);

}  // namespace spodnet::cli
