#include "spodnet/estimators/baseline_methods.hpp"

#include <algorithm>

#include "spodnet/core/cholesky.hpp"
#include "spodnet/core/error.hpp"
#include "spodnet/core/parse.hpp"
#include "spodnet/estimators/factor_model.hpp"

namespace spodnet {
namespace {

/// "0/0.1/0.2"
std::vector<double> parse_list(std::string_view text, const std::string& where) {
  std::vector<double> values;
  for (std::size_t first = 0; first <= text.size();) {
    const std::size_t last = std::min(text.find('/', first), text.size());
    values.push_back(parse_double(text.substr(first, last - first), where));
    first = last + 1;
  }
  return values;
}

void apply(const MethodSpec& spec, FactorModelOptions& options) {
  const bool factor = options.model == CovarianceModel::factor;
  for (const auto& [key, value] : spec.settings) {
    const std::string where = spec.name + ": " + key;
    if (key == "rank" && factor)
      options.rank = parse_count(value, where);
    else if (key == "lambda")
      options.lambda = parse_list(value, where);
    else if (key == "nu")
      options.nu = parse_double(value, where);
    else if (key == "iterations")
      options.iterations = int(std::min<std::uint64_t>(parse_count(value, where), 1u << 30));
    else
      throw Error(spec.name + ": unknown setting '" + key + "': it has " +
                  (factor ? "rank, " : "") +
                  "lambda (a list is written 0/0.1/0.2), nu, iterations");
  }
}

class FactorMethod final : public Method {
 public:
  FactorMethod(std::string name, FactorModelOptions options)
      : name_(std::move(name)), options_(std::move(options)) {}

  std::string name() const override { return name_; }
  bool needs_samples() const override { return true; }

  Estimate estimate(const Problem& problem) const override {
    refuse_constraints(problem, name_);
    if (!problem.X)
      throw Error(name_ + ": it is fitted to the samples, not to a covariance: give the samples");
    const FactorModelResult fit = fit_factor_model(*problem.X, options_);
    Estimate result;
    result.Theta = fit.Theta;
    result.W = fit.Sigma;
    result.status = fit.status;
    result.residual = inverse_residual(fit.Theta, fit.Sigma);
    if (fit.status != Status::ok)
      result.message = name_ + ": the covariance became singular to rounding (" +
                       std::to_string(fit.steps) + " steps): lower iterations or lambda";
    result.details = {{"objective", fit.objective},
                      {"gradient_norm", fit.gradient_norm},
                      {"steps", double(fit.steps)},
                      {"converged", double(fit.converged)}};
    return result;
  }

 private:
  std::string name_;
  FactorModelOptions options_;
};

}  // namespace

void add_factor_methods(MethodRegistry& methods) {
  const auto add = [&](const char* name, FactorModelOptions options) {
    methods.add(name, [options](const MethodSpec& spec) {
      FactorModelOptions chosen = options;
      apply(spec, chosen);
      return std::make_unique<FactorMethod>(spec.name, chosen);
    });
  };
  add("egfm", egfm_options());
  add("ggfm", ggfm_options());
  add("egm", egm_options());
  add("ggm", ggm_options());
}

}  // namespace spodnet
