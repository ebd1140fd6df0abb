#pragma once

#include <span>
#include <vector>

#include "spodnet/core/aligned.hpp"
#include "spodnet/lanes/ubg_lanes.hpp"
#include "spodnet/models/chunk.hpp"

namespace spodnet {

/// Largest p for which a lane per matrix beats one matrix at a time (measured, bench/RESULTS.md).
constexpr std::size_t kLanesMaxP = 64;

/// Reads the offsets of a UBG layer's weights from its layout.
UbgShape ubg_shape(const ParameterLayout& layer, std::size_t p);

/// What the groups of a batch have in common.
struct LanesBatch {
  const UbgShape& shape;
  const ModelConfig& config;
  const LayerOptions& options;
  Loss loss = Loss::squared;
  double offset = 1;  ///< of the input
  const std::vector<double>& weights;
  std::size_t size = 0;  ///< matrices in all
};

/// Runs consecutive matrices of a batch through the lanes engine, in one thread.
class LanesGroup {
 public:
  /// Fills losses; adds the gradients. Matrices that need the other engine keep the status
  /// not_converged and have added nothing.
  void run(const LanesBatch& batch, std::span<const Sample> samples, std::vector<double>& gradient,
           std::span<MatrixLoss> losses);

 private:
  void set_weights(const LanesBatch& batch, std::vector<double>& gradient);
  void set_samples(const LanesBatch& batch, std::span<const Sample> samples);

  AlignedVector scratch_;
  std::vector<const double*> weights_, S_, Theta_true_;
  std::vector<double*> d_weights_;
  std::vector<double> unit_, factor_, error_, truth_;
};

/// How a batch is cut for the lanes engine: full groups, then a small or a full one.
std::vector<std::span<const Sample>> lanes_groups(std::span<const Sample> batch);

}  // namespace spodnet
