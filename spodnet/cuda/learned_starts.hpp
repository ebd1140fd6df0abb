#pragma once

#include <span>
#include <vector>

#include "spodnet/cuda/kept_samples.hpp"
#include "spodnet/models/model.hpp"
#include "spodnet/models/spectral_start.hpp"

namespace spodnet::cuda {

/// W_in of the models that begin with a learned matrix (models/spectral_start.hpp). Eigenvalues and
/// their adjoint are the host's; the device gets W_in and gives back the adjoint of Theta_in.
class LearnedStarts {
 public:
  /// `terms`: of the model's parameters, the last ones; 0: it has no such start.
  LearnedStarts(const Model& model, int terms) : model_(model), terms_(std::size_t(terms)) {}

  bool any() const { return terms_ > 0; }

  /// Makes W_in of sample which[k] and gives it to problem k. `back`: `gradients` will be asked
  /// for.
  void begin(const KeptSamples& samples, std::span<const std::uint32_t> which,
             std::span<WalkProblem> problems, bool back, ThreadPool& team);
  /// After the walk back of these problems: the gradient of the start's weights, rows x terms. Rows
  /// that did not walk have zeros; what one says that was `bad` does not count.
  std::vector<double> gradients(std::size_t rows, std::span<const Outcome> outcomes,
                                ThreadPool& team);

 private:
  struct One {
    Sample sample;
    std::size_t row = 0, at = 0;  ///< at: in matrices_
    SpectralStart::Tape tape;
  };
  void make(const KeptSamples::One& kept, One& one, bool back, ThreadPool* pool);

  const Model& model_;
  const std::size_t terms_;
  const SpectralStart start_;
  std::vector<One> all_;
  std::size_t numbers_ = 0;
  DeviceMemory matrices_;
  HostMemory staged_;
};

}  // namespace spodnet::cuda
