#pragma once

#include "spodnet/workflow/analysis.hpp"

namespace spodnet {

/// Bootstrap, and which edges are stable.
void add_confidence(Analysis& analysis, const Candidate& chosen, Answer& answer);

}  // namespace spodnet
