#pragma once

#include <algorithm>
#include <cmath>

#include "spodnet/core/types.hpp"

namespace spodnet {

/// Penalties of positive and of negative Theta_ij, p x p, >= 0; infinity forbids that sign, and
/// diagonals are not read. The box of the dual problem is
///   -negative_ij <= W_ij - S_ij <= positive_ij.
/// A view: the matrices must outlive it.
struct SidedPenalty {
  const Matrix& positive;
  const Matrix& negative;

  SidedPenalty(const Matrix& above, const Matrix& below) : positive(above), negative(below) {}
  SidedPenalty(const Matrix& both) : positive(both), negative(both) {}  // NOLINT: implicit

  /// The move of W_ij from S_ij, clipped into the box.
  double clipped(std::size_t i, std::size_t j, double move) const {
    return std::min(std::max(move, -negative(i, j)), positive(i, j));
  }
  /// Largest share <= 1 of a move that is feasible.
  double feasible_share(std::size_t i, std::size_t j, double move) const {
    const double bound = (move > 0 ? positive : negative)(i, j);
    return std::abs(move) <= bound ? 1 : bound / std::abs(move);
  }
  /// W_ij - S_ij on an edge with this Theta_ij.
  double on_edge(std::size_t i, std::size_t j, double theta) const {
    return theta > 0 ? positive(i, j) : -negative(i, j);
  }
  double smaller(std::size_t i, std::size_t j) const {
    return std::min(positive(i, j), negative(i, j));
  }
};

}  // namespace spodnet
