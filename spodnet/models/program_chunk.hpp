#pragma once

#include <map>
#include <mutex>
#include <span>
#include <tuple>
#include <vector>

#include "spodnet/models/program_layer.hpp"
#include "spodnet/models/program_model.hpp"
#include "spodnet/problem/sample.hpp"

namespace spodnet {

/// A model's programs planned for the sizes that were asked for; threads share it.
class PlannedPrograms {
 public:
  enum class Way { there, back, back_to_S };

  explicit PlannedPrograms(const ProgramModel& model) : model_(model) {}
  /// Of layer k, for B matrices of p variables.
  std::shared_ptr<const ColumnProgram> get(int k, std::size_t B, std::size_t p, Way way);
  const ProgramModel& model() const { return model_; }

 private:
  const ProgramModel& model_;
  std::mutex door_;
  std::map<std::tuple<int, std::size_t, std::size_t, Way>, std::shared_ptr<const ColumnProgram>>
      planned_;
};

/// B matrices of p variables on their way through the K layers: the memory of one thread.
class ProgramChunk {
 public:
  using Way = PlannedPrograms::Way;

  ProgramChunk(PlannedPrograms& programs, std::size_t B, std::size_t p, Way way);

  std::size_t bytes() const;

  /// Through the first `layers` layers; `samples` are B, and must stay until the backward.
  void forward(std::span<const Sample> samples, const LayerOptions& options, int layers);
  Status status(std::size_t k) const { return status_[k]; }
  /// Of a matrix that stopped: in which layer, after how many columns.
  int stopped_in(std::size_t k) const { return stopped_in_[k]; }
  std::size_t done(std::size_t k) const { return done_[k]; }
  const double* Theta(std::size_t k) const { return at(Theta_[last_], k); }
  const double* W(std::size_t k) const { return at(W_[last_], k); }

  /// From G() of all matrices: adds the gradient of the parameters and, unless d_S is empty, that
  /// of each S (p x p, symmetric, added to). A matrix that stopped has none.
  double* G(std::size_t k) { return G_.data() + k * p_ * p_; }
  void backward(std::span<double> gradient, std::span<double* const> d_S);

 private:
  const double* at(const std::vector<double>& all, std::size_t k) const {
    return all.data() + k * p_ * p_;
  }
  ProgramLayer& layer(int k) { return layers_[way_ == Way::there ? k % layers_.size() : k]; }
  const std::vector<double>& values() const { return model_.parameters().values; }
  double offset(const Sample& sample) const;
  void start(std::size_t k, const Sample& sample);
  void start_backward(std::size_t k, std::span<double> gradient, double* d_S);

  const ProgramModel& model_;
  const Way way_;
  const std::size_t B_, p_;
  std::size_t last_ = 0;  ///< where the last layer's output lies
  std::vector<ProgramLayer> layers_;
  std::vector<std::vector<double>> Theta_, W_;  ///< before the first layer, after each
  std::vector<double> G_, d_S_;
  Matrix inverse_;  ///< scratch
  std::vector<Sample> samples_;
  std::vector<const double*> S_;
  std::vector<double> n_;
  std::vector<const Constraints*> constraints_;
  std::vector<Status> status_;
  std::vector<int> stopped_in_;
  std::vector<std::size_t> done_;
  std::vector<std::vector<std::uint8_t>> usable_;  ///< at the beginning of each layer
};

}  // namespace spodnet
