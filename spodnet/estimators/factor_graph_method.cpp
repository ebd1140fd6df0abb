#include "spodnet/estimators/factor_graph_method.hpp"

#include <cmath>
#include <optional>

#include "spodnet/core/cholesky.hpp"
#include "spodnet/core/error.hpp"
#include "spodnet/estimators/canonical_signs.hpp"
#include "spodnet/estimators/factor_graph.hpp"
#include "spodnet/estimators/pretrained_method.hpp"
#include "spodnet/estimators/row_covariance.hpp"
#include "spodnet/estimators/settings.hpp"

namespace spodnet {
namespace {

class FactorGraphMethod final : public Method {
 public:
  FactorGraphMethod(std::shared_ptr<Method> graph, bool given, std::optional<int> count,
                    int steps = kGraphSteps)
      : graph_(std::move(graph)), given_(given), count_(count), steps_(steps) {}

  std::string name() const override { return graph_->name(); }
  bool honours_constraints() const override { return given_; }
  bool scale_thresholds(double sparsity) override { return graph_->scale_thresholds(sparsity); }

  Estimate estimate(const Problem& problem) const override {
    if (!count_) return std::move(estimate_all({&problem, 1}, problem.pool).front());
    check(problem);
    const CanonicalProblem seen(problem);
    const Problem& in = seen.problem();
    return finish(fit_factor_graph(in.S, in.n, *count_, graph_of(in), steps_), seen);
  }

  /// Numbers of factors are tried at the same time, those of one problem too.
  std::vector<Estimate> estimate_all(std::span<const Problem> problems,
                                     ThreadPool* pool) const override {
    if (count_) return Method::estimate_all(problems, pool);
    std::vector<std::optional<CanonicalProblem>> seen(problems.size());
    std::vector<std::optional<FactorGraphChoice>> choices(problems.size());
    for_each(problems.size(), pool, [&](std::size_t k) {
      check(problems[k]);
      const Problem& in = seen[k].emplace(problems[k]).problem();
      choices[k].emplace(in.S, in.n);
    });
    std::vector<std::pair<std::size_t, std::size_t>> fits;  // a problem, a number of factors
    for (std::size_t k = 0; k < problems.size(); ++k)
      for (std::size_t factors = choices[k]->count(); factors-- > 0;) fits.emplace_back(k, factors);
    for_each(fits.size(), pool, [&](std::size_t k) {
      const auto [which, factors] = fits[k];
      choices[which]->fit(factors, graph_of(seen[which]->problem()));
    });
    std::vector<Estimate> out(problems.size());
    for_each(problems.size(), pool,
             [&](std::size_t k) { out[k] = finish(choices[k]->best(), *seen[k]); });
    return out;
  }

  /// For resamples: half the steps.
  FactorGraphMethod with(int count) const { return {graph_, given_, count, kGraphSteps / 2}; }

 private:
  void check(const Problem& problem) const {
    if (!given_) refuse_constraints(problem, "pretrained:factors=included");
  }

  EstimateGraph graph_of(const Problem& problem) const {
    return [this, &problem](const Matrix& S) {
      return graph_->estimate({.S = S, .n = problem.n, .constraints = problem.constraints}).Theta;
    };
  }

  Estimate finish(FactorGraph fit, const CanonicalProblem& seen) const {
    Estimate out;
    out.factors = HiddenFactors{int(fit.factors()), fit.bic};
    out.details = {{"factors", double(fit.factors())}, {"bic", fit.bic}};
    out.Theta = given_ ? std::move(fit.A) : std::move(fit.Theta);
    out.status = fit.status;
    if (fit.status != Status::ok || !std::isfinite(spd_inverse(out.Theta, out.W))) {
      out.status = Status::not_spd;
      out.message = "pretrained: the estimate is singular to working precision";
    } else {
      out.residual = inverse_residual(out.Theta, out.W);
    }
    seen.undo(out);
    return out;
  }

  std::shared_ptr<Method> graph_;
  bool given_;
  std::optional<int> count_;  ///< of factors; none: by BIC
  int steps_;
};

}  // namespace

std::unique_ptr<Method> make_factor_graph_method(const MethodSpec& spec,
                                                 const EngineOptions& engine) {
  MethodSpec graph = spec;
  const std::string factors = graph.settings.at("factors");
  graph.settings.erase("factors");
  if (factors != "given" && factors != "included")
    throw Error("pretrained: factors = " + factors + ": it is given or included");
  if (graph.settings.contains("rows"))
    throw Error("pretrained: rows does not go with factors, which go by the covariance: drop one");
  std::optional<int> count;
  Settings read(graph);
  if (read.has("count")) count = read.count("count", 0);
  graph.settings.erase("count");
  graph.settings.emplace("judge", "false");  // of S less the factors, not of S
  graph.settings.emplace("form", "standardized");
  graph.settings.emplace("target", factors == "given" ? "f1" : "nmse");
  return std::make_unique<FactorGraphMethod>(std::make_shared<PretrainedMethod>(graph, engine),
                                             factors == "given", count);
}

std::shared_ptr<const Method> with_factors_of(const Estimate& estimate,
                                              std::shared_ptr<const Method> method) {
  const auto* factors = dynamic_cast<const FactorGraphMethod*>(method.get());
  if (!factors || !estimate.factors) return method;
  return std::make_shared<FactorGraphMethod>(factors->with(estimate.factors->count));
}

}  // namespace spodnet
