#pragma once

#include <span>
#include <vector>

#include "spodnet/core/parallel.hpp"
#include "spodnet/cuda/device.hpp"
#include "spodnet/data/covariance_summary.hpp"
#include "spodnet/data/sample.hpp"
#include "spodnet/models/framed_sample.hpp"

namespace spodnet::cuda {

/// How samples enter: size-free networks frame them, and may read a summary of S.
struct Entrance {
  bool framed = false, standardized = false, summary = false;
};

/// Samples as the network sees them, on the device: S and, where it is known, the true Theta.
class KeptSamples {
 public:
  /// What the host keeps of each.
  struct One {
    std::size_t p = 0;
    double n = 0;
    double squared_truth = 0;     ///< ||Theta_true||_F^2, inside
    CovarianceSummary summary{};  ///< where it is read
    bool constrained = false;
    std::size_t S = 0, truth = 0;  ///< where they start on the device
    const double* host_truth = nullptr;
  };

  void keep(std::span<const Sample> samples, const Entrance& entrance, ThreadPool& team);

  std::size_t size() const { return all_.size(); }
  const One& operator[](std::size_t k) const { return all_[k]; }
  const double* S(std::size_t k) const { return matrices_.numbers() + all_[k].S; }
  const double* truth(std::size_t k) const { return matrices_.numbers() + all_[k].truth; }
  const double* summary(std::size_t k) const { return summaries_.numbers() + k * kSummaryNumbers; }

 private:
  std::vector<One> all_;
  std::vector<std::vector<double>> framed_truths_;  ///< of framed samples, for losses of the host
  DeviceMemory matrices_, summaries_;
};

}  // namespace spodnet::cuda
