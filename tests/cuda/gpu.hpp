#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "spodnet/devices/devices.hpp"
#ifdef SPODNET_EMULATED_GPU
#include "cuda/emulation/grid.hpp"
#endif

namespace spodnet::test {

/// Whether the GPU is the emulated one (emulation/README.md): some 1000 times slower, so that tests
/// take fewer and smaller matrices.
#ifdef SPODNET_EMULATED_GPU
constexpr bool kEmulated = true;
#else
constexpr bool kEmulated = false;
#endif

/// Another order of warps where the GPU is emulated; on a real one every run has its own.
inline void shuffle_warps([[maybe_unused]] std::uint64_t seed) {
#ifdef SPODNET_EMULATED_GPU
  emulation::set_seed(seed);
#endif
}

/// Whether this machine has a GPU and this program uses it.
inline bool has_gpu() { return list_devices().size() > 1; }

/// Skips a test, and says so, where there is no GPU.
#define SPODNET_NEEDS_GPU() \
  if (!has_gpu()) GTEST_SKIP() << "no NVIDIA GPU here, or built without SPODNET_CUDA"

/// The largest relative difference of a parameter tensor, in the Frobenius norm; tensors whose
/// expected gradient is noise beside the whole gradient do not count.
inline double worst_tensor(const Model& model, const std::vector<double>& got,
                           const std::vector<double>& expected) {
  const auto norm = [](const std::vector<double>& x, std::size_t first, std::size_t count) {
    double s = 0;
    for (std::size_t k = first; k < first + count; ++k) s = std::hypot(s, x[k]);
    return s;
  };
  const double whole = norm(expected, 0, expected.size());
  std::vector<double> difference(got.size());
  for (std::size_t k = 0; k < got.size(); ++k) difference[k] = got[k] - expected[k];
  double worst = 0;
  for (const ParameterView& view : model.parameters().layout.views()) {
    const double size = norm(expected, view.offset, view.size);
    const double error = norm(difference, view.offset, view.size);
    if (!std::isfinite(error)) return error;
    worst = std::max(worst, error / std::max(size, 1e-6 * whole));
  }
  return worst;
}

}  // namespace spodnet::test
