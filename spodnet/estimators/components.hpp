#pragma once

#include <cstddef>
#include <limits>
#include <vector>

#include "spodnet/core/types.hpp"
#include "spodnet/problem/constraints.hpp"

namespace spodnet {

/// Penalty of entry (i, j): one number for all, or a matrix; infinite on a forbidden side.
struct Penalty {
  double lambda = 0;
  const Matrix* matrix = nullptr;
  const Constraints* constraints = nullptr;

  double operator()(Eigen::Index i, Eigen::Index j) const {
    return matrix ? (*matrix)(i, j) : lambda;
  }
  double of_positive(Eigen::Index i, Eigen::Index j) const { return of_sign(i, j, 1); }
  double of_negative(Eigen::Index i, Eigen::Index j) const { return of_sign(i, j, -1); }

 private:
  double of_sign(Eigen::Index i, Eigen::Index j, double sign) const {
    const bool allowed = !constraints || constraints->allow(std::size_t(i), std::size_t(j), sign);
    return allowed ? (*this)(i, j) : std::numeric_limits<double>::infinity();
  }
};

/// Connected components of the graph of pairs with S_ij above the penalty of a negative Theta_ij or
/// -S_ij above that of a positive one (without constraints |S_ij| > penalty_ij), largest first
/// (then by first variable); variables ascend inside each. The graphical lasso is block diagonal
/// with these blocks. Cost p^2.
std::vector<std::vector<Eigen::Index>> glasso_components(const MatrixRef& S,
                                                         const Penalty& penalty);

}  // namespace spodnet
