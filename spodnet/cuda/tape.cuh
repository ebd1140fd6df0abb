#pragma once
// What a column step is made of, and what of it is kept for the way back.
#include "spodnet/cuda/device.cuh"

namespace spodnet::cuda {

/// Vectors of one column step that the backward needs: rows of a tape, 32 C numbers each.
enum TapeRow { kTheta, kW, kZ, kH, kU, kY, kStepSlope, kEntry, kTapeRows };
/// Numbers of one column step.
enum TapeNumber {
  kTheta22,
  kW22,
  kS22,
  kQ0,
  kScale,
  kQ,
  kV,
  kRawV,
  kSigma,
  kDV,
  kDSigma,
  kTapeNumbers = 12
};

/// What one layer's backward needs of its forward, for one matrix, in global memory.
struct Tape {
  double* base;
  int p, ld, extra;  ///< `extra` numbers a column belong to the rule

  __host__ __device__ static long size(int p, int ld, int extra) {
    return long(p) * (kTapeRows * ld + kTapeNumbers + extra);
  }
  __device__ __forceinline__ double* row(TapeRow kind, int i) const {
    return base + long(kind * p + i) * ld;
  }
  __device__ __forceinline__ double* numbers(int i) const {
    return base + long(kTapeRows) * p * ld + i * kTapeNumbers;
  }
  __device__ __forceinline__ double* of_rule(int i) const {
    return base + long(kTapeRows) * p * ld + long(p) * kTapeNumbers + long(i) * extra;
  }
};

constexpr int kTermsReady = 2;  ///< barrier: the terms of G's update can be read

__host__ __device__ constexpr int even(int n) { return (n + 1) & ~1; }

/// One entry of the vectors that G's update is made of.
struct alignas(16) GTerm {
  double y, h, m, w;
};

/// One column as its rule sees it; everything "12" is 0 at entry i (Eq. 1).
struct WalkColumn {
  int i;
  double theta_22, w_22, s_22;
};
struct Entry {
  int j;
  bool in;  ///< an entry of the column: j < p, j != i
  double theta, w, s;
};

/// Adjoint of an entry and of the column's scalars.
struct EntryAdjoint {
  double theta = 0, w = 0, diag = 0;
};
struct WalkColumnAdjoint {
  double theta_22 = 0, w_22 = 0;
};

}  // namespace spodnet::cuda
