#pragma once

#include <vector>

#include "spodnet/core/symmetric_eigen.hpp"
#include "spodnet/models/glad_networks.hpp"

namespace spodnet::glad {

/// One iteration on one matrix, as the backward needs it. Packed triangles have p(p+1)/2 numbers.
struct Iteration {
  SymmetricEigen Y;         ///< of Y = S/alpha - Z; shares V with S in the first iteration
  Vector s, theta;          ///< s = sqrt(y^2 + 4/alpha), theta = (s - y)/2: eigenvalues of Theta
  AlphaTape alpha;          ///< how alpha came about
  Vector Theta, Z, hidden;  ///< packed, packed, kRhoHidden x packed
};

/// All iterations on one matrix with the scratch of both directions; sized once by `resize`.
struct Tape {
  std::size_t p = 0;
  Vector S, Z_0, multiplicity;  ///< packed; multiplicity is 2 off the diagonal and 1 on it
  Vector sigma, zeta;           ///< eigenvalues of S and of Z_0 = (S + offset I)^{-1}
  std::vector<Iteration> iterations;
  Matrix full, product;               ///< p x p scratch
  Vector d_Z, d_Z_before, d_Theta;    ///< packed adjoints
  void resize(std::size_t p, int L);  ///< allocates only when p or L changes
};

/// Eqs. (13-17), L times, from Z_0 = (S + offset I)^{-1} and alpha_0 = NN_alpha(1, 0).
/// S is p x p. Cost per iteration: one eigendecomposition and p^3.
[[nodiscard]] Status forward(const double* parameters, const double* S, Tape& tape);

/// Adjoint of `forward` for the loss mean_k ||Z_k - Theta_true||_F^2 (Theta_true packed):
/// adds the gradient to d_parameters. Cost per iteration: 6 p^3; the first one 3 p^3.
void backward(const double* parameters, const double* Theta_true, Tape& tape, double* d_parameters);

/// out <- packed lower triangle of V^T diag(weights) V.
void spectral_matrix(const Matrix& V, const Vector& weights, Matrix& scratch, Matrix& product,
                     Vector& out);

}  // namespace spodnet::glad
