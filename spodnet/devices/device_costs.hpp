#pragma once

#include <algorithm>
#include <cstddef>
#include <string_view>

namespace spodnet {

// What the choice of a device goes by: times of one training step (forward, loss, backward),
// float64. All constants are here; `device_costs_bench` measures those of small matrices again.
// Measured on one core with AVX-512 and on the H200 beside it; those of consistent-any on another
// core, where pnp-any takes as long, and its gpu_column is an estimate: pnp-any's, which has the
// same networks.

/// Of one layer of one matrix.
struct ModelCosts {
  std::string_view model;
  double cpu_square;  ///< seconds on one core: cpu_square p^2 + cpu_cube p^3
  double cpu_cube;
  double gpu_column;        ///< seconds of one column on the GPU
  double start_square = 0;  ///< seconds / p^2 of a learned start, once a matrix; always on one core
};

inline constexpr ModelCosts kModelCosts[] = {
    {"ubg", 4.8e-9, 2.9e-10, 9.4e-6}, {"pnp", 4.5e-8, 4.2e-10, 39e-6},
    {"e2e", 2.9e-8, 2.6e-9, 101e-6},  {"ubg-any", 7.3e-8, 0, 30e-6},
    {"pnp-any", 9.9e-8, 0, 43e-6},    {"consistent-any", 1.2e-7, 0, 45e-6, 6e-8},
};

inline constexpr double kForwardShare = 0.6;  ///< of a step
inline constexpr double kGpuCall = 30e-6;     ///< seconds to begin and end work on a GPU
/// Seconds for each entry of a matrix that is estimated: S up, Theta and W down.
inline constexpr double kGpuMatrixEntry = 1.7e-8;
inline constexpr std::size_t kMultiprocessors = 132;

/// A larger matrix is shared out over several multiprocessors; then a column takes this much more:
/// barriers, and passes over W where it no longer fits them.
inline constexpr std::size_t kInside = 104;
inline constexpr double kGroupColumn = 40e-6, kGroupEntry = 1.2e-11;

/// Matrices that walk at a time on the whole GPU; the larger ones as cuda/launch.cuh has it.
constexpr std::size_t matrices_at_once(std::size_t p, bool training) {
  if (p <= 32) return 6 * kMultiprocessors;
  if (p <= 64) return 2 * kMultiprocessors;
  if (p <= kInside) return kMultiprocessors;
  const std::size_t most = p > 1024 || (p > 800 && !training) ? 128 : 32;
  const std::size_t wanted = p > 800 && !training ? most : (8 * p * p + 244999) / 245000;
  const std::size_t least = (p + 127) / 128;
  return kMultiprocessors / std::max(least, std::min(wanted, most));
}

}  // namespace spodnet
