#pragma once

#include <vector>

#include "spodnet/layer/slot.hpp"
#include "spodnet/models/model.hpp"

namespace spodnet {

/// Theta as the walk left it, checked by Cholesky, with a fresh W. When the walk failed or rounding
/// broke Theta, the last SPD iterate and a status; where its columns do not all meet the slot's
/// constraints yet, these are imposed and the other entries off the diagonal shrunk until it is
/// SPD again.
Estimate finish_estimate(Slot& slot, const std::vector<const LayerTape*>& tapes);

}  // namespace spodnet
