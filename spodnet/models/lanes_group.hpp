#pragma once

#include <span>
#include <vector>

#include "spodnet/core/aligned.hpp"
#include "spodnet/models/chunk.hpp"
#include "spodnet/models/ubg_lanes.hpp"

namespace spodnet {

/// Largest p for which a lane per matrix beats one matrix at a time (measured, bench/RESULTS.md).
constexpr std::size_t kLanesMaxP = 64;
/// Lanes of the widest group of any instruction set.
constexpr std::size_t kMostLanes = 16;

/// Reads the offsets of a UBG layer's weights from its layout.
UbgShape ubg_shape(const ParameterLayout& layer, std::size_t p);

/// What the groups of a batch have in common.
struct LanesBatch {
  const UbgShape& shape;
  const ModelConfig& config;
  const LayerOptions& options;
  double offset = 1;  ///< of the input
  const std::vector<double>& weights;
};

/// The loss of a batch: a squared error in some unit.
struct LanesLoss {
  const Loss& loss;
  double divisor = 1;
};

/// Runs consecutive matrices of a batch through the lanes engine, in one thread.
class LanesGroup {
 public:
  /// There and back. Fills losses; adds the gradients. Matrices that need the other engine keep the
  /// status not_converged and have added nothing.
  void run(const LanesBatch& batch, const LanesLoss& loss, std::span<const Sample> samples,
           std::span<double> gradient, std::span<MatrixLoss> losses);

  /// Theta and W (p x p each, one after the other) and whether each matrix is `good`: one that is
  /// not needs the other engine. Keeps what `backward` needs.
  void forward(const LanesBatch& batch, std::span<const Sample> samples, double* Theta, double* W,
               std::span<bool> good);
  /// Adds the gradients of the good ones among the last `forward`'s, once.
  void backward(const LanesBatch& batch, const double* d_Theta, std::span<double> gradient);

 private:
  LanesJob job(const LanesBatch& batch, std::size_t count);
  void set_weights(const LanesBatch& batch, double* gradient);
  void set_losses(const LanesLoss& loss, std::span<const Sample> samples);
  void go(const LanesBatch& batch, LanesJob& job, std::span<double> gradient);

  AlignedVector scratch_;
  std::vector<const double*> weights_, S_, in_;  ///< in_: Theta_true or d_Theta
  std::vector<double*> d_weights_, Theta_, W_;
  std::vector<double> unit_, factor_, error_, truth_;
  std::size_t count_ = 0;
  bool good_[kMostLanes] = {};
};

/// How a batch is cut for the lanes engine: full groups, then a small or a full one.
std::vector<Part> lanes_groups(std::size_t count);

}  // namespace spodnet
