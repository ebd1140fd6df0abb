#pragma once

#include "spodnet/analysis/analysis.hpp"

namespace spodnet {

/// Bootstrap, and which edges are stable.
void add_confidence(Analysis& analysis, const Candidate& chosen, GraphAnswer& answer);

}  // namespace spodnet
