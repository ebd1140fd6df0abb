#pragma once

#include <array>
#include <span>
#include <string_view>

#include "spodnet/core/types.hpp"

namespace spodnet {

/// What is measured of a node, in the order of the columns of node_measures.
enum class NodeMeasure {
  strength,
  expected_influence,
  closeness,
  betweenness,
  bridge_strength,
  predictability
};
inline constexpr std::size_t kNodeMeasures = 6;
inline constexpr std::array<std::string_view, kNodeMeasures> kNodeMeasureNames = {
    "strength",    "expected_influence", "closeness",
    "betweenness", "bridge_strength",    "predictability"};

/// Measures of every node, p x 6, from the partial correlations w (symmetric, p x p; the diagonal
/// is not read; an edge is as in edge.hpp) and the community of each node:
///   strength            sum_j |w_ij|
///   expected influence  sum_j w_ij
///   closeness           (r / (p - 1)) (r / sum_j d_ij) over the r nodes that can be reached;
///                       d_ij is the length of the shortest path, an edge being 1 / |w| long
///   betweenness         over the pairs of other nodes, the sum of the share of their shortest
///                       paths that pass through i
///   bridge strength     sum |w_ij| over the j of other communities
///   predictability      R^2 of i from its neighbours, by `predictability` below
/// Isolated nodes have 0 everywhere. Cost: p edges log p.
Matrix node_measures(const MatrixRef& partial, std::span<const std::size_t> community,
                     const Vector& predictability);

/// The share of each variable's variance in S that its neighbours explain, by the regression that
/// Theta says: the residual of i is sum_j Theta_ij x_j / Theta_ii, hence
///   R^2_i = 1 - (Theta S Theta)_ii / (Theta_ii^2 S_ii).
/// S and Theta in the same units. Cost 2 p^3.
Vector predictability(const MatrixRef& Theta, const MatrixRef& S);

}  // namespace spodnet
