#pragma once
// Cycles of coordinate descent. Part of kernels_impl.hpp: one copy per instruction set. A step
// needs one entry of the gradient, which the steps before still change: that entry is computed
// ahead, by itself, so that no step waits for the vectors of the one before.
#include "spodnet/core/kernel_vectors.hpp"
#include "spodnet/core/kernels.hpp"

namespace spodnet {
namespace SPODNET_ISA {

SPODNET_INLINE double clamped(double x, double low, double high) {
  const double above = x < low ? low : x;
  return above > high ? high : above;
}

static double lasso_pass(std::size_t k, std::size_t ld, const double* H, const double* above,
                         const double* below, const double* inverse, double* b, double* r) {
  double change = 0, ahead = r[0];
  for (std::size_t l = 0; l < k; ++l) {
    const double* h = H + l * ld;
    const double x = b[l] * h[l] + ahead;
    const double next = (x - clamped(x, -below[l], above[l])) * inverse[l], step = next - b[l];
    const std::size_t after = l + 1 < k ? l + 1 : l;
    ahead = r[after] - step * h[after];
    if (step == 0) continue;
    b[l] = next;
    change += h[l] * step * step;
    const Vec s = all(step);
    for (std::size_t j = 0; j < ld; j += kLanes) store(r + j, load(r + j) - s * load(h + j));
  }
  return change;
}

/// Entry j of the gradient M w.
SPODNET_INLINE double box_gradient(const BoxColumn& c, std::size_t j) {
  return c.g[j] + c.shift * c.theta[j];
}

/// Entry j of column i of M, M = Theta + factor theta'.
SPODNET_INLINE double box_entry(const BoxColumn& c, std::size_t i, std::size_t j) {
  return c.Theta[i * c.ld + j] + c.factor[i] * c.theta[j];
}

SPODNET_INLINE double box_move(const BoxColumn& c, std::size_t j, double gradient) {
  const double target = clamped(c.w[j] - gradient * c.scale[j], c.low[j], c.high[j]);
  const double move = target - c.w[j];
  c.w[j] = target;
  return move;
}

/// Inside its bounds an entry may move again though rounding left no move now.
SPODNET_INLINE bool box_free(const BoxColumn& c, std::size_t j, double move) {
  return (move != 0) | ((c.low[j] < c.w[j]) & (c.w[j] < c.high[j]));
}

static std::size_t box_pass(BoxColumn& c, std::size_t count, std::size_t* list) {
  if (count == 0) return 0;
  const std::size_t last = count - 1;
  std::size_t kept = 0;
  double d0 = box_gradient(c, list[0]), d1 = box_gradient(c, list[last > 0 ? 1 : 0]);
  for (std::size_t k = 0; k < count; k += 2) {  // two steps together: half the stores
    const std::size_t j0 = list[k], j1 = list[k < last ? k + 1 : k];
    const std::size_t j2 = list[k + 2 < last ? k + 2 : last],
                      j3 = list[k + 3 < last ? k + 3 : last];
    const double move0 = box_move(c, j0, d0);
    const double move1 = k < last ? box_move(c, j1, d1 + move0 * box_entry(c, j0, j1)) : 0;
    d0 = box_gradient(c, j2) + move0 * box_entry(c, j0, j2) + move1 * box_entry(c, j1, j2);
    d1 = box_gradient(c, j3) + move0 * box_entry(c, j0, j3) + move1 * box_entry(c, j1, j3);
    list[kept] = j0;
    kept += box_free(c, j0, move0);
    list[kept] = j1;
    kept += (k < last) & box_free(c, j1, move1);
    c.shift += move0 * c.factor[j0] + move1 * c.factor[j1];
    const double *row0 = c.Theta + j0 * c.ld, *row1 = c.Theta + j1 * c.ld;
    const Vec m0 = all(move0), m1 = all(move1);
    for (std::size_t j = 0; j < c.ld; j += kLanes)
      store(c.g + j, load(c.g + j) + m0 * load(row0 + j) + m1 * load(row1 + j));
  }
  return kept;
}

}  // namespace SPODNET_ISA
}  // namespace spodnet
