#pragma once

#include <string>
#include <vector>

#include "spodnet/workflow/difference.hpp"

namespace spodnet {

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

/// All pairs of variables: their partial correlations in each graph shown, and for every two groups
/// the tested difference and its p-values.
std::string differences_csv(const Difference& difference);

/// What the tests of two groups found, in a sentence or two that name both: whether a partial
/// correlation differs, and whether total strength does.
std::string verdict(const Difference& difference, const GroupPair& pair);

/// Groups, tests, the pairs that differ at the level (corrected by the largest difference), notes.
std::string difference_json(const Difference& difference);

}  // namespace spodnet
