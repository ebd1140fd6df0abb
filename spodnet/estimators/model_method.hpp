#pragma once

#include <memory>
#include <mutex>
#include <string>

#include "spodnet/estimators/method.hpp"

namespace spodnet {

/// What becomes of estimates that the data contradict (ladder.hpp).
enum class Contradicted { kept, told, replaced };

/// How a model is used.
struct ModelUse {
  Contradicted contradicted = Contradicted::kept;
  /// It sees the variables in canonical signs (canonical_signs.hpp), its estimate is in those
  /// given: a network has seen dependencies of either sign, but its answer still changes a little
  /// with them. Recoding variables then flips signs of the estimate and nothing else, bit for bit.
  bool canonical_signs = false;
};

/// A trained model as a method; problems of another size than the model's are refused, unless it
/// is for any size. Device `auto` is decided for each call, by its number of problems and their
/// size (choose_device.hpp).
class ModelMethod final : public Method {
 public:
  ModelMethod(std::string name, std::shared_ptr<const Model> model,
              const EngineOptions& engine = {}, ModelUse use = {});
  std::string name() const override { return name_; }
  bool honours_constraints() const override { return model_->honours_constraints(); }
  InputUnits input_units() const override;  ///< those it was trained in
  std::shared_ptr<const Model> model() const override { return model_; }
  bool scale_thresholds(double sparsity) override;
  Estimate estimate(const Problem& problem) const override;
  std::vector<Estimate> estimate_all(std::span<const Problem> problems,
                                     ThreadPool* pool) const override;

 private:
  Sample sample_of(const Problem& problem) const;
  Estimate checked(Estimate estimate, const Problem& problem) const;
  Estimate by(const Engine& engine, const Problem& problem) const;
  std::vector<Estimate> all_by(const Engine* gpu, std::span<const Problem> problems,
                               ThreadPool* pool) const;
  const Engine* gpu_for(std::span<const Problem> problems, ThreadPool* pool) const;

  std::string name_;
  ModelUse use_;
  std::shared_ptr<const Model> model_;
  EngineOptions asked_;
  std::unique_ptr<const Engine> cpu_;
  mutable std::mutex making_;
  mutable std::unique_ptr<const Engine> gpu_;  ///< made when first needed
  EstimateOptions options_;
};

}  // namespace spodnet
