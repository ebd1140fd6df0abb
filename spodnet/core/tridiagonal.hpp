#pragma once

#include <cstddef>

namespace spodnet {

/// Householder reduction of a symmetric matrix, A = M' T M with T tridiagonal and
/// M = H_2 H_3 ... H_{p-1}, H_m = I - u_m u_m' where u_m is zero from entry m on.
/// Matrices have p rows of padded(p) numbers (kernels.hpp), `scratch` has tridiagonal_scratch(p).
std::size_t tridiagonal_scratch(std::size_t p);

/// Row m = p-1, ..., 2 is reflected onto its neighbour below the diagonal; each update of the
/// remaining block shares one sweep with the next product. A comes full and leaves with u_m in
/// row m; d and e receive T. 4/3 p^3 flops.
void reduce_to_tridiagonal(std::size_t p, double* A, double* d, double* e, double* scratch);

/// M from the reflectors in the rows of A, eight at a time: H_a ... H_b = I - U' T U with T upper
/// triangular, so that all the work is in matrix products. 4/3 p^3 flops.
void reflector_basis(std::size_t p, const double* A, double* M, double* scratch);

}  // namespace spodnet
