#include "spodnet/estimators/pretrained_method.hpp"

#include <algorithm>

#include "spodnet/core/error.hpp"
#include "spodnet/estimators/effective_samples.hpp"
#include "spodnet/estimators/ladder.hpp"
#include "spodnet/estimators/robust_rows.hpp"
#include "spodnet/estimators/row_covariance.hpp"
#include "spodnet/estimators/settings.hpp"
#include "spodnet/models/paper_classifier.hpp"
#include "spodnet/tables/covariance.hpp"
#include "spodnet/tables/gaussian_rows.hpp"

namespace spodnet {
namespace {

double target_factor(const std::string& text) {
  if (text == "nmse") return 1;
  if (text == "f1") return 1.5;
  if (text == "precision") return 2;
  throw Error("pretrained: target = " + text + ": it is nmse, f1 or precision");
}

bool robust_from(const std::string& text) {
  if (text == "plain" || text == "robust") return text == "robust";
  throw Error("pretrained: rows = " + text + ": it is plain or robust");
}

std::optional<PretrainedForm> form_from(const std::string& text) {
  if (text == "auto") return std::nullopt;
  for (const PretrainedForm form : kPretrainedForms)
    if (to_string(form) == text) return form;
  throw Error("pretrained: form = " + text + ": it is auto, paper, raw, standardized or tables");
}

/// On development tables `tables` predicts better with thresholds a quarter larger than it learned
/// (docs/lab/accuracy.md).
double own_factor(PretrainedForm form) { return form == PretrainedForm::tables ? 1.25 : 1; }

constexpr Eigen::Index kManyVariables = 1500;

/// `tables` predicts rows best and keeps many small entries; `standardized` tells edges from what
/// is none. Far beyond the sizes it was trained on, and with n <= 2 p, `tables` is no better, and
/// its walk magnifies rounding until W must be computed again and again.
PretrainedForm for_tables(const Problem& problem, bool graph) {
  const bool large = problem.S.rows() > kManyVariables && problem.n <= 2 * double(problem.S.rows());
  return graph || large ? PretrainedForm::standardized : PretrainedForm::tables;
}

/// What may replace the estimate of `form`, the usual one first.
std::vector<PretrainedForm> other_forms(PretrainedForm form, const Problem& problem, bool graph) {
  using enum PretrainedForm;
  std::vector<PretrainedForm> others = {tables, standardized};
  if (for_tables(problem, graph) == standardized) std::swap(others[0], others[1]);
  std::erase(others, form);
  return others;
}

std::string words_of(PretrainedForm form) {
  return form == PretrainedForm::tables ? "the network for tables of measurements"
                                        : "the network for correlations";
}

bool is_for_tables(PretrainedForm form) {
  return form == PretrainedForm::standardized || form == PretrainedForm::tables;
}

/// How likely a matrix must be the paper's for the paper's model. It is far off on others, and the
/// others are a little worse on the paper's; with few samples either mistake costs the same.
double sure_enough(double n) { return n <= 20 ? 0.5 : 0.8; }

}  // namespace

PretrainedMethod::PretrainedMethod(const MethodSpec& spec, const EngineOptions& engine) {
  for (const PretrainedForm form : kPretrainedForms)
    models_[std::size_t(form)] =
        std::make_unique<ModelMethod>("pretrained", pretrained_model(form), engine,
                                      ModelUse{.canonical_signs = is_for_tables(form)});
  Settings read(spec);
  form_ = form_from(read.text("form", "auto"));
  target_ = target_factor(read.text("target", "nmse"));
  robust_ = robust_from(read.text("rows", "plain"));
  judge_ = read.flag("judge", true);
  const double sparsity = read.number("sparsity", 1);
  read.done();
  if (!(sparsity >= 0)) throw Error("pretrained: sparsity is a number of at least 0");
  scale_thresholds(sparsity);
}

bool PretrainedMethod::scale_thresholds(double sparsity) {
  for (const PretrainedForm form : kPretrainedForms)
    models_[std::size_t(form)]->scale_thresholds(own_factor(form) * target_ * sparsity);
  return true;
}

PretrainedForm PretrainedMethod::choose(const Problem& problem) const {
  return choose(problem, form_ || !problem.X || could_be_gaussian(*problem.X));
}

PretrainedForm PretrainedMethod::choose(const Problem& problem, bool gaussian) const {
  if (form_) return *form_;
  if (!gaussian) return for_tables(problem, target_ != 1);
  if (within_training_range(PretrainedForm::paper, problem.S, problem.n) &&
      paper_probability(problem.S, problem.n) > sure_enough(problem.n))
    return PretrainedForm::paper;
  return within_training_range(PretrainedForm::raw, problem.S, problem.n)
             ? PretrainedForm::raw
             : for_tables(problem, target_ != 1);
}

namespace {

/// The problem with its effective number of samples.
Problem with_effective_samples(Problem problem) {
  problem.n = effective_samples(problem);
  return problem;
}

/// Whether the samples of each could be; asked once where one follows another with the same ones.
std::vector<char> have_gaussian_rows(std::span<const Problem> problems, ThreadPool* pool) {
  std::vector<char> out(problems.size(), 1);
  const auto is_like_last = [&](std::size_t k) {
    return k > 0 && problems[k].X == problems[k - 1].X;
  };
  for_each(problems.size(), pool, [&](std::size_t k) {
    if (problems[k].X && !is_like_last(k)) out[k] = could_be_gaussian(*problems[k].X);
  });
  for (std::size_t k = 0; k < problems.size(); ++k)
    if (is_like_last(k)) out[k] = out[k - 1];
  return out;
}

}  // namespace

bool PretrainedMethod::uses_effective_samples(PretrainedForm form) const {
  return form == PretrainedForm::tables || (!form_ && form == PretrainedForm::standardized);
}

Estimate PretrainedMethod::estimate(const Problem& problem) const {
  const PretrainedForm form = choose(problem);
  if (!robust_) return judged_by(estimate_by(form, problem), form, problem);
  if (!problem.X)
    throw Error("pretrained: rows = robust needs the samples: give a table, not a covariance");
  const Matrix Y = robust_rows(*problem.X);
  Problem without_tails = problem;
  without_tails.S = empirical_covariance(Y);
  without_tails.X = &Y;
  return judged_by(estimate_by(form, without_tails), form, without_tails);
}

Estimate PretrainedMethod::judged_by(Estimate estimate, PretrainedForm form,
                                     const Problem& problem) const {
  if (!judge_) return estimate;
  const bool for_the_papers = form == PretrainedForm::paper && !form_;
  std::vector<Alternative> others;
  for (const PretrainedForm other : other_forms(form, problem, target_ != 1))
    others.push_back({words_of(other), [&, other] { return estimate_by(other, problem); }});
  return judged(std::move(estimate), problem, "pretrained", others,
                for_the_papers ? Trust::likely : Trust::usual);
}

Estimate PretrainedMethod::estimate_by(PretrainedForm form, const Problem& problem) const {
  const Method& model = *models_[std::size_t(form)];
  const bool fewer = uses_effective_samples(form) && problem.X;  // else no copy: S may be large
  Estimate out = fewer ? model.estimate(with_effective_samples(problem)) : model.estimate(problem);
  out.form = to_string(form);
  return out;
}

std::vector<Estimate> PretrainedMethod::estimate_all(std::span<const Problem> problems,
                                                     ThreadPool* pool) const {
  if (robust_) return Method::estimate_all(problems, pool);
  std::vector<Estimate> out(problems.size());
  std::array<std::vector<std::size_t>, std::size(kPretrainedForms)> places;
  std::vector<char> gaussian(problems.size(), 1);
  if (!form_) gaussian = have_gaussian_rows(problems, pool);
  for (std::size_t k = 0; k < problems.size(); ++k)
    places[std::size_t(choose(problems[k], gaussian[k] != 0))].push_back(k);
  for (const PretrainedForm form : kPretrainedForms) {
    std::vector<Problem> chosen;
    for (const std::size_t k : places[std::size_t(form)])
      chosen.push_back(uses_effective_samples(form) ? with_effective_samples(problems[k])
                                                    : problems[k]);
    std::vector<Estimate> estimates = models_[std::size_t(form)]->estimate_all(chosen, pool);
    for_each(chosen.size(), pool, [&](std::size_t k) {
      const std::size_t place = places[std::size_t(form)][k];
      estimates[k].form = to_string(form);
      out[place] = judged_by(std::move(estimates[k]), form, problems[place]);
    });
  }
  return out;
}

}  // namespace spodnet
