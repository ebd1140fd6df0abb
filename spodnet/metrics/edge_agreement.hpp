#pragma once

#include <cstddef>

#include "spodnet/core/types.hpp"

namespace spodnet {

/// How far two graphs of the same p variables agree. An edge is as in metrics/edge.hpp.
struct EdgeAgreement {
  std::size_t edges_a = 0, edges_b = 0;
  std::size_t common = 0;     ///< edges of both
  double jaccard = 0;         ///< common / (edges of either); 1 when neither has any
  double sign_agreement = 0;  ///< share of the common edges with the same sign; NaN: none common
  std::size_t top = 0;        ///< the smaller number of edges, and ...
  double top_overlap = 0;     ///< ... the share of the `top` strongest partial correlations of each
                              ///< that both have: fair to a graph that is dense; NaN: top is 0
  double correlation = 0;     ///< of the partial correlations of all pairs; NaN: one is constant
};

/// From two symmetric p x p matrices of partial correlations (lower triangles without the diagonal
/// are read). Of equally strong pairs the first by row counts. Error when the sizes differ. Cost
/// p^2 log p.
EdgeAgreement edge_agreement(const MatrixRef& partial_a, const MatrixRef& partial_b);

/// Partial correlations -A_ij / sqrt(Theta_ii Theta_jj), 1 on the diagonal; A is Theta itself or a
/// sparse stand-in for it.
Matrix partial_correlations(const MatrixRef& A, const MatrixRef& Theta);

}  // namespace spodnet
