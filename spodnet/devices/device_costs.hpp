#pragma once

#include <cstddef>
#include <string_view>

namespace spodnet {

// What the choice of a device goes by: times of one training step (forward, loss, backward),
// float64. All constants are here; `device_costs_bench` measures them anew. CPU: one core with
// AVX-512. GPU: columns of ubg, pnp, e2e and pnp-any from the steps of an H200 in bench/RESULTS.md;
// the other numbers of the GPU are estimates, not measured.

/// Of one layer of one matrix.
struct ModelCosts {
  std::string_view model;
  double cpu_square;  ///< seconds on one core: cpu_square p^2 + cpu_cube p^3
  double cpu_cube;
  double gpu_column;  ///< seconds of one column on the GPU
};

inline constexpr ModelCosts kModelCosts[] = {
    {"ubg", 5.8e-9, 3.4e-10, 10e-6}, {"pnp", 5.2e-8, 8.2e-10, 44e-6},
    {"e2e", 5.5e-8, 3.1e-9, 115e-6}, {"ubg-any", 6.8e-8, 0, 45e-6},
    {"pnp-any", 9.6e-8, 0, 62e-6},
};

inline constexpr double kForwardShare = 0.45;  ///< of a step: an estimate
inline constexpr double kGpuCall = 60e-6;      ///< seconds to begin and end work on a GPU
/// Seconds for each entry of a matrix that is estimated: S up, Theta and W down.
inline constexpr double kGpuMatrixEntry = 4e-9;
inline constexpr std::size_t kMultiprocessors = 132;

/// Matrices that walk at a time in one multiprocessor.
constexpr std::size_t matrices_inside(std::size_t p) { return p <= 32 ? 6 : p <= 64 ? 2 : 1; }

}  // namespace spodnet
