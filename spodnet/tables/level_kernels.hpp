#pragma once

#include <cstddef>
#include <cstdint>

namespace spodnet {

/// The inner loops of polychoric correlations, compiled once per instruction set; chosen with the
/// library's kernels (core/kernels.hpp, which says what padded vectors are).
struct LevelKernels {
  const char* name;
  /// out += sum_k weight_k exp(a_k x + b_k y), k < count; x, y, out padded to n numbers. Exponents
  /// are at most 0; below -700 they count as -700. An exponential is exact to 2 ulp.
  void (*add_exponentials)(std::size_t n, std::size_t count, const double* weight, const double* a,
                           const double* b, const double* x, const double* y, double* out);
  /// counts (rows x cols) = how many bits row i of A and row j of B, of `words` each, have in
  /// common.
  void (*common_bits)(std::size_t words, std::size_t rows, const std::uint64_t* A, std::size_t cols,
                      const std::uint64_t* B, double* counts);
};

const LevelKernels& level_kernels();

}  // namespace spodnet
