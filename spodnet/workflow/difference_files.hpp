#pragma once

#include <string>

#include "spodnet/workflow/difference.hpp"

namespace spodnet {

/// All pairs of variables: their partial correlations in each graph shown, and for every two groups
/// the tested difference and its p-values.
std::string differences_csv(const Difference& difference);

/// What the tests of two groups found, in a sentence or two that name both: whether a partial
/// correlation differs, and whether total strength does.
std::string verdict(const Difference& difference, const GroupPair& pair);

/// Groups, tests, the pairs that differ at the level (corrected by the largest difference), notes.
std::string difference_json(const Difference& difference);

}  // namespace spodnet
