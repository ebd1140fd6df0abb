#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "spodnet/devices/devices.hpp"
#include "spodnet/models/model.hpp"

namespace spodnet {

/// A model with an engine for its estimates, as Python holds it.
class CoreModel {
 public:
  explicit CoreModel(std::unique_ptr<Model> model) : model_(std::move(model)) {}

  Model& model() { return *model_; }
  const Model& model() const { return *model_; }

  /// The engine of estimates, made when first asked for.
  const Engine& engine() {
    const std::lock_guard lock(door_);
    if (!engine_) engine_ = make_engine(*model_, {.threads = 1});
    return *engine_;
  }

 private:
  std::unique_ptr<Model> model_;
  std::unique_ptr<Engine> engine_;
  std::mutex door_;
};

/// A forward and its backward for a caller with a loss of its own: torch's. Keeps a model of its
/// own, whose weights each forward brings along.
class ModelWalk {
 public:
  ModelWalk(const CoreModel& like, int threads, const std::string& device);

  std::size_t size() const { return model_->parameters().values.size(); }

  bool reads_device_memory() const { return engine_->reads_device_memory(); }

  /// Theta and W (count x p x p) of S, which must stay until the backward; n has `count` numbers.
  /// S, Theta, W and d_Theta may lie on a device that the engine reads; W must then stay, too.
  /// weights: size() numbers, or null for those of the last time.
  std::vector<Status> forward(const double* weights, const double* S, const double* n,
                              std::size_t count, std::size_t p, double* Theta, double* W);
  /// From d_Theta (total; its symmetric part counts): the gradients of the weights and, unless
  /// null, of S.
  void backward(const double* d_Theta, double* d_weights, double* d_S);
  /// The same of a symmetric d_Theta, and no gradient of S.
  void backward_symmetric(const double* d_Theta, double* d_weights);

 private:
  /// (d_Theta + d_Theta') / 2 of each matrix: d_Theta itself where it is symmetric.
  const double* symmetric_part(const double* d_Theta);

  std::unique_ptr<Model> model_;
  std::unique_ptr<Engine> engine_;
  std::vector<double> G_;  ///< an adjoint that was not symmetric
  std::size_t p_ = 0;
  std::vector<Sample> samples_;
};

}  // namespace spodnet
