#pragma once

#include <span>
#include <vector>

#include "spodnet/core/parallel.hpp"
#include "spodnet/cuda/device.hpp"
#include "spodnet/models/framed_sample.hpp"
#include "spodnet/problem/covariance_summary.hpp"
#include "spodnet/problem/sample.hpp"

namespace spodnet::cuda {

/// How samples enter: size-free networks frame them, and may read a summary of S; where their start
/// is learned, the host keeps S.
struct Entrance {
  bool framed = false, standardized = false, summary = false, started = false;
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
    const double* host_S = nullptr;  ///< where the start is learned
  };

  void keep(std::span<const Sample> samples, const Entrance& entrance, ThreadPool& team);

  std::size_t size() const { return all_.size(); }
  const One& operator[](std::size_t k) const { return all_[k]; }
  const double* S(std::size_t k) const { return matrices_.numbers() + all_[k].S; }
  const double* truth(std::size_t k) const { return matrices_.numbers() + all_[k].truth; }
  /// (S + a I)^{-1} on the device, where it is kept.
  const double* input(std::size_t k) const { return inputs_.empty() ? nullptr : inputs_[k]; }
  /// Counts rows that are walked; true once, when samples come for the second time.
  bool count_walked(std::size_t rows);
  /// Room for the inverses of all samples, one after the other.
  double* room_for_inputs();
  void set_inputs(std::vector<const double*> inputs) { inputs_ = std::move(inputs), ++version_; }
  /// Another number whenever samples or inverses lie elsewhere.
  std::size_t version() const { return version_; }

  const double* summary(std::size_t k) const { return summaries_.numbers() + k * kSummaryNumbers; }

 private:
  std::vector<One> all_;
  std::vector<std::vector<double>> framed_truths_;  ///< of framed samples, for losses of the host
  std::vector<std::vector<double>> host_S_;         ///< for learned starts
  DeviceMemory matrices_, summaries_, input_matrices_;
  std::vector<const double*> inputs_;
  std::size_t walked_ = 0, version_ = 0;
};

}  // namespace spodnet::cuda
