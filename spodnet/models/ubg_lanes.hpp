#pragma once

#include <cstddef>

#include "spodnet/core/scaling.hpp"
#include "spodnet/core/status.hpp"

namespace spodnet {

/// Where the weights of one UBG layer lie (offsets into the layer's block) and its widths.
struct UbgShape {
  std::size_t p = 0, gamma_hidden = 0, lambda_hidden = 0, g_hidden = 0;
  std::size_t gamma_A1 = 0, gamma_b1 = 0, gamma_A2 = 0, gamma_b2 = 0;
  std::size_t lambda_B1 = 0, lambda_c1 = 0, lambda_B2 = 0, lambda_c2 = 0;
  std::size_t g_A[3] = {}, g_b[3] = {};
};

/// Which way a group goes: there and back with a squared error's gradient, or in two calls with the
/// caller's own, whose tape waits in the scratch.
enum class LanesWay { there_and_back, there, back };

/// One group of matrices, one per vector lane, through K layers and back. At small p this is
/// several times faster than one matrix at a time: scalars, perceptrons and short vectors all run
/// at full vector width. A second engine for UBG alone; the layer/ engine is its oracle.
struct LanesJob {
  LanesWay way = LanesWay::there_and_back;
  UbgShape shape;
  std::size_t layers = 1;
  Scaling scaling = Scaling::normalize;
  double zeta = 1, v_min = 0, drift_limit = 1e-9, offset = 1;
  bool learn_offset = false;
  const double* const* weights = nullptr;  ///< [layers]
  double* const* d_weights = nullptr;      ///< [layers], added to
  double* d_offset = nullptr;              ///< d loss / d offset, added to when learn_offset
  std::size_t count = 0;                   ///< matrices in this group, at most the lanes
  const double* const* S = nullptr;
  const double* const* Theta_true = nullptr;
  const double* factor = nullptr;   ///< [count]; adjoint of the output: factor (Theta - Theta_true)
  double* squared_error = nullptr;  ///< [count]
  double* squared_truth = nullptr;  ///< [count]
  double* const* Theta = nullptr;   ///< [count], written on the way there
  double* const* W = nullptr;       ///< [count], written on the way there
  const double* const* d_Theta = nullptr;  ///< [count], symmetric, read on the way back
  /// [count]; false where W drifted or a number was not usable: such a matrix adds nothing to the
  /// gradients and must go through the other engine. Read on the way back.
  bool* good = nullptr;
  double* scratch = nullptr;  ///< lanes_scratch(...) doubles, 64-byte aligned
};

/// One instruction set's group sizes and functions.
struct LanesKernels {
  std::size_t wide, narrow;  ///< lanes of a full and of a small group
  void (*run_wide)(const LanesJob& job);
  void (*run_narrow)(const LanesJob& job);
};

/// Follows kernels() (core/kernels.hpp).
const LanesKernels& lanes_kernels();

/// Doubles of scratch for groups of `lanes` matrices: about 7.5 p^2 per matrix and layer.
std::size_t lanes_scratch(const UbgShape& shape, std::size_t layers, std::size_t lanes);

}  // namespace spodnet
