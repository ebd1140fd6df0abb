#pragma once

#include "spodnet/workflow/answer.hpp"
#include "spodnet/workflow/working_data.hpp"

namespace spodnet {

/// Theta (and W) in the data's units, partial correlations, edges, spectrum and certificate of an
/// estimate made from `working`. Zeros and positive definiteness are preserved by the scaling.
Answer answer_of(const Estimate& estimate, const Prepared& data, const WorkingData& working);

/// Louvain on |partial correlations| (on |Theta| when it was not standardised), the largest
/// community first.
void find_communities(Answer& answer, bool standardized, std::uint64_t seed);

}  // namespace spodnet
