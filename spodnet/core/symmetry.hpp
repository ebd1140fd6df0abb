#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace spodnet {

/// True only where A (p x p) is finite and equals its transpose bit for bit, which is what most
/// callers pass; one pass, by tiles that stay in the cache. Numbers whose sum overflows give false.
inline bool finite_and_symmetric(const double* A, std::size_t p) {
  constexpr std::size_t kTile = 8;
  double sum = 0;  // not finite where a number is not
  bool same = true;
  for (std::size_t i0 = 0; i0 < p; i0 += kTile)
    for (std::size_t j0 = 0; j0 <= i0; j0 += kTile)
      for (std::size_t i = i0; i < std::min(p, i0 + kTile); ++i)
        for (std::size_t j = j0; j < std::min(p, j0 + kTile); ++j) {
          sum += A[i * p + j];
          same &= A[i * p + j] == A[j * p + i];
        }
  return same && std::isfinite(sum);
}

}  // namespace spodnet
