#pragma once

#include <cstddef>
#include <vector>

#include "spodnet/core/types.hpp"

namespace spodnet {

/// Penalty of entry (i, j): one number for all, or a matrix.
struct Penalty {
  double lambda = 0;
  const Matrix* matrix = nullptr;

  double operator()(Eigen::Index i, Eigen::Index j) const {
    return matrix ? (*matrix)(i, j) : lambda;
  }
};

/// Connected components of the graph |S_ij| > penalty_ij, largest first (then by first variable);
/// variables ascend inside each. The graphical lasso is block diagonal with exactly these blocks.
/// Cost p^2.
std::vector<std::vector<Eigen::Index>> glasso_components(const MatrixRef& S,
                                                         const Penalty& penalty);

}  // namespace spodnet
