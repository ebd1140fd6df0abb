#pragma once

#include "spodnet/core/types.hpp"
#include "spodnet/generate/random_graph.hpp"
#include "spodnet/generate/signs.hpp"

namespace spodnet {

/// Couplings B (p x p, symmetric, diagonal 0) of a graph: B_ij = -sign * magnitude on its edges,
/// the magnitudes uniform in [0.1, 0.9) as in the paper's factor, 0 elsewhere.
Matrix graph_couplings(std::size_t p, const Edges& edges, Signs signs, RandomStream& random);

/// Couplings of a time series: B_ij = c_{j - i} for 1 <= j - i <= bandwidth, one number per lag,
/// c_k = -sign * magnitude / k. The precision matrix of an autoregression looks like this.
Matrix band_couplings(std::size_t p, std::size_t bandwidth, Signs signs, RandomStream& random);

/// Theta = B + t diag(|B| 1) + s I: t in [0, 1) is drawn, so that well-linked variables have
/// anything between the same and a larger diagonal; s gives Theta the condition number. B = 0 gives
/// I.
Matrix precision_from_couplings(const Matrix& B, double condition, RandomStream& random);

/// A + s I with the given condition number (> 1): s = (eig_max - condition eig_min)/(condition -
/// 1). A (symmetric) that is a multiple of I becomes I. Cost: the eigenvalues of A.
Matrix shift_to_condition(const Matrix& A, double condition);

}  // namespace spodnet
