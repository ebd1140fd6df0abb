#pragma once
// Sums over the blocks of a group, in an order that depends on p alone.
#include <type_traits>

#include "spodnet/cuda/group_layout.cuh"

namespace spodnet::cuda {

/// Of each of N numbers over `warps` warps of all blocks, in every thread of them, who all call it;
/// `wait` is their barrier within a block.
template <class B, int N, class Op, class Wait>
__device__ __forceinline__ void reduce(const B& b, double (&value)[N], int warps, Op op,
                                       Wait wait) {
  static_assert(N <= GroupLayout::kMostSums);
  GroupShared& s = b.shared();
  const int ld = even(b.blocks), lane = b.lane;
  double* slots = b.memory + b.on.slots + (s.phase & 1) * GroupLayout::kMostSums * ld;
  warp_sum(value, op);
  if (lane == 0)
#pragma unroll
    for (int k = 0; k < N; ++k) s.sums[k][b.warp] = value[k];
  wait();
  if (b.warp == 0) {
    if (lane < N) {
      double t = s.sums[lane][0];
      for (int m = 1; m < warps; ++m) t = op(t, s.sums[lane][m]);
      slots[lane * ld + b.block] = t;
    }
    __syncwarp();
    if (lane == 0) b.meet();
  }
  wait();
  for (int k = b.warp; k < N; k += warps) {
    double t[1] = {lane < b.blocks ? slots[k * ld + lane] : slots[k * ld]};
    if (lane >= b.blocks && !std::is_same_v<Op, Largest>) t[0] = 0;
    for (int l = lane + 32; l < b.blocks; l += 32) t[0] = op(t[0], slots[k * ld + l]);
    warp_sum(t, op);
    if (lane == 0) s.result[k] = t[0];
  }
  wait();
#pragma unroll
  for (int k = 0; k < N; ++k) value[k] = s.result[k];
}

/// Of an array in shared memory, each number over the blocks; called by the first `threads` threads
/// of each.
template <class B, class Wait>
__device__ __forceinline__ void sum_array_by(const B& b, double* x, int n, int threads, Wait wait) {
  constexpr int kMost = GroupLayout::kMostArray;
  for (int from = 0; from < n; from += kMost) {
    const int end = min(n, from + kMost);
    wait();
    double* arrays = b.memory + b.on.arrays + (b.shared().phase & 1) * long(b.blocks) * kMost;
    for (int k = from + b.tid; k < end; k += threads)
      arrays[long(b.block) * kMost + k - from] = x[k];
    wait();
    if (b.tid == 0) b.meet();
    wait();
    for (int k = from + b.tid; k < end; k += threads) {
      double s = 0;
#pragma unroll 4
      for (int l = 0; l < b.blocks; ++l) s += arrays[long(l) * kMost + k - from];
      x[k] = s;
    }
  }
  wait();
}

}  // namespace spodnet::cuda
