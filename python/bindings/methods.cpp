#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <mutex>

#include "python/bindings/arrays.hpp"
#include "python/bindings/bindings.hpp"
#include "python/bindings/core_model.hpp"
#include "python/bindings/gil.hpp"
#include "python/bindings/prepared.hpp"
#include "python/bindings/watched.hpp"
#include "spodnet/core/error.hpp"
#include "spodnet/estimators/glasso.hpp"
#include "spodnet/estimators/method.hpp"
#include "spodnet/estimators/model_method.hpp"
#include "spodnet/tables/covariance.hpp"
#include "spodnet/workflow/working_data.hpp"

namespace nb = nanobind;
using nb::literals::operator""_a;

namespace spodnet {
namespace {

/// A method by its text. The pretrained models are read once and kept.
std::shared_ptr<const Method> method_of(const std::string& text, double sparsity) {
  static std::mutex mutex;
  static std::map<std::pair<std::string, double>, std::shared_ptr<const Method>> kept;
  const std::lock_guard lock(mutex);
  const auto key = std::make_pair(text, sparsity);
  if (const auto found = kept.find(key); found != kept.end()) return found->second;
  std::shared_ptr<Method> method = make_method(text, builtin_models());
  if (sparsity != 1) set_sparsity(*method, sparsity);
  if (text.starts_with("pretrained")) {
    if (kept.size() >= 64) kept.clear();
    kept[key] = method;
  }
  return method;
}

nb::dict to_dict(Estimate estimate) {
  nb::dict out, details;
  for (const auto& [name, value] : estimate.details) details[name.c_str()] = value;
  if (!estimate.form.empty()) details["form"] = estimate.form;
  out["Theta"] = array_of(std::move(estimate.Theta));
  out["W"] = array_of(std::move(estimate.W));
  if (estimate.Z) out["Z"] = array_of(std::move(*estimate.Z));
  out["status"] = std::string(to_string(estimate.status));
  out["message"] = estimate.message;
  out["residual"] = estimate.residual;
  out["refreshes"] = estimate.refreshes;
  out["details"] = details;
  out["score_columns"] = estimate.score_columns;
  out["scores"] = array_of(std::move(estimate.scores));
  return out;
}

/// A model of Python's, which outlives the call, as a method; or a method by its text.
std::shared_ptr<const Method> method_from(nb::handle given, double sparsity) {
  if (!nb::isinstance<CoreModel>(given)) return method_of(nb::cast<std::string>(given), sparsity);
  const CoreModel& model = nb::cast<const CoreModel&>(given);
  auto method = std::make_shared<ModelMethod>(
      "model", std::shared_ptr<const Model>(std::shared_ptr<void>(), &model.model()));
  if (sparsity != 1) set_sparsity(*method, sparsity);
  return method;
}

nb::dict estimate(const Prepared& data, nb::handle given, bool standardize, bool uncentred,
                  double sparsity, const Pairs& forbid, const SignedPairs& signs,
                  bool folds_in_order, int threads) {
  const auto method = method_from(given, sparsity);
  Estimate result;
  std::atomic<bool> stop = false;
  run_watched(nb::none(), stop, [&](const Report&) {
    const auto rules = rules_of(data, forbid, signs);
    WorkingData posed = pose(data, {.standardize = standardize && wants_standard_units(*method),
                                    .uncentred = uncentred,
                                    .order = {.shuffled = !folds_in_order}});
    std::optional<ThreadPool> pool;
    if (threads != 1) pool.emplace(threads);
    result = estimate_table(std::move(posed), method, rules ? &*rules : nullptr,
                            pool ? &*pool : nullptr);
  });
  return to_dict(std::move(result));
}

nb::dict to_dict(GlassoResult fit) {
  nb::dict out;
  out["Theta"] = array_of(std::move(fit.Theta));
  out["W"] = array_of(std::move(fit.W));
  out["status"] = std::string(to_string(fit.status));
  out["objective"] = fit.objective;
  out["duality_gap"] = fit.duality_gap;
  out["kkt_residual"] = fit.kkt_residual;
  out["iterations"] = fit.iterations;
  out["residual"] = fit.residual;
  return out;
}

nb::list glasso_path_of(const MatrixIn& S, const std::vector<double>& lambdas, double tolerance,
                        double kkt_tolerance, int max_iterations, bool penalize_diagonal) {
  std::vector<GlassoResult> path;
  std::atomic<bool> stop = false;
  run_watched(nb::none(), stop, [&](const Report&) {
    path = glasso_path(as_matrix(S), lambdas,
                       {.penalize_diagonal = penalize_diagonal,
                        .tolerance = tolerance,
                        .kkt_tolerance = kkt_tolerance,
                        .max_iterations = max_iterations});
  });
  nb::list out;
  for (GlassoResult& fit : path) out.append(to_dict(std::move(fit)));
  return out;
}

ArrayOut covariance(const MatrixIn& X, bool centred) {
  Matrix S;
  {
    const ReleasedGil released;
    S = empirical_covariance(as_matrix(X), {.centred = centred});
  }
  return array_of(std::move(S));
}

}  // namespace

void bind_methods(nb::module_& m) {
  m.def("estimate", &estimate, "data"_a, "method"_a, "standardize"_a = true, "uncentred"_a = false,
        "sparsity"_a = 1.0, "forbid"_a = Pairs(), "signs"_a = SignedPairs(),
        "folds_in_order"_a = false, "threads"_a = 1);
  m.def("glasso_path", &glasso_path_of, "S"_a.noconvert(), "lambdas"_a, "tolerance"_a = 1e-8,
        "kkt_tolerance"_a = 1e-7, "max_iterations"_a = 1000, "penalize_diagonal"_a = false);
  m.def("covariance", &covariance, "X"_a.noconvert(), "centred"_a = true);
  m.def("method_names", [] { return builtin_methods().names(); });
}

}  // namespace spodnet
