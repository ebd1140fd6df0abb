#include "spodnet/core/spectral_products.hpp"

#include <algorithm>

#include "spodnet/core/kernels.hpp"
#include "spodnet/core/packed.hpp"

namespace spodnet {
namespace {

void clear(AlignedVector& A) { std::fill(A.begin(), A.end(), 0.0); }

/// Lower triangle of C = A B, block row by block row; entry (i, l) of A is A[i a_row + l a_col].
void lower_product(std::size_t p, std::size_t ld, const double* A, std::size_t a_row,
                   std::size_t a_col, const double* B, double* C) {
  for (std::size_t r = 0; r < p; r += kBlock)
    kernels().gemm(std::min(kBlock, p - r), r + kBlock, p, A + r * a_row, a_row, a_col, B, ld,
                   C + r * ld, ld);
}

}  // namespace

void SpectralProducts::resize(std::size_t p) {
  left.assign(padded(p) * padded(p), 0.0);
  right.assign(padded(p) * padded(p), 0.0);
}

void SpectralProducts::assemble(const SymmetricEigen& basis, const double* weights, double* lower) {
  const std::size_t p = basis.p, ld = basis.ld;
  for (std::size_t k = 0; k < p; ++k)
    for (std::size_t j = 0; j < ld; ++j) left[k * ld + j] = weights[k] * basis.V[k * ld + j];
  clear(right);
  lower_product(p, ld, basis.V.data(), 1, ld, left.data(), right.data());
  pack_lower(right.data(), p, ld, lower);
}

void SpectralProducts::diagonal(const SymmetricEigen& basis, const double* G, double* diagonal) {
  // G = H + H' with H lower triangular: v'Gv = 2 v'Hv, and V H needs half of V G.
  const std::size_t p = basis.p, ld = basis.ld;
  clear(left);
  clear(right);
  for (std::size_t i = 0; i < p; G += ++i) {
    std::copy_n(G, i + 1, left.data() + i * ld);
    left[i * ld + i] *= 0.5;
  }
  for (std::size_t j = 0; j < p; j += 3 * kBlock)
    kernels().gemm(p, std::min(3 * kBlock, ld - j), p - j, basis.V.data() + j, ld, 1,
                   left.data() + j * ld + j, ld, right.data() + j, ld);
  for (std::size_t i = 0; i < p; ++i)
    diagonal[i] = 2 * kernels().dot(ld, right.data() + i * ld, basis.V.data() + i * ld);
}

void SpectralProducts::to_basis(const SymmetricEigen& basis, const double* G, double* M) {
  const std::size_t p = basis.p, ld = basis.ld;
  unpack_symmetric(G, p, ld, left.data());
  clear(right);
  kernels().gemm(p, ld, p, basis.V.data(), ld, 1, left.data(), ld, right.data(), ld);
  for (std::size_t k = 0; k < p; ++k)
    for (std::size_t j = 0; j < p; ++j) left[j * ld + k] = basis.V[k * ld + j];
  std::fill(M, M + p * ld, 0.0);
  lower_product(p, ld, right.data(), ld, 1, left.data(), M);
  for (std::size_t i = 0; i < p; ++i)
    for (std::size_t j = 0; j < i; ++j) M[j * ld + i] = M[i * ld + j];
}

void SpectralProducts::from_basis(const SymmetricEigen& basis, const double* M, double* lower) {
  const std::size_t p = basis.p, ld = basis.ld;
  clear(left);
  clear(right);
  kernels().gemm(p, ld, p, M, ld, 1, basis.V.data(), ld, left.data(), ld);
  lower_product(p, ld, basis.V.data(), 1, ld, left.data(), right.data());
  pack_lower(right.data(), p, ld, lower);
}

}  // namespace spodnet
