#pragma once

#include <string>

#include "spodnet/workflow/difference.hpp"

namespace spodnet {

/// All pairs of variables: their partial correlations in each graph shown, and for every two groups
/// the tested difference and its p-values.
std::string differences_csv(const Difference& difference);

/// Groups, tests, the pairs that differ at the level (corrected by the largest difference), notes.
std::string difference_json(const Difference& difference);

}  // namespace spodnet
