// Kernels::ql_sweep, included once per instruction set (see kernel_vectors.hpp).
#pragma once

#include "spodnet/core/kernel_vectors.hpp"
#include "spodnet/core/kernels.hpp"

namespace spodnet {
namespace SPODNET_ISA {

/// State of the bulge between two rotations.
struct Chase {
  double g, s = 1, c = 1, shift = 0;
};

/// Rotation i of a QL sweep. h = 0 happens when the matrix splits here: then it is the identity.
SPODNET_INLINE void chase_one(Chase& now, double* d, double* e, std::size_t i,
                              const RotationSweep& out) {
  const double f = now.s * e[i], b = now.c * e[i];
  const double h2 = f * f + now.g * now.g, h = __builtin_sqrt(h2), inverse = 1 / h;
  const bool split = h2 < 1e-290;
  now.s = split ? 0.0 : f * inverse;
  now.c = split ? 1.0 : now.g * inverse;
  e[i + 1] = h;
  const double lifted = d[i + 1] - now.shift;
  const double r = (d[i] - lifted) * now.s + 2 * now.c * b;
  now.shift = now.s * r;
  d[i + 1] = lifted + now.shift;
  now.g = now.c * r - b;
  out.c[i] = now.c;
  out.s[i] = now.s;
}

/// Rotates row (i + 1), which is in `carry`, with row i; row i is carried on.
template <int N>
SPODNET_INLINE void rotate_one(double* row, std::size_t ld, double c, double s, Vec (&carry)[N]) {
  const Vec vc = all(c), vs = all(s);
  for (int k = 0; k < N; ++k) {
    const Vec z = load(row + k * kLanes);
    store(row + ld + k * kLanes, vs * z + vc * carry[k]);
    carry[k] = vc * z - vs * carry[k];
  }
}

/// Applies `before` to N vectors of every row and advances the chase alongside.
template <int N>
static void sweep_panel(std::size_t ld, double* V, const RotationSweep& before, double* d,
                        double* e, Chase& now, std::size_t& i, const RotationSweep& next) {
  Vec carry[N];
  for (int k = 0; k < N; ++k) carry[k] = load(V + before.last * ld + k * kLanes);
  std::size_t j = before.last;
  for (; j > before.first && i > next.first; --j) {
    --i;
    chase_one(now, d, e, i, next);
    rotate_one<N>(V + (j - 1) * ld, ld, before.c[j - 1], before.s[j - 1], carry);
  }
  for (; j > before.first; --j)
    rotate_one<N>(V + (j - 1) * ld, ld, before.c[j - 1], before.s[j - 1], carry);
  for (int k = 0; k < N; ++k) store(V + before.first * ld + k * kLanes, carry[k]);
}

/// Panels of N, N / 2, ... vectors.
template <int N>
static void sweep_panels(std::size_t n, std::size_t ld, double* V, const RotationSweep& before,
                         double* d, double* e, Chase& now, std::size_t& i,
                         const RotationSweep& next) {
  for (; n >= N * kLanes; n -= N * kLanes, V += N * kLanes)
    sweep_panel<N>(ld, V, before, d, e, now, i, next);
  if constexpr (N > 1)
    if (n > 0) sweep_panels<N / 2>(n, ld, V, before, d, e, now, i, next);
}

static void ql_sweep(std::size_t n, std::size_t ld, double* V, const RotationSweep& before,
                     double* d, double* e, double g, const RotationSweep& next) {
  Chase now{g};
  std::size_t i = next.last;
  if (before.first < before.last)
    sweep_panels<kManyRegisters ? 13 : 10>(n, ld, V, before, d, e, now, i, next);
  while (i > next.first) chase_one(now, d, e, --i, next);
  if (next.first == next.last) return;
  d[next.first] -= now.shift;
  e[next.first] = now.g;
  e[next.last] = 0;
}

}  // namespace SPODNET_ISA
}  // namespace spodnet
