// The monitor of the walks' drift, by itself.
#include <gtest/gtest.h>

#include "spodnet/cuda/check.cuh"
#include "spodnet/cuda/forward.cuh"

namespace spodnet::cuda {
namespace {

/// One warp's largest drift of a tape whose column i has w_22 theta_22 - 1 = drifts[i].
__global__ void drift_of(const double* drifts, int p, double* memory, double* out) {
  Block<1> b(WalkShape{}, p, {}, nullptr);
  const Tape tape{memory, p, Block<1>::kLength, 0};
  if (b.lane == 0)
    for (int i = 0; i < p; ++i) {
      for (int k = 0; k < p; ++k) tape.row(kW, i)[k] = tape.row(kTheta, i)[k] = 0;
      tape.numbers(i)[kW22] = 1, tape.numbers(i)[kTheta22] = 1 + drifts[i];
    }
  __syncwarp();
  const double worst = largest_drift(b, tape);
  if (b.tid == 0) *out = worst;
}

double drift_of(const std::vector<double>& drifts) {
  const int p = int(drifts.size());
  std::vector<double> memory(std::size_t(Tape::size(p, Block<1>::kLength, 0)));
  double out = 0;
  launch_kernel(static_cast<void (*)(const double*, int, double*, double*)>(drift_of),
                {.blocks = 1, .threads = 32, .shared_bytes = 8}, drifts.data(), p, memory.data(),
                &out);
  return out;
}

TEST(Drift, TheLargestOfAllColumns) { EXPECT_NEAR(drift_of({1e-3, -4e-3, 2e-3}), 4e-3, 1e-15); }

/// Columns after it do not make it good.
TEST(Drift, NoNumberIsTheLargest) {
  EXPECT_TRUE(std::isnan(drift_of({1e-3, NAN, 2e-3, 0})));
  EXPECT_TRUE(std::isnan(drift_of({NAN, 1e-3})));
  EXPECT_TRUE(std::isnan(drift_of({1e-3, NAN})));
}

}  // namespace
}  // namespace spodnet::cuda
