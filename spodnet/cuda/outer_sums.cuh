#pragma once
// Products of two sets of vectors, over the columns: gradients of weights.
#include "spodnet/cuda/device.cuh"

namespace spodnet::cuda {

/// sum over rows i of left(i, a) right(i, b) for a < na, b < nb, given to put(a, b, sum). Each warp
/// takes 8 a's and 32 b's at a time. All threads call it.
template <class B, class Left, class Right, class Put>
__device__ void outer_sums(const B& block, int rows, int na, int nb, Left left, Right right,
                           Put put) {
  constexpr int kA = 8;
  const int columns = (nb + 31) / 32, units = (na + kA - 1) / kA * columns;
  for (int unit = block.all_warp(); unit < units; unit += block.all_warps()) {
    const int a = unit / columns * kA, b = unit % columns * 32 + block.lane;
    double sum[kA] = {};
    constexpr int kRowsAtOnce = 4;
    int i = 0;
    for (; i + kRowsAtOnce <= rows; i += kRowsAtOnce) {
      double r[kRowsAtOnce];
#pragma unroll
      for (int n = 0; n < kRowsAtOnce; ++n) r[n] = b < nb ? right(i + n, b) : 0.0;
#pragma unroll
      for (int n = 0; n < kRowsAtOnce; ++n)
#pragma unroll
        for (int k = 0; k < kA; ++k) sum[k] = fma(left(i + n, min(a + k, na - 1)), r[n], sum[k]);
    }
    for (; i < rows; ++i) {
      const double r = b < nb ? right(i, b) : 0.0;
#pragma unroll
      for (int k = 0; k < kA; ++k) sum[k] = fma(left(i, min(a + k, na - 1)), r, sum[k]);
    }
#pragma unroll
    for (int k = 0; k < kA; ++k)
      if (a + k < na && b < nb) put(a + k, b, sum[k]);
  }
}

}  // namespace spodnet::cuda
