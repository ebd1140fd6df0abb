#include "spodnet/workflow/candidate_methods.hpp"

#include <cmath>

#include "spodnet/estimators/factor_graph_method.hpp"
#include "spodnet/estimators/glasso.hpp"

namespace spodnet {
namespace {

Estimate fit_glasso(const Problem& problem, double lambda) {
  GlassoOptions options;
  options.lambda = lambda;
  options.constraints = problem.constraints;
  options.pool = problem.pool;
  GlassoResult fit = glasso(problem.S, options);
  Estimate out;
  out.status = fit.status;
  if (fit.status != Status::ok) out.message = "glasso: the fit did not converge; raise lambda";
  out.residual = fit.residual;
  out.lambda = lambda;
  out.details = {{"lambda", lambda}};
  out.Theta = std::move(fit.Theta);
  out.W = std::move(fit.W);
  return out;
}

class FixedGlasso final : public Method {
 public:
  FixedGlasso(std::string name, double lambda) : name_(std::move(name)), lambda_(lambda) {}
  std::string name() const override { return name_; }
  bool honours_constraints() const override { return true; }
  Estimate estimate(const Problem& problem) const override { return fit_glasso(problem, lambda_); }

 private:
  std::string name_;
  double lambda_;
};

class FittedToGivenCovariance final : public Method {
 public:
  explicit FittedToGivenCovariance(std::shared_ptr<const Method> inner)
      : inner_(std::move(inner)) {}
  std::string name() const override { return inner_->name(); }
  bool needs_samples() const override { return inner_->needs_samples(); }
  bool honours_constraints() const override { return inner_->honours_constraints(); }
  Estimate estimate(const Problem& problem) const override {
    Estimate chosen = inner_->estimate(problem);
    if (!chosen.lambda) return chosen;
    Estimate out = fit_glasso(problem, *chosen.lambda);
    out.score_columns = std::move(chosen.score_columns);
    out.scores = std::move(chosen.scores);
    return out;
  }

 private:
  std::shared_ptr<const Method> inner_;
};

class OnCommonScale final : public Method {
 public:
  OnCommonScale(std::shared_ptr<const Method> inner, double mean_variance)
      : inner_(std::move(inner)), mean_variance_(mean_variance) {}
  std::string name() const override { return inner_->name(); }
  bool needs_samples() const override { return inner_->needs_samples(); }
  bool honours_constraints() const override { return inner_->honours_constraints(); }
  Estimate estimate(const Problem& problem) const override {
    const double factor = mean_variance_ / problem.S.diagonal().mean();
    Problem scaled = problem;
    scaled.S *= factor;
    Matrix X;
    if (problem.X) {
      X = *problem.X * std::sqrt(factor);
      scaled.X = &X;
    }
    Estimate out = inner_->estimate(scaled);
    out.Theta *= factor;
    out.W /= factor;
    if (out.Z) *out.Z *= factor;
    return out;
  }

 private:
  std::shared_ptr<const Method> inner_;
  double mean_variance_;
};

}  // namespace

std::shared_ptr<const Method> resampling_method(std::shared_ptr<const Method> method,
                                                const Estimate& estimate) {
  if (!estimate.lambda) return with_factors_of(estimate, std::move(method));
  return std::make_shared<FixedGlasso>(method->name(), *estimate.lambda);
}

std::shared_ptr<const Method> fitted_to_given_covariance(std::shared_ptr<const Method> method) {
  if (!method->needs_samples()) return method;
  return std::make_shared<FittedToGivenCovariance>(std::move(method));
}

std::shared_ptr<const Method> on_common_scale(std::shared_ptr<const Method> method,
                                              double mean_variance) {
  return std::make_shared<OnCommonScale>(std::move(method), mean_variance);
}

}  // namespace spodnet
