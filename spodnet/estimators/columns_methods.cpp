#include <fmt/format.h>

#include <cmath>

#include "spodnet/core/error.hpp"
#include "spodnet/estimators/baseline_methods.hpp"
#include "spodnet/estimators/clime.hpp"
#include "spodnet/estimators/settings.hpp"
#include "spodnet/estimators/tiger.hpp"
#include "spodnet/metrics/edge.hpp"

namespace spodnet {
namespace {

std::string message_of(const std::string& name, const ColumnsResult& fit) {
  if (fit.status == Status::not_spd)
    return fmt::format(
        "{}: the symmetric matrix is not positive definite (smallest eigenvalue {:.3g}); {:.3g} "
        "was added to its diagonal; raise lambda",
        name, fit.smallest, fit.shift);
  if (fit.status == Status::not_converged)
    return fmt::format(
        "{}: no solution for every variable at lambda = {:.3g} (the covariance is singular there); "
        "raise lambda",
        name, fit.lambda);
  return fit.status == Status::ok ? "" : name + ": numbers that are not finite";
}

Estimate to_estimate(const std::string& name, ColumnsResult fit) {
  Estimate estimate;
  estimate.lambda = fit.lambda;
  estimate.status = fit.status;
  estimate.residual = fit.residual;
  estimate.message = message_of(name, fit);
  estimate.details = {{"lambda", fit.lambda},
                      {"edges", double(count_edges(fit.Theta))},
                      {"violation", fit.violation},
                      {"shift", fit.shift}};
  estimate.Theta = std::move(fit.Theta);
  estimate.W = std::move(fit.W);
  return estimate;
}

class ClimeMethod final : public Method {
 public:
  explicit ClimeMethod(double lambda) : lambda_(lambda) {}
  std::string name() const override { return "clime"; }
  Estimate estimate(const Problem& problem) const override {
    refuse_constraints(problem, name());
    return to_estimate(name(), clime(problem.S, lambda_, problem.pool));
  }

 private:
  double lambda_;
};

/// Without lambda: that of the theory.
class TigerMethod final : public Method {
 public:
  explicit TigerMethod(std::optional<double> lambda) : lambda_(lambda) {}
  std::string name() const override { return "tiger"; }
  Estimate estimate(const Problem& problem) const override {
    refuse_constraints(problem, name());
    const double lambda = lambda_.value_or(tiger_lambda(problem.S.rows(), problem.n));
    return to_estimate(name(), tiger(problem.S, lambda, problem.pool));
  }

 private:
  std::optional<double> lambda_;
};

using ColumnsCv = ColumnsCvResult (*)(const MatrixRef& X, const ColumnsCvOptions& options);

class ColumnsCvMethod final : public Method {
 public:
  ColumnsCvMethod(std::string name, ColumnsCv choose, const ColumnsCvOptions& options)
      : name_(std::move(name)), choose_(choose), options_(options) {}
  std::string name() const override { return name_; }
  bool needs_samples() const override { return true; }
  Estimate estimate(const Problem& problem) const override {
    refuse_constraints(problem, name_);
    if (!problem.X)
      throw Error(name_ +
                  ": it splits the samples, a covariance is not enough: give the samples, or use "
                  "tiger");
    ColumnsCvOptions options = options_;
    options.pool = problem.pool;
    ColumnsCvResult result = choose_(*problem.X, options);
    Estimate estimate = to_estimate(name_, std::move(result.fit));
    put_scores(result.scores, estimate);
    return estimate;
  }

 private:
  std::string name_;
  ColumnsCv choose_;
  ColumnsCvOptions options_;
};

std::unique_ptr<Method> make_clime(Settings settings) {
  if (!settings.has("lambda"))
    throw Error("clime: give lambda=NUMBER, in [0, 1); clime-cv chooses it itself");
  const double lambda = settings.number("lambda", 0);
  settings.done();
  return std::make_unique<ClimeMethod>(lambda);
}

std::unique_ptr<Method> make_tiger(Settings settings) {
  std::optional<double> lambda;
  if (settings.has("lambda")) lambda = settings.number("lambda", 0);
  settings.done();
  return std::make_unique<TigerMethod>(lambda);
}

std::unique_ptr<Method> make_cv(const std::string& name, ColumnsCv choose, Settings settings) {
  ColumnsCvOptions options;
  options.folds = settings.count("folds", options.folds);
  options.count = settings.count("count", options.count);
  options.ratio = settings.number("ratio", options.ratio);
  settings.done();
  return std::make_unique<ColumnsCvMethod>(name, choose, options);
}

}  // namespace

void add_columns_methods(MethodRegistry& methods) {
  methods.add("clime", [](const MethodSpec& spec) { return make_clime(Settings(spec)); });
  methods.add("clime-cv",
              [](const MethodSpec& spec) { return make_cv(spec.name, clime_cv, Settings(spec)); });
  methods.add("tiger", [](const MethodSpec& spec) { return make_tiger(Settings(spec)); });
  methods.add("tiger-cv",
              [](const MethodSpec& spec) { return make_cv(spec.name, tiger_cv, Settings(spec)); });
}

}  // namespace spodnet
