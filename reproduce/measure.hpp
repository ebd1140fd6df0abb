#pragma once

#include <functional>

#include "reproduce/part.hpp"
#include "spodnet/generate/dataset.hpp"
#include "spodnet/models/model.hpp"
#include "spodnet/problem/estimate.hpp"

namespace spodnet::figures {

/// Scores of one kind of estimate over a whole test set. Of each output matrix ("theta", for GLAD
/// also "z", "projected" = Z projected onto the PSD cone, "thresholded" = Theta on Z's support):
///   nmse, f1, f1_offdiag, density, condition, rank   means over the set
///   zeros        mean share of off-diagonal entries that are exactly 0
///   eig_min      the smallest eigenvalue of all matrices; eig_min_mean: mean of the smallest
///   spd_share    share of the matrices whose Cholesky decomposition succeeds
/// and beside them `discrepancy` (mean ||Z - Theta||_F / ||Theta||_F), `failures` (estimates with
/// a status) and `seconds` (mean of one estimate, on one thread).
/// Nothing when the context's stop was set. The same for any pool size.
std::optional<Json> measure(const DataSet& test, const PartContext& context,
                            const std::function<Estimate(std::size_t k)>& estimate);

}  // namespace spodnet::figures
