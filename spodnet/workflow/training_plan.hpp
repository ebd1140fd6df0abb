#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "spodnet/core/parallel.hpp"
#include "spodnet/generate/dataset.hpp"
#include "spodnet/generate/precision_family.hpp"
#include "spodnet/models/model.hpp"
#include "spodnet/train/trainer.hpp"

namespace spodnet {

/// All that a model trained to the shape of a table depends on: the table's shape, the synthetic
/// matrices, the model and its training.
struct TrainingPlan {
  std::size_t p = 0;
  std::size_t n = 0;         ///< samples behind each matrix
  bool standardized = true;  ///< S are correlations, Theta_true scaled to fit
  bool random_signs = true;  ///< dependencies of either sign are equally likely
  SparsityLevels alpha;
  PrecisionMix generator;  ///< kinds of true matrices
  std::size_t count = 0;   ///< training matrices ...
  std::size_t valid = 0;   ///< ... and those that choose the epoch
  std::uint64_t seed = 0;  ///< of data, weights and order
  std::size_t starts = 6;  ///< random weights tried for a twelfth of the epochs each
  ModelConfig model;
  TrainOptions train;
};

/// The best known model for tables of n rows and p columns: the one place that knows its settings,
/// and how long it may train (p <= 35: about 6 s, p <= 100: about 40 s on two cores).
TrainingPlan plan_for(std::size_t p, std::size_t n, bool standardized);

/// The settings as text: what a cache is keyed by. The same text, the same model bit for bit.
std::map<std::string, std::string> describe_plan(const TrainingPlan& plan);

/// Sparsities at which the true graphs of p variables have from 1/2 to 10 edges per variable, at
/// most half of all pairs, evenly spaced in the logarithm.
SparsityLevels mixed_sparsities(std::size_t p);

struct PlannedModel {
  std::unique_ptr<Model> model;
  double valid_nmse = 0;  ///< on matrices it was not trained on
  double seconds = 0;
  Status status = Status::ok;
};

/// Trains the plan's model and raises the thresholds of it (raise_thresholds.hpp); `progress` and
/// `stop` as in TrainOptions. The model's metadata say what it was trained on (plan.*, train.*) and
/// how well it does (final.valid_nmse).
[[nodiscard]] PlannedModel train_plan(const TrainingPlan& plan, const ModelRegistry& models,
                                      ThreadPool& team,
                                      std::function<void(const TrainProgress&)> progress = {},
                                      const std::atomic<bool>* stop = nullptr);

/// What a model file says of its training, as a plan; nothing when it says too little to draw
/// matrices like those it has seen.
std::optional<TrainingPlan> plan_from_model(const ModelConfig& config);

}  // namespace spodnet
