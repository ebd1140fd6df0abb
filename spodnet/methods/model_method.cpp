#include "spodnet/methods/model_method.hpp"

#include "spodnet/core/error.hpp"
#include "spodnet/devices/devices.hpp"

namespace spodnet {

ModelMethod::ModelMethod(std::string name, std::shared_ptr<const Model> model,
                         const EngineOptions& engine)
    : name_(std::move(name)), model_(std::move(model)), engine_(make_engine(*model_, engine)) {}

bool ModelMethod::scale_thresholds(double sparsity) {
  if (!model_->has_thresholds()) return false;
  options_.sparsity = sparsity;
  return true;
}

Sample ModelMethod::sample_of(const Problem& problem) const {
  const std::size_t p = model_->config().p;
  if (p > 0 && (problem.S.rows() != Eigen::Index(p) || problem.S.cols() != Eigen::Index(p)))
    throw Error(name_ + ": the model is for p = " + std::to_string(p) +
                " variables, the input has " + std::to_string(problem.S.cols()) +
                ": train one for so many");
  if (!model_->honours_constraints()) refuse_constraints(problem, name_);
  return {.S = problem.S.data(),
          .p = std::size_t(problem.S.rows()),
          .n = problem.n,
          .constraints = problem.constraints};
}

Estimate ModelMethod::estimate(const Problem& problem) const {
  const Sample sample = sample_of(problem);
  EstimateOptions options = options_;
  options.pool = problem.pool;
  return std::move(engine_->estimate({&sample, 1}, options).front());
}

std::vector<Estimate> ModelMethod::estimate_all(std::span<const Problem> problems,
                                                ThreadPool* pool) const {
  if (engine_->device() == "cpu") return Method::estimate_all(problems, pool);
  std::vector<Sample> samples;
  for (const Problem& problem : problems) samples.push_back(sample_of(problem));
  return engine_->estimate(samples, options_);
}

}  // namespace spodnet
