#pragma once

#include <cstddef>

#include "spodnet/core/parallel.hpp"

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

// The same for matrices that outgrow the caches, on the threads of `pool`: updates wait, so that a
// step reads what is left of A once and seldom writes it; reflectors are taken 32 at a time. Work
// is cut by p alone: the same bits for any number of threads.
void reduce_large(std::size_t p, double* A, double* d, double* e, double* scratch,
                  ThreadPool* pool);
void reflector_basis_large(std::size_t p, const double* A, double* M, ThreadPool* pool);

// What the two ways share.

/// u with (I - u u') x = (0, ..., 0, beta) for the m numbers of x, in place; returns beta.
/// u = 0 when x has this form already. The rest of the padded row becomes zero.
double reflector(std::size_t m, std::size_t ld, double* x);
/// H A H = A - u q' - q u' with w = A u, q = w - (u'w/2) u. As a difference of squares,
///   u q' + q u' = (x1 x1' - x2 x2')/2, x1 = t u + q/t, x2 = t u - q/t,
/// where t balances the two so that nothing cancels beyond rounding.
void rank_two_factors(std::size_t ld, const double* u, double* w, double* x1, double* x2);
/// T (rows `width` apart) of H_1 ... H_k = I - U' T U for the rows of U: T_kk = 1,
/// T_{<k, k} = -T_{<k,<k} (U u_k).
void reflector_product(std::size_t ld, const double* U, std::size_t count, std::size_t width,
                       double* T);

}  // namespace spodnet
