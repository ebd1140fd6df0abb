// The emulation itself: what it must find, it finds.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "spodnet/cuda/ptx.cuh"

namespace spodnet::cuda {
namespace {

using emulation::set_seed;
using testing::HasSubstr;

constexpr int kThreads = 128;

/// What a launch of one or more blocks says; empty: nothing is wrong.
template <class... Parameters>
std::string launched(bool together, unsigned blocks, void (*kernel)(Parameters...),
                     std::type_identity_t<Parameters>... arguments) {
  void* list[] = {&arguments..., nullptr};
  const auto status = together ? cudaLaunchCooperativeKernel(kernel, blocks, kThreads, list,
                                                             kThreads * sizeof(double), nullptr)
                               : cudaLaunchKernel(kernel, blocks, kThreads, list,
                                                  kThreads * sizeof(double), nullptr);
  return status == cudaSuccess ? "" : cudaGetErrorString(status);
}

/// Numbers of the device.
struct DeviceNumbers {
  double* at = nullptr;
  std::size_t bytes;
  explicit DeviceNumbers(std::size_t count) : bytes(count * sizeof(double)) {
    void* data = nullptr;
    (void)cudaMalloc(&data, bytes);
    at = static_cast<double*>(data);
  }
  ~DeviceNumbers() { cudaFree(at); }
  std::vector<double> values() const {
    std::vector<double> out(bytes / sizeof(double));
    EXPECT_EQ(cudaMemcpy(out.data(), at, bytes, cudaMemcpyDeviceToHost), cudaSuccess);
    return out;
  }
};

/// Every thread takes its neighbour's number, of its own warp or of another; one of three barriers
/// may be missing.
__global__ void neighbours(double* out, int step, int missing) {
  const int t = int(threadIdx.x), other = (t + step) % kThreads;
  shared_memory[t] = t;
  if (missing != 0) block_barrier();
  const double first = shared_memory[other];
  if (missing != 1) block_barrier();
  shared_memory[t] = 2 * first;
  if (missing != 2) block_barrier();
  out[t] = shared_memory[other];
}

TEST(Emulation, AMissingBarrierChangesTheResultWithTheSeed) {
  for (const int step : {1, 32})
    for (int missing = 0; missing <= 3; ++missing) {
      std::set<std::vector<double>> results;
      for (std::uint64_t seed = 0; seed < 12; ++seed) {
        set_seed(seed);
        const DeviceNumbers out(kThreads);
        EXPECT_EQ(launched(false, 1, neighbours, out.at, step, missing), "");
        std::vector<double> got = out.values();
        for (double& x : got)
          if (x != x) x = -1;  // what was not written
        results.insert(got);
      }
      EXPECT_EQ(results.size() > 1, missing < 3) << step << " " << missing;
    }
  set_seed(0);
}

__global__ void half_a_barrier() {
  if (threadIdx.x < 32) wait_barrier(1, 64);
}
__global__ void two_counts() {
  if (threadIdx.x < 64) wait_barrier(1, threadIdx.x < 32 ? 64 : 96);
}
__global__ void comes_twice() {
  if (threadIdx.x < 32) arrive_barrier(1, 96), arrive_barrier(1, 96);
}
__global__ void half_full() {
  if (threadIdx.x < 32) arrive_barrier(1, 64);
}
__global__ void diverged() {
  if (threadIdx.x % 32 < 16)
    __syncwarp();
  else
    block_barrier();
}
__global__ void some_lanes() {
  if (threadIdx.x % 32 < 16) __syncwarp();
}
__global__ void never_counted(unsigned* counter) {
  if (threadIdx.x == 0) wait_for_others(counter, 1);
  block_barrier();
}
__global__ void never_waited() { copy_ahead(&shared_memory[threadIdx.x], &shared_memory[0]); }

TEST(Emulation, WhatCannotEndIsSaidWithItsPlace) {
  EXPECT_THAT(launched(false, 1, half_a_barrier),
              HasSubstr("deadlock: block 0 warp 0: barrier 1, 32 of 64 threads came"));
  EXPECT_THAT(launched(false, 1, two_counts), HasSubstr("with 64 and with 96 threads"));
  EXPECT_THAT(launched(false, 1, comes_twice), HasSubstr("warp 0 came twice"));
  EXPECT_THAT(launched(false, 1, half_full), HasSubstr("others were expected"));
  EXPECT_THAT(launched(false, 1, diverged), HasSubstr("diverged, lanes at __syncwarp and lane 16"));
  EXPECT_THAT(launched(false, 1, some_lanes), HasSubstr("16 have ended"));
  EXPECT_THAT(launched(false, 1, never_waited), HasSubstr("never waited for"));
  unsigned counter = 0;
  EXPECT_THAT(launched(true, 1, never_counted, &counter), HasSubstr("a counter to come from 0"));
}

/// Blocks count, wait, and each adds up what all have shown.
__global__ void meeting(unsigned* counter, double* shown, double* out, bool wait) {
  if (threadIdx.x == 0) {
    shown[blockIdx.x] = 1 + blockIdx.x;
    count_for_others(counter);
    if (wait) wait_for_others(counter, gridDim.x);
    out[blockIdx.x] = 0;
    for (unsigned k = 0; k < gridDim.x; ++k) out[blockIdx.x] += shown[k];
  }
  block_barrier();
}

TEST(Emulation, BlocksOfACooperativeLaunchWaitForEachOther) {
  for (std::uint64_t seed = 0; seed < 5; ++seed) {
    set_seed(seed);
    unsigned counter = 0;
    const DeviceNumbers shown(4), out(4);
    EXPECT_EQ(launched(true, 4, meeting, &counter, shown.at, out.at, true), "");
    EXPECT_EQ(out.values(), std::vector<double>(4, 10.0));
    EXPECT_EQ(launched(true, 4, meeting, &counter, DeviceNumbers(4).at, out.at, false), "");
    EXPECT_NE(out.values(), std::vector<double>(4, 10.0)) << "no block waited";
    EXPECT_THAT(launched(false, 4, meeting, &(counter = 0), shown.at, out.at, true),
                HasSubstr("deadlock"))
        << "one block after the other";
  }
  set_seed(0);
}

__global__ void copies(const double* from, double* before, double* after) {
  const int t = int(threadIdx.x);
  shared_memory[t] = 1;
  copy_ahead(&shared_memory[t], from + t);
  end_copy_ahead();
  before[t] = shared_memory[t];
  wait_copy_ahead();
  after[t] = shared_memory[t];
}

TEST(Emulation, WhatWasNotWrittenIsNoNumber) {
  const DeviceNumbers from(kThreads), before(kThreads), after(kThreads);
  for (const double x : from.values()) EXPECT_TRUE(std::isnan(x));
  const std::vector<double> sevens(kThreads, 7.0);
  ASSERT_EQ(cudaMemcpy(from.at, sevens.data(), from.bytes, cudaMemcpyHostToDevice), cudaSuccess);
  EXPECT_EQ(launched(false, 1, copies, from.at, before.at, after.at), "");
  for (const double x : before.values()) EXPECT_TRUE(std::isnan(x)) << "a copy has not ended";
  EXPECT_EQ(after.values(), sevens);
}

__global__ void beyond(int at) { shared_memory[at] = 1; }

TEST(EmulationDeathTest, BeyondSharedMemory) {
  EXPECT_EQ(launched(false, 1, beyond, kThreads - 1), "");
  EXPECT_DEATH((void)launched(false, 1, beyond, kThreads), "beyond its memory, in block 0");
}

/// The rough functions have 20 bits, and what a GPU makes of 0 and of what is not finite.
TEST(Emulation, RoughFunctions) {
  for (const double x : {1.0, 3.0, 0.1, 1e-200, 7e250}) {
    EXPECT_NEAR(rough_reciprocal(x) * x, 1, 4e-6);
    EXPECT_NEAR(rough_inverse_root(x) * std::sqrt(x), 1, 4e-6);
    EXPECT_NE(rough_reciprocal(3 * x), 1 / (3 * x));
  }
  EXPECT_EQ(rough_reciprocal(0), INFINITY);
  EXPECT_EQ(rough_reciprocal(1e-310), INFINITY);
  EXPECT_EQ(rough_reciprocal(INFINITY), 0);
  EXPECT_TRUE(std::isnan(rough_reciprocal(NAN)) && std::isnan(rough_inverse_root(-1)));
}

}  // namespace
}  // namespace spodnet::cuda
