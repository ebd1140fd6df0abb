#pragma once

#include <cstddef>
#include <string_view>

namespace spodnet {

// What the choice of a device goes by: times of one training step (forward, loss, backward),
// float64. All constants that were measured are here; `device_costs_bench` measures them anew.
// Here: one H200 and one core of its host (Xeon Platinum 8480, AVX-512).

/// Of one layer of one matrix.
struct ModelCosts {
  std::string_view model;
  double cpu_square;  ///< seconds on one core: cpu_square p^2 + cpu_cube p^3
  double cpu_cube;
  double gpu_column;  ///< seconds of one column on the GPU
};

inline constexpr ModelCosts kModelCosts[] = {
    {"ubg", 6e-9, 4.0e-10, 10e-6},       {"pnp", 4.5e-8, 4.0e-10, 44e-6},
    {"e2e", 1.2e-7, 1.0e-9, 115e-6},     {"ubg-any", 4.5e-8, 4.0e-10, 45e-6},
    {"pnp-any", 1.2e-7, 4.0e-10, 62e-6},
};

inline constexpr double kForwardShare = 0.45;  ///< of a step: an estimate
inline constexpr double kGpuCall = 60e-6;      ///< seconds to begin and end work on a GPU
inline constexpr double kGpuMatrixEntry =
    4e-9;  ///< seconds an entry of an estimate: S up, Theta and W down
inline constexpr std::size_t kMultiprocessors = 132;

/// Matrices that walk at a time in one multiprocessor.
constexpr std::size_t matrices_inside(std::size_t p) { return p <= 32 ? 6 : p <= 64 ? 2 : 1; }

}  // namespace spodnet
