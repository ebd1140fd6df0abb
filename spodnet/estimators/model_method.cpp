#include "spodnet/estimators/model_method.hpp"

#include <algorithm>

#include "spodnet/core/error.hpp"
#include "spodnet/devices/device_record.hpp"
#include "spodnet/devices/devices.hpp"
#include "spodnet/estimators/canonical_signs.hpp"
#include "spodnet/estimators/ladder.hpp"
#include "spodnet/estimators/row_covariance.hpp"

namespace spodnet {

ModelMethod::ModelMethod(std::string name, std::shared_ptr<const Model> model,
                         const EngineOptions& engine, ModelUse use)
    : name_(std::move(name)),
      use_(use),
      model_(std::move(model)),
      asked_(engine),
      cpu_(model_->make_cpu_engine({.threads = engine.threads, .pool = engine.pool})) {
  if (asked_.device != "cpu" && asked_.device != "auto")
    gpu_ = make_engine(*model_, asked_);  // one that is not there is refused at once
}

/// The engine of the GPU where it is to compute them; null: the CPU's.
const Engine* ModelMethod::gpu_for(std::span<const Problem> problems, ThreadPool* pool) const {
  if (asked_.device == "cpu" || problems.empty()) return nullptr;
  DeviceWork work{.matrices = problems.size(), .threads = pool ? pool->size() : 1};
  for (const Problem& problem : problems) {
    const auto p = std::size_t(problem.S.rows());
    work.p = std::max(work.p, p);
    work.least_p = work.least_p > 0 ? std::min(work.least_p, p) : p;
    work.constrained = work.constrained || problem.constraints;
  }
  const DeviceChoice choice = choose_device(asked_.device, model_->config(), work);
  if (asked_.record) asked_.record->add(choice, work.matrices);
  if (choice.device == "cpu") return nullptr;
  const std::lock_guard lock(making_);
  if (!gpu_) gpu_ = make_engine(*model_, {.device = choice.device, .threads = work.threads});
  return gpu_.get();
}

InputUnits ModelMethod::input_units() const {
  const auto& info = model_->config().info;
  const auto found = info.find("train.standardized");
  const bool standardized = found != info.end() && found->second == "true";
  return standardized ? InputUnits::standardized : InputUnits::of_data;
}

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

Estimate ModelMethod::checked(Estimate estimate, const Problem& problem) const {
  if (use_.contradicted == Contradicted::kept) return estimate;
  return use_.contradicted == Contradicted::told ? doubted(std::move(estimate), problem, name_)
                                                 : judged(std::move(estimate), problem, name_);
}

Estimate ModelMethod::by(const Engine& engine, const Problem& problem) const {
  const Sample sample = sample_of(problem);
  EstimateOptions options = options_;
  options.pool = problem.pool;
  return checked(std::move(engine.estimate({&sample, 1}, options).front()), problem);
}

Estimate ModelMethod::estimate(const Problem& problem) const {
  const Engine* gpu = gpu_for({&problem, 1}, problem.pool);
  const Engine& engine = gpu ? *gpu : *cpu_;
  if (!use_.canonical_signs) return by(engine, problem);
  const CanonicalProblem seen(problem);
  Estimate out = by(engine, seen.problem());
  seen.undo(out);
  return out;
}

std::vector<Estimate> ModelMethod::estimate_all(std::span<const Problem> problems,
                                                ThreadPool* pool) const {
  const Engine* gpu = gpu_for(problems, pool);
  if (!use_.canonical_signs) return all_by(gpu, problems, pool);
  std::vector<std::optional<CanonicalProblem>> seen(problems.size());
  for_each(problems.size(), pool, [&](std::size_t k) { seen[k].emplace(problems[k]); });
  std::vector<Problem> canonical;
  for (const auto& each : seen) canonical.push_back(each->problem());
  std::vector<Estimate> out = all_by(gpu, canonical, pool);
  for (std::size_t k = 0; k < problems.size(); ++k) seen[k]->undo(out[k]);
  return out;
}

std::vector<Estimate> ModelMethod::all_by(const Engine* gpu, std::span<const Problem> problems,
                                          ThreadPool* pool) const {
  std::vector<Estimate> out(problems.size());
  if (!gpu) {
    for_each(problems.size(), pool, [&](std::size_t k) { out[k] = by(*cpu_, problems[k]); });
    return out;
  }
  std::vector<Sample> samples;
  for (const Problem& problem : problems) samples.push_back(sample_of(problem));
  out = gpu->estimate(samples, options_);
  for_each(out.size(), pool,
           [&](std::size_t k) { out[k] = checked(std::move(out[k]), problems[k]); });
  return out;
}

}  // namespace spodnet
