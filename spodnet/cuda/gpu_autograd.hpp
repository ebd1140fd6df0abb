#pragma once

#include <span>
#include <vector>

#include "spodnet/cuda/gpu_batch.hpp"
#include "spodnet/models/engine.hpp"

namespace spodnet::cuda {

/// Whether the device's walk may stand: one whose W drifts further than the CPU engine allows is
/// done again by that engine, which then refreshes W.
bool trusted(const Outcome& outcome);

/// Forward of a batch on the device, then backward from a gradient d_Theta that the caller gives
/// (Engine::forward and backward). S, Theta, W and d_Theta may all lie in the device's memory: the
/// paper's models then need no copy of them, those for any size go through the host, which sorts
/// the variables. Matrices that the device cannot do, and the gradient of S, are the CPU engine's.
class GpuAutograd {
 public:
  GpuAutograd(const Model& model, const WalkShape& shape, const Entrance& entrance, Engine& cpu,
              ThreadPool& team)
      : entrance_(entrance), cpu_(cpu), team_(team), walk_(model, shape) {}

  /// S, and W where it lies on the device, must stay until the backward.
  void forward(std::span<const Sample> samples, double* Theta, double* W, std::span<Status> status);
  void backward(const double* d_Theta, std::span<double> gradient, double* d_S);

 private:
  void begin(std::span<const Sample> samples);
  void walk_copies(double* Theta, double* W, std::span<Status> status);
  void walk_in_place(double* Theta, double* W);
  void walk_rest(double* Theta, double* W, std::span<Status> status);
  void backward_by_cpu(const double* d_Theta, std::span<double> gradient, double* d_S);
  const double* upload_adjoints(const double* d_Theta);
  void add_rest(const double* d_Theta, std::span<double> gradient);
  void add_tails(std::span<double> gradient);
  bool leave(const Sample& sample, const double* from, double* Theta, double* W) const;
  std::size_t count() const { return samples_.size(); }
  std::size_t entries() const { return samples_.empty() ? 0 : samples_[0].p * samples_[0].p; }

  const Entrance entrance_;
  Engine& cpu_;
  ThreadPool& team_;
  GpuBatch walk_;
  KeptSamples kept_;
  std::vector<Sample> samples_;    ///< of the last forward
  bool in_place_ = false;          ///< the device reads S and writes Theta and W itself
  bool by_cpu_ = false;            ///< all of them
  bool done_ = true;               ///< with the backward, too
  std::vector<std::size_t> rest_;  ///< rows that the CPU engine did
  std::vector<double> S_;          ///< copies of S from the device, where the host needs it
  DeviceMemory matrices_;          ///< Theta, then state; in the backward G for Theta
  HostMemory staged_;
};

}  // namespace spodnet::cuda
