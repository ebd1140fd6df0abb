#include "spodnet/core/error.hpp"
#include "spodnet/estimators/baseline_methods.hpp"
#include "spodnet/estimators/nonlinear_shrinkage.hpp"
#include "spodnet/estimators/settings.hpp"
#include "spodnet/estimators/shrinkage.hpp"
#include "spodnet/estimators/tyler.hpp"

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

class NonlinearShrinkageMethod final : public Method {
 public:
  std::string name() const override { return "nonlinear-shrinkage"; }
  Estimate estimate(const Problem& problem) const override {
    refuse_constraints(problem, name());
    return to_estimate(name(), nonlinear_shrinkage(problem.S, problem.n));
  }
};

class TylerMethod final : public Method {
 public:
  explicit TylerMethod(const TylerOptions& options) : options_(options) {}
  std::string name() const override { return "tyler"; }
  bool needs_samples() const override { return true; }
  Estimate estimate(const Problem& problem) const override {
    refuse_constraints(problem, name());
    if (!problem.X)
      throw Error("tyler: it is computed from the samples, not from a covariance: give them");
    TylerResult result = tyler(*problem.X, options_);
    Estimate estimate;
    estimate.Theta = std::move(result.Theta);
    estimate.W = std::move(result.W);
    estimate.status = result.status;
    estimate.residual = result.residual;
    estimate.details = {{"shrinkage", result.shrinkage}, {"iterations", double(result.iterations)}};
    if (result.status != Status::ok) estimate.message = "tyler: it has not converged";
    return estimate;
  }

 private:
  TylerOptions options_;
};

}  // namespace

void add_shrinkage_methods(MethodRegistry& methods) {
  methods.add("ledoit-wolf", [](const MethodSpec& spec) {
    Settings(spec).done();
    return std::make_unique<LedoitWolfMethod>();
  });
  methods.add("oas", [](const MethodSpec& spec) {
    Settings(spec).done();
    return std::make_unique<OasMethod>();
  });
  methods.add("tyler", [](const MethodSpec& spec) {
    Settings read(spec);
    TylerOptions options;
    if (read.has("shrinkage")) options.shrinkage = read.number("shrinkage", 1);
    read.done();
    return std::make_unique<TylerMethod>(options);
  });
  methods.add("nonlinear-shrinkage", [](const MethodSpec& spec) {
    Settings(spec).done();
    return std::make_unique<NonlinearShrinkageMethod>();
  });
}

}  // namespace spodnet
