#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <mutex>
#include <numeric>

#include "python/bindings/arrays.hpp"
#include "python/bindings/bindings.hpp"
#include "python/bindings/gil.hpp"
#include "python/bindings/rules.hpp"
#include "spodnet/core/error.hpp"
#include "spodnet/core/random.hpp"
#include "spodnet/estimators/glasso.hpp"
#include "spodnet/estimators/method.hpp"
#include "spodnet/tables/covariance.hpp"
#include "spodnet/tables/moments.hpp"
#include "spodnet/workflow/candidate_methods.hpp"
#include "spodnet/workflow/working_data.hpp"

namespace nb = nanobind;
using nb::literals::operator""_a;

namespace spodnet {
namespace {

/// A method by its text. The pretrained models are read once and kept.
std::shared_ptr<const Method> method_of(const std::string& text, double sparsity) {
  static std::mutex door;
  static std::map<std::pair<std::string, double>, std::shared_ptr<const Method>> kept;
  const std::lock_guard lock(door);
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

/// (X - mean) / scale by columns, or X itself: the one copy a method reads. `shuffled`: rows in the
/// command's order (RowOrder), so that methods that split them split them alike.
Matrix samples_of(const MatrixIn& X, const std::optional<VectorIn>& mean,
                  const std::optional<VectorIn>& scale, bool shuffled) {
  std::vector<std::uint32_t> order(X.shape(0));
  std::iota(order.begin(), order.end(), 0u);
  if (shuffled) RandomStream(RowOrder{}.seed, 0).shuffle(order);
  Matrix samples = as_matrix(X)(order, Eigen::all);
  if (!mean || !scale) return samples;
  if (Eigen::Index(mean->shape(0)) != samples.cols() || mean->shape(0) != scale->shape(0))
    throw Error("estimate: mean and scale have one number for each column of X");
  samples.rowwise() -= as_vector(*mean).transpose();
  samples.array().rowwise() /= as_vector(*scale).transpose().array();
  return samples;
}

nb::dict estimate(const std::string& text, const MatrixIn& S, double n,
                  const std::optional<MatrixIn>& X, double sparsity, const Pairs& forbid,
                  const SignedPairs& signs, int threads, const std::optional<VectorIn>& mean,
                  const std::optional<VectorIn>& scale, bool shuffled, bool incomplete) {
  Estimate result;
  {
    const ReleasedGil released;
    auto method = method_of(text, sparsity);
    if (incomplete) method = fitted_to_given_covariance(std::move(method));
    const auto rules = constraints_of(S.shape(0), forbid, signs);
    Matrix samples;
    Problem problem;
    problem.S = as_matrix(S);
    problem.n = n;
    if (X) {  // pretrained asks them how heavy their tails are
      samples = samples_of(*X, mean, scale, shuffled && !incomplete);
      problem.X = &samples;
    }
    if (rules) problem.constraints = &*rules;
    std::optional<ThreadPool> pool;
    if (threads != 1) problem.pool = &pool.emplace(threads);
    result = method->estimate(problem);
  }
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
  {
    const ReleasedGil released;
    path = glasso_path(as_matrix(S), lambdas,
                       {.penalize_diagonal = penalize_diagonal,
                        .tolerance = tolerance,
                        .kkt_tolerance = kkt_tolerance,
                        .max_iterations = max_iterations});
  }
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

/// Mean, covariance, n and the samples, centred and filled, of data with missing values: as the
/// command has them, rows in its order.
nb::dict moments_of(const MatrixIn& X, const std::string& missing) {
  WorkingData found;
  {
    const ReleasedGil released;
    Prepared data;
    data.X = as_matrix(X);
    data.options.missing = missing_from(missing);
    data.moments = moments(data.X, data.moments_options());
    found = working_data(data, false, {});
  }
  nb::dict out;
  out["mean"] = array_of(std::move(found.all.mean));
  out["S"] = array_of(std::move(found.all.S));
  out["n"] = found.all.n;
  out["X"] = array_of(std::move(found.all.X));
  return out;
}

}  // namespace

void bind_methods(nb::module_& m) {
  m.def("estimate", &estimate, "method"_a, "S"_a.noconvert(), "n"_a, "X"_a.noconvert() = nb::none(),
        "sparsity"_a = 1.0, "forbid"_a = Pairs(), "signs"_a = SignedPairs(), "threads"_a = 1,
        "mean"_a.noconvert() = nb::none(), "scale"_a.noconvert() = nb::none(), "shuffled"_a = false,
        "incomplete"_a = false);
  m.def("glasso_path", &glasso_path_of, "S"_a.noconvert(), "lambdas"_a, "tolerance"_a = 1e-8,
        "kkt_tolerance"_a = 1e-7, "max_iterations"_a = 1000, "penalize_diagonal"_a = false);
  m.def("covariance", &covariance, "X"_a.noconvert(), "centred"_a = true);
  m.def("moments", &moments_of, "X"_a.noconvert(), "missing"_a);
}

}  // namespace spodnet
