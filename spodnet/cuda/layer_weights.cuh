#pragma once
// Weights of a layer as a kernel sees them.
#include "spodnet/cuda/walk.hpp"

namespace spodnet::cuda {

/// Numbers of a layer's transposed weights: A1' of gamma, A1' and A2' of the map.
__host__ __device__ inline int transposed_numbers(const RuleAt& at) {
  return at.kind >= RuleKind::ubg_any
             ? 0
             : at.gamma.in * at.gamma.hidden + 2 * at.map.in * at.map.hidden;
}

/// Weights of one layer on the device, and where their gradients go.
struct LayerWeights {
  const double* weights;
  const double* transposed;  ///< A1' of gamma, then A1' and A2' of the map
  double* gradient;          ///< of this matrix; null: none wanted
  bool add;                  ///< to what is there (a tied layer)
  double* scratch;           ///< p x scratch numbers, global

  __device__ __forceinline__ void put(int k, double g) const {
    gradient[k] = add ? gradient[k] + g : g;
  }
};

}  // namespace spodnet::cuda
