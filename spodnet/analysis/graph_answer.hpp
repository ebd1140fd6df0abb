#pragma once

#include "spodnet/confidence/working_data.hpp"
#include "spodnet/graph/answer.hpp"

namespace spodnet {

/// Theta (and W) in the data's units, partial correlations, edges, spectrum and certificate of an
/// estimate made from `working`. Zeros and positive definiteness are preserved by the scaling.
GraphAnswer answer_of(const Estimate& estimate, const PreparedData& data,
                      const WorkingData& working);

/// Louvain on |partial correlations| (on |Theta| when it was not standardised), the largest
/// community first.
void find_communities(GraphAnswer& answer, bool standardized, std::uint64_t seed);

}  // namespace spodnet
