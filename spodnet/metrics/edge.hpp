#pragma once

#include <cmath>
#include <cstddef>
#include <vector>

#include "spodnet/core/types.hpp"

namespace spodnet {

// The one definition of an edge. Two variables i != j of a precision matrix Theta are joined unless
// their partial correlation -Theta_ij / sqrt(Theta_ii Theta_jj) rounds to 0 at ten decimals (the
// authors' rule, in units that do not matter). Estimates of the layer and of the graphical lasso
// have exact zeros; the rounding of an inverse is no edge either.

inline constexpr double kNoEdge = 0.5e-10;

/// Of a partial correlation.
inline bool is_edge(double partial_correlation) {
  return !(std::abs(partial_correlation) <= kNoEdge);
}

/// Of entry (i, j), i != j; a matrix that is no precision (its diagonal 0) has an edge wherever it
/// is not 0. Either triangle counts.
inline bool is_edge(const MatrixRef& Theta, Eigen::Index i, Eigen::Index j) {
  const double least =
      kNoEdge * std::sqrt(std::abs(Theta(i, i))) * std::sqrt(std::abs(Theta(j, j)));
  return !(std::abs(Theta(i, j)) <= least) || !(std::abs(Theta(j, i)) <= least);
}

/// A pair i < j.
struct EdgePlace {
  Eigen::Index i = 0, j = 0;
};

/// The edges of Theta, row by row.
std::vector<EdgePlace> edges_of(const MatrixRef& Theta);

/// Their number, in p^2 / 2.
std::size_t count_edges(const MatrixRef& Theta);

/// Edges over pairs: 0 for p = 1.
double density(const MatrixRef& Theta);

}  // namespace spodnet
