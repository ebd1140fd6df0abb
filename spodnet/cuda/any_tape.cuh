#pragma once
// What the size-free rules keep of a column.
#include "spodnet/cuda/entry_network.cuh"

namespace spodnet::cuda {

constexpr int kColumnFeatures = 9, kSummaryNumbers = 7;
constexpr double kLargestLog = 12;

/// Where a column's numbers lie on its tape; its features come first.
struct AnyTape {
  int sums, log_gamma, gamma_h, gamma_d_h, gamma_d, g_in, g_h, g_d_h, g_d, lambda, psi, size;

  __host__ __device__ explicit AnyTape(const RuleAt& at) {
    sums = at.features, log_gamma = sums + 4;
    gamma_h = log_gamma + 1, gamma_d_h = gamma_h + at.gamma.hidden;
    gamma_d = gamma_d_h + at.gamma.hidden;
    g_in = gamma_d + 1, g_h = g_in + 2, g_d_h = g_h + at.margin.hidden;
    g_d = g_d_h + at.margin.hidden;
    lambda = g_d + 1, psi = lambda + EntryNetworkTape(at.lambda, 0).size;
    size = psi + EntryNetworkTape(at.psi, 0).size;
  }
};

__device__ __forceinline__ double bounded_log(double x) {
  return fmin(fmax(log(x), -kLargestLog), kLargestLog);
}
__device__ __forceinline__ double bounded_log_slope(double x) {
  return fabs(log(x)) < kLargestLog ? 1 / x : 0.0;
}

}  // namespace spodnet::cuda
