#pragma once
// gamma of UBG and PNP (step_mlp.cuh) for a group of blocks.
#include "spodnet/cuda/group_block.cuh"
#include "spodnet/cuda/step_mlp.cuh"

namespace spodnet::cuda {

/// Each block has some hidden units; sigma is summed over the blocks with the second product of a
/// column (GroupBlock::collect).
template <>
struct StepMlp<GroupBlock> {
  MlpAt at;
  const double *weights, *transposed;  ///< global
  int first, count;                    ///< hidden units of this block
  int at_parts;                        ///< in shared memory: their inputs

  __host__ __device__ static int shared_numbers(const MlpAt& at, int blocks, bool) {
    return even((at.hidden + blocks - 1) / blocks);
  }
  __device__ void place(const MlpAt& at_, GroupBlock& b, bool) {
    at = at_;
    const int each = (at.hidden + b.blocks - 1) / b.blocks;
    first = min(at.hidden, b.block * each), count = min(each, at.hidden - first);
    at_parts = b.at_rule;
    b.at_rule += even(each);
  }
  __device__ void begin(GroupBlock&, const double* weights_, const double* transposed_) {
    weights = weights_, transposed = transposed_;
  }
  __device__ __forceinline__ double sigma(const GroupBlock& b, int) const {
    return b.part_sum() + weights[at.b2];
  }
  __device__ void begin_forward(GroupBlock& b, double* hidden) const {
    b.all_barrier();
    if (!b.vector) ahead(b, 0, -1);
    block_barrier();
    if (b.vector) {
      if (b.warp == 0) finish(b, 0, -1, 0.0, hidden);
      double s[1] = {b.part};
      b.sum(s);
      b.part = 0;
      if (b.tid == 0) b.shared().collected[5] = s[0];
    }
    block_barrier();
  }

  /// What all entries of theta_12 of column i but `left_out` add to the hidden units; by the warps
  /// without entries, each a unit.
  __device__ __forceinline__ void ahead(const GroupBlock& b, int i, int left_out) const {
    constexpr int kUnits = 4;
    const double* theta = b.T(i);
    for (int k = kUnits * b.helper(); k < count; k += kUnits * b.helpers()) {
      const double* a = weights + at.A1 + long(first + k) * at.in;
      const int last = count - 1 - k;
      double s[kUnits] = {};
#pragma unroll 4
      for (int c = b.lane; c < at.in; c += 32) {
        const int entry = c + (c >= i);
        const double t = entry == left_out ? 0.0 : theta[entry];
#pragma unroll
        for (int u = 0; u < kUnits; ++u) s[u] = fma(a[long(min(u, last)) * at.in + c], t, s[u]);
      }
      warp_sum(s);
#pragma unroll
      for (int u = 0; u < kUnits; ++u)
        if (b.lane == 0 && u <= last) shared_memory[at_parts + k + u] = s[u];
    }
  }
  /// This block's part of sigma of column i, whose entry `left_out` is u; by one warp.
  __device__ __forceinline__ void finish(GroupBlock& b, int i, int left_out, double u,
                                         double* hidden) const {
    double s = 0;
    for (int k = b.lane; k < count; k += 32) {
      const int h = first + k;
      double t = weights[at.b1 + h] + shared_memory[at_parts + k];
      if (left_out >= 0)
        t = fma(weights[at.A1 + long(h) * at.in + left_out - (left_out > i)], u, t);
      hidden[h] = t = relu(t);
      s = fma(weights[at.A2 + h], t, s);
    }
    b.part = s;
  }
  /// d sigma / d theta_12 of every column, in its row of the tape.
  __device__ void slopes(const GroupBlock& b, const Tape& tape, bool) const {
    const auto on = [&](int h, int i) { return tape.of_rule(i)[h] > 0 ? weights[at.A2 + h] : 0.0; };
    const auto A1 = [&](int h, int c) { return weights[at.A1 + long(h) * at.in + c]; };
    outer_sums(b, at.hidden, b.p, at.in, on, A1,
               [&](int i, int c, double s) { tape.row(kStepSlope, i)[c + (c >= i)] = s; });
    for (int i = b.thread(); i < b.p; i += b.all_threads()) tape.row(kStepSlope, i)[i] = 0;
  }

  template <class Put>
  __device__ void gradients(const GroupBlock& b, const Tape& tape, Put put) const {
    const int p = b.p;
    const auto d_sigma = [&](int i) { return b.numbers(i)[kDSigma]; };
    const auto delta = [&](int i, int h) {
      return tape.of_rule(i)[h] > 0 ? d_sigma(i) * weights[at.A2 + h] : 0.0;
    };
    outer_sums(
        b, p, at.hidden, at.in, delta,
        [&](int i, int c) { return tape.row(kTheta, i)[c + (c >= i)]; },
        [&](int h, int c, double g) { put(at.A1 + h * at.in + c, g); });
    for (int h = b.thread(); h <= at.hidden; h += b.all_threads()) {
      double d_b1 = 0, d_A2 = 0;
#pragma unroll 4
      for (int i = 0; i < p; ++i) {
        d_b1 += h < at.hidden ? delta(i, h) : d_sigma(i);
        if (h < at.hidden) d_A2 = fma(d_sigma(i), tape.of_rule(i)[h], d_A2);
      }
      put(h < at.hidden ? at.b1 + h : at.b2, d_b1);
      if (h < at.hidden) put(at.A2 + h, d_A2);
    }
  }
};

}  // namespace spodnet::cuda
