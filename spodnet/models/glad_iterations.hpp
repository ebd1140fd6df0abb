#pragma once

#include <vector>

#include "spodnet/core/spectral_products.hpp"
#include "spodnet/models/glad_networks.hpp"

namespace spodnet::glad {

/// One iteration on one matrix, as the backward needs it.
struct Iteration {
  SymmetricEigen Y;        ///< of Y = S/alpha - Z; the first iteration shares V with S
  AlignedVector s, theta;  ///< s = sqrt(y^2 + 4/alpha), theta = (s - y)/2: spectrum of Theta
  AlphaTape alpha;         ///< how alpha came about
  AlignedVector Theta, Z;  ///< packed, padded
  AlignedVector G;         ///< gradient of the loss in Z, every entry for itself; packed
  AlignedVector hidden;    ///< kRhoHidden x packed
};

/// All iterations on one matrix with the scratch of both directions; sized once by `resize`.
/// Symmetric matrices are packed (packed.hpp) and padded with zeros to whole blocks.
struct Tape {
  std::size_t p = 0;
  std::size_t count = 0;       ///< padded length of a packed matrix
  AlignedVector S, Z_0;        ///< packed
  AlignedVector multiplicity;  ///< packed: 2 off the diagonal, 1 on it, 0 in the padding
  AlignedVector sigma, zeta;   ///< eigenvalues of S and of Z_0 = (S + offset I)^{-1}
  std::vector<Iteration> iterations;
  AlignedVector d_Z, d_Z_before, d_Theta, work;  ///< packed
  AlignedVector M;                               ///< p rows of padded(p)
  SpectralProducts products;

  void resize(std::size_t p, int L);  ///< allocates only when p or L changes

  /// <A, B> and ||A - B||_F^2 of the full matrices.
  double inner(const AlignedVector& A, const AlignedVector& B) const;
  double distance2(const AlignedVector& A, const AlignedVector& B);
};

/// Eqs. (13-17), L times, from Z_0 = (S + offset I)^{-1} and alpha_0 = NN_alpha(1, 0).
/// S is p x p. Cost per iteration: one eigendecomposition and p^3.
[[nodiscard]] Status forward(const double* parameters, const double* S, Tape& tape);

/// Adjoint of `forward` for a loss whose gradient in each Z_k is its G: adds the gradient to
/// d_parameters. Cost per iteration: 6 p^3; the first one 2 p^3.
void backward(const double* parameters, Tape& tape, double* d_parameters);

}  // namespace spodnet::glad
