#include "spodnet/baselines/shrinkage.hpp"
#include "spodnet/core/error.hpp"
#include "spodnet/methods/baseline_methods.hpp"
#include "spodnet/methods/settings.hpp"

namespace spodnet {
namespace {

Estimate to_estimate(const std::string& name, ShrinkageResult result) {
  Estimate estimate;
  estimate.Theta = std::move(result.Theta);
  estimate.W = std::move(result.W);
  estimate.status = result.status;
  estimate.residual = result.residual;
  estimate.details = {{"shrinkage", result.shrinkage}};
  if (result.status != Status::ok)
    estimate.message = name +
                       ": the shrunk covariance is singular (too few samples); the inverse is that "
                       "of a little more shrinkage";
  return estimate;
}

class LedoitWolfMethod final : public Method {
 public:
  std::string name() const override { return "ledoit-wolf"; }
  bool needs_samples() const override { return true; }
  Estimate estimate(const Problem& problem) const override {
    refuse_constraints(problem, name());
    if (!problem.X)
      throw Error(
          "ledoit-wolf: its shrinkage is computed from the samples, not from a covariance: give "
          "the samples, or use oas");
    return to_estimate(name(), ledoit_wolf(*problem.X));
  }
};

class OasMethod final : public Method {
 public:
  std::string name() const override { return "oas"; }
  Estimate estimate(const Problem& problem) const override {
    refuse_constraints(problem, name());
    return to_estimate(name(), oas(problem.S, problem.n));
  }
};

}  // namespace

std::unique_ptr<Method> make_shrinkage_method(const MethodSpec& spec) {
  if (spec.name != "ledoit-wolf" && spec.name != "oas") return nullptr;
  Settings(spec).done();
  if (spec.name == "oas") return std::make_unique<OasMethod>();
  return std::make_unique<LedoitWolfMethod>();
}

}  // namespace spodnet
