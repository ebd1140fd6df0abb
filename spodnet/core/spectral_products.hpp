#pragma once

#include "spodnet/core/symmetric_eigen.hpp"

namespace spodnet {

/// Products with an eigenbasis. Symmetric matrices come and go packed (packed.hpp); `M` stands for
/// p rows of V.ld numbers. Only lower triangles are computed: half the flops.
struct SpectralProducts {
  AlignedVector left, right;  ///< scratch, ld x ld each
  void resize(std::size_t p);

  /// lower <- V' diag(weights) V. p^3 flops.
  void assemble(const SymmetricEigen& basis, const double* weights, double* lower);
  /// diagonal_i <- v_i' G v_i. p^3 flops.
  void diagonal(const SymmetricEigen& basis, const double* G, double* diagonal);
  /// M <- V G V', full and symmetric. 3 p^3 flops.
  void to_basis(const SymmetricEigen& basis, const double* G, double* M);
  /// lower <- V' M V for a symmetric M. 3 p^3 flops.
  void from_basis(const SymmetricEigen& basis, const double* M, double* lower);
};

}  // namespace spodnet
