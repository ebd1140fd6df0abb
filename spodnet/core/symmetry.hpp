#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

namespace spodnet {

/// Calls visit(i, j) for the lower triangle of a p x p matrix, j < i, by tiles that stay in the
/// cache with their mirror images. Inlined, so that what `visit` sums up stays in registers.
template <class Visit>
[[gnu::always_inline]] inline void visit_lower(std::size_t p, Visit visit) {
  constexpr std::size_t kTile = 4;
  const std::size_t whole = p / kTile * kTile;
  for (std::size_t i0 = 0; i0 < whole; i0 += kTile) {
    for (std::size_t j0 = 0; j0 < i0; j0 += kTile)
      for (std::size_t i = 0; i < kTile; ++i)
        for (std::size_t j = 0; j < kTile; ++j) visit(i0 + i, j0 + j);
    for (std::size_t i = i0; i < i0 + kTile; ++i)
      for (std::size_t j = i0; j < i; ++j) visit(i, j);
  }
  for (std::size_t i = whole; i < p; ++i)
    for (std::size_t j = 0; j < i; ++j) visit(i, j);
}

/// True only where A (p x p) is finite and equals its transpose bit for bit, which is what most
/// callers pass; one pass.
inline bool finite_and_symmetric(const double* A, std::size_t p) {
  constexpr std::uint64_t kMagnitude = ~std::uint64_t{0} >> 1,
                          kExponentUnit = std::uint64_t{1} << 52;
  const auto bits = [A](std::size_t at) { return std::bit_cast<std::uint64_t>(A[at]); };
  std::uint64_t different = 0, overflow = 0;  // the top bit: an exponent that is all ones
  for (std::size_t i = 0; i < p; ++i) overflow |= (bits(i * p + i) & kMagnitude) + kExponentUnit;
  visit_lower(p, [&](std::size_t i, std::size_t j) {
    const std::uint64_t a = bits(i * p + j);
    different |= a ^ bits(j * p + i);
    overflow |= (a & kMagnitude) + kExponentUnit;
  });
  return different == 0 && overflow <= kMagnitude;
}

/// Writes the lower triangle of A (p x p) above the diagonal, too.
inline void mirror_lower(double* A, std::size_t p) {
  visit_lower(p, [&](std::size_t i, std::size_t j) { A[j * p + i] = A[i * p + j]; });
}

}  // namespace spodnet
