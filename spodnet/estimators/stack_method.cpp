#include "spodnet/estimators/stack_method.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

#include "spodnet/core/cholesky.hpp"
#include "spodnet/core/error.hpp"
#include "spodnet/core/parse.hpp"
#include "spodnet/core/products.hpp"
#include "spodnet/estimators/held_out.hpp"
#include "spodnet/estimators/row_covariance.hpp"
#include "spodnet/estimators/settings.hpp"
#include "spodnet/models/model.hpp"

namespace spodnet {
namespace {

constexpr double kLeastWeight = 1e-3;  ///< of the sum of all
constexpr double kDoubt = 4;           ///< how much noise of the rows speaks for the first member
constexpr Eigen::Index kFewestRows = 40;  ///< below, folds say too little: the first member alone
constexpr const char* kSparse = "pretrained+glasso-cv+glasso-ebic";
constexpr const char* kFree = "pretrained+glasso-cv+glasso-ebic+ledoit-wolf+oas";

Matrix combine(const std::vector<Matrix>& Theta, const std::vector<double>& weights) {
  Matrix sum;
  for (std::size_t k = 0; k < Theta.size(); ++k) {
    if (!(weights[k] > 0)) continue;
    if (sum.size() == 0) sum = Matrix::Zero(Theta[k].rows(), Theta[k].cols());
    sum += weights[k] * Theta[k];
  }
  return sum;
}

/// Of variables in units of `scale`, in those of the data; exactly symmetric.
Matrix in_units(const Matrix& Theta, const Vector& scale) {
  Matrix out(Theta.rows(), Theta.cols());
  for (Eigen::Index i = 0; i < Theta.rows(); ++i)
    for (Eigen::Index j = 0; j <= i; ++j)
      out(i, j) = out(j, i) = Theta(i, j) / (scale[i] * scale[j]);
  return out;
}

/// Standard deviations, 1 for a constant column.
Vector deviations(const Matrix& X) {
  const Matrix centred = X.rowwise() - X.colwise().mean();
  const Vector norm = centred.colwise().norm().transpose() / std::sqrt(double(X.rows()));
  return (norm.array() > 0).select(norm, 1.0);
}

/// One update of all weights.
void update_weights(const std::vector<StackFold>& folds, std::vector<double>& weights) {
  std::vector<double> grown(weights.size(), 0.0), trace(weights.size(), 0.0);
  for (const StackFold& fold : folds) {
    Matrix W;
    if (!std::isfinite(spd_inverse(combine(fold.Theta, weights), W))) continue;
    for (std::size_t k = 0; k < weights.size(); ++k) {
      grown[k] += W.cwiseProduct(fold.Theta[k]).sum();
      trace[k] += fold.S.cwiseProduct(fold.Theta[k]).sum();
    }
  }
  for (std::size_t k = 0; k < weights.size(); ++k)
    weights[k] = trace[k] > 0 ? weights[k] * grown[k] / trace[k] : 0.0;
}

/// Held-out log-likelihood of each row of a fold, twice.
Vector row_scores(const StackFold& fold, const Matrix& Theta) {
  const Vector forms = (fold.rows * Theta).cwiseProduct(fold.rows).rowwise().sum();
  return spd_log_det(Theta) - forms.array();
}

/// What the combination gains over the first member, for each held-out row of every fold.
Vector row_gains(const std::vector<StackFold>& folds, const std::vector<double>& weights) {
  Eigen::Index rows = 0;
  for (const StackFold& fold : folds) rows += fold.rows.rows();
  Vector gains(rows);
  Eigen::Index first = 0;
  for (const StackFold& fold : folds) {
    gains.segment(first, fold.rows.rows()) =
        row_scores(fold, combine(fold.Theta, weights)) - row_scores(fold, fold.Theta[0]);
    first += fold.rows.rows();
  }
  return gains;
}

class StackMethod final : public Method {
 public:
  StackMethod(const std::vector<std::string>& names, HeldOutOptions folds,
              const EngineOptions& engine)
      : folds_(std::move(folds)) {
    for (const std::string& name : names)
      members_.push_back(make_method(name, builtin_models(), engine));
  }

  std::string name() const override { return "stack"; }
  bool needs_samples() const override { return true; }

  Estimate estimate(const Problem& problem) const override {
    refuse_constraints(problem, name());
    if (!problem.X)
      throw Error(
          "stack: its weights come from predicting samples: give the samples, or use pretrained");
    if (problem.X->rows() < 3) throw Error("stack: it needs at least three samples");
    if (problem.X->rows() < kFewestRows)
      if (std::optional<Estimate> alone = first_alone(problem)) return *alone;
    const std::vector<StackFold> folds = fit_folds(*problem.X, problem.pool);
    const std::vector<double> weights = lean_on_first(folds, stack_weights(folds));
    const TrainingPart all = centred_part(*problem.X, deviations(*problem.X), true);
    Estimate out;
    std::vector<Matrix> Theta(members_.size());
    for (std::size_t k = 0; k < members_.size(); ++k) {
      if (weights[k] > 0) Theta[k] = fit(*members_[k], all);
      if (weights[k] > 0 && Theta[k].size() == 0)
        throw Error("stack: " + members_[k]->name() + " refuses the data; leave it out");
      out.details.emplace_back(members_[k]->name(), weights[k]);
    }
    out.Theta = in_units(combine(Theta, weights), all.scale);
    if (!std::isfinite(spd_inverse(out.Theta, out.W))) out.status = Status::not_spd;
    out.residual = inverse_residual(out.Theta, out.W);
    return out;
  }

 private:
  /// The first member's own estimate, as if it had been asked; none where it refuses the data.
  std::optional<Estimate> first_alone(const Problem& problem) const {
    try {
      Estimate out = members_[0]->estimate(problem);
      if (!is_sound(out.status)) return std::nullopt;
      out.details.clear();
      for (std::size_t k = 0; k < members_.size(); ++k)
        out.details.emplace_back(members_[k]->name(), k == 0 ? 1.0 : 0.0);
      return out;
    } catch (const Error&) {
      return std::nullopt;
    }
  }

  /// A method's estimate, or none where it refuses the data.
  static Matrix fit(const Method& method, const TrainingPart& part) {
    try {
      const Estimate got = method.estimate({.S = part.S, .n = part.n, .X = &part.X});
      if (got.Theta.allFinite() && std::isfinite(spd_log_det(got.Theta))) return got.Theta;
    } catch (const Error&) {
    }
    return {};
  }

  std::vector<StackFold> fit_folds(const Matrix& X, ThreadPool* pool) const {
    const int count = std::min(folds_.folds, int(X.rows()) / 2 + 1);
    const auto held_out = fold_rows(std::size_t(X.rows()), count, folds_.seed);
    const Vector fallback = deviations(X);
    std::vector<StackFold> folds(held_out.size());
    for_each(held_out.size(), pool, [&](std::size_t v) {
      std::vector<std::uint32_t> rest;
      for (std::uint32_t i = 0; i < X.rows(); ++i)
        if (!std::binary_search(held_out[v].begin(), held_out[v].end(), i)) rest.push_back(i);
      const TrainingPart part = centred_part(rows_of(X, rest), fallback, true);
      Matrix& test = folds[v].rows;
      test = rows_of(X, held_out[v]).rowwise() - part.mean.transpose();
      test = test.array().rowwise() / part.scale.transpose().array();
      folds[v].S = transpose_times(test, test) / double(test.rows());
      for (const auto& member : members_) folds[v].Theta.push_back(fit(*member, part));
    });
    leave_out_refusals(folds);
    return folds;
  }

  /// A member that failed in a fold takes no part: an empty matrix becomes a zero one.
  void leave_out_refusals(std::vector<StackFold>& folds) const {
    std::size_t left = members_.size();
    for (std::size_t k = 0; k < members_.size(); ++k) {
      const bool failed = std::any_of(folds.begin(), folds.end(),
                                      [&](const StackFold& f) { return f.Theta[k].size() == 0; });
      if (!failed) continue;
      --left;
      for (StackFold& fold : folds) fold.Theta[k] = Matrix::Zero(fold.S.rows(), fold.S.cols());
    }
    if (left == 0)
      throw Error("stack: none of its members can be fitted to every fold; give more samples");
  }

  std::vector<std::unique_ptr<Method>> members_;
  HeldOutOptions folds_;
};

}  // namespace

std::vector<double> stack_weights(const std::vector<StackFold>& folds, int steps) {
  const std::size_t count = folds.at(0).Theta.size();
  std::vector<double> weights(count, 1 / double(count));
  for (std::size_t k = 0; k < count; ++k)
    if (folds[0].Theta[k].isZero(0)) weights[k] = 0;
  for (int step = 0; step < steps; ++step) update_weights(folds, weights);
  const double sum = std::accumulate(weights.begin(), weights.end(), 0.0);
  for (double& a : weights)
    if (a < kLeastWeight * sum) a = 0;
  for (int step = 0; step < steps / 4; ++step) update_weights(folds, weights);
  return weights;
}

std::vector<double> lean_on_first(const std::vector<StackFold>& folds,
                                  std::vector<double> weights) {
  const double sum = std::accumulate(weights.begin(), weights.end(), 0.0);
  for (double& a : weights) a /= sum;
  if (folds[0].Theta[0].isZero(0)) return weights;  // the first member takes no part
  const Vector gains = row_gains(folds, weights);
  const double gain = gains.mean(), rows = double(gains.size());
  const double noise = (gains.array() - gain).square().mean() / (rows - 1);  // of the mean, squared
  const double c = gain > 0 ? gain * gain / (gain * gain + kDoubt * noise) : 0;
  for (double& a : weights) a *= c;
  weights[0] += 1 - c;
  return weights;
}

std::unique_ptr<Method> make_stack_method(const MethodSpec& spec, const EngineOptions& engine) {
  Settings read(spec);
  const std::string members = read.text("members", "sparse");
  HeldOutOptions folds;
  folds.folds = read.count("folds", 10);
  folds.seed = std::uint64_t(read.count("seed", 0));
  read.done();
  if (folds.folds < 2) throw Error("stack: folds is a number of at least 2");
  const std::vector<std::string> names = split_list(members == "sparse" ? kSparse
                                                    : members == "free" ? kFree
                                                                        : members,
                                                    '+');
  if (names.empty()) throw Error("stack: members are names of methods with + between them");
  for (const std::string& name : names)
    if (name == "stack") throw Error("stack: it cannot be a member of itself");
  return std::make_unique<StackMethod>(names, folds, engine);
}

}  // namespace spodnet
