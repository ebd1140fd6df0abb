#pragma once

#include <optional>
#include <vector>

#include "spodnet/layer/matrix_workspace.hpp"
#include "spodnet/problem/estimate.hpp"

namespace spodnet {

/// Theta of a walk without a way back, all that its memory is needed for. Nothing when the walk was
/// stopped.
std::optional<Estimate> end_of_walk(const MatrixWorkspace& slot, const LayerTape& tape);
/// Its Theta checked by Cholesky, with a fresh W. Nothing when rounding broke it.
std::optional<Estimate> finish_estimate(Estimate walked, const Constraints* constraints,
                                        ThreadPool* pool);

/// Theta as the walk left it, checked by Cholesky, with a fresh W. When the walk failed or rounding
/// broke Theta, the last SPD iterate and a status; where its columns do not all meet the slot's
/// constraints yet, these are imposed and the other entries off the diagonal shrunk until it is
/// SPD again.
Estimate finish_estimate(MatrixWorkspace& slot, const std::vector<const LayerTape*>& tapes);

}  // namespace spodnet
