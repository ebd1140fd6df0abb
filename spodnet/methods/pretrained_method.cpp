#include "spodnet/methods/pretrained_method.hpp"

#include <limits>

#include "spodnet/core/error.hpp"
#include "spodnet/data/covariance.hpp"
#include "spodnet/methods/model_method.hpp"
#include "spodnet/methods/settings.hpp"
#include "spodnet/metrics/likelihood.hpp"

namespace spodnet {
namespace {

double target_factor(const std::string& text) {
  if (text == "nmse") return 1;
  if (text == "f1") return 1.5;
  if (text == "precision") return 2;
  throw Error("pretrained: target = " + text + ": it is nmse, f1 or precision");
}

constexpr PretrainedForm kForms[] = {PretrainedForm::paper, PretrainedForm::raw,
                                     PretrainedForm::standardized};

std::optional<PretrainedForm> form_from(const std::string& text) {
  if (text == "auto") return std::nullopt;
  for (const PretrainedForm form : kForms)
    if (to_string(form) == text) return form;
  throw Error("pretrained: form = " + text + ": it is auto, paper, raw or standardized");
}

/// Mean log-likelihood per variable by which the paper's model may be behind.
constexpr double kAllowance = 0.01;
constexpr Eigen::Index kLeastRows = 6;    ///< to hold half of them out
constexpr Eigen::Index kBothHalves = 64;  ///< most variables for which either half is predicted

Matrix every_other(const Matrix& X, Eigen::Index first) {
  return X(Eigen::seqN(first, (X.rows() - first + 1) / 2, 2), Eigen::all);
}

/// How well a model predicts half of the rows from the other: the mean log-likelihood.
double predicts(const Model& model, const Matrix& X) {
  double sum = 0;
  const int halves = X.cols() > kBothHalves ? 1 : 2;
  for (int half = 0; half < halves; ++half) {
    const Matrix rows = every_other(X, half), others = every_other(X, 1 - half);
    const Estimate fit = model.estimate(empirical_covariance(rows), double(rows.rows()));
    if (fit.status != Status::ok) return -std::numeric_limits<double>::infinity();
    sum += held_out_log_likelihood(others, Vector(rows.colwise().mean().transpose()), fit.Theta);
  }
  return sum / halves;
}

}  // namespace

PretrainedMethod::PretrainedMethod(const MethodSpec& spec) {
  for (const PretrainedForm form : kForms) models_[std::size_t(form)] = pretrained_model(form);
  Settings read(spec);
  form_ = form_from(read.text("form", "auto"));
  target_ = target_factor(read.text("target", "nmse"));
  const double sparsity = read.number("sparsity", 1);
  read.done();
  if (!(sparsity >= 0)) throw Error("pretrained: sparsity is a number of at least 0");
  scale_thresholds(sparsity);
}

bool PretrainedMethod::scale_thresholds(double sparsity) {
  for (const auto& model : models_) model->run_options().sparsity = target_ * sparsity;
  return true;
}

bool PretrainedMethod::is_papers(const Problem& problem, PretrainedForm other) const {
  if (!problem.X || problem.X->rows() < kLeastRows || !problem.X->allFinite() ||
      !knows(PretrainedForm::paper, problem.S, problem.n))
    return false;
  return predicts(model(PretrainedForm::paper), *problem.X) >
         predicts(model(other), *problem.X) - kAllowance * double(problem.S.rows());
}

PretrainedForm PretrainedMethod::choose(const Problem& problem) const {
  if (form_) return *form_;
  const PretrainedForm other = knows(PretrainedForm::raw, problem.S, problem.n)
                                   ? PretrainedForm::raw
                                   : PretrainedForm::standardized;
  return is_papers(problem, other) ? PretrainedForm::paper : other;
}

Estimate PretrainedMethod::estimate(const Problem& problem) const {
  const PretrainedForm form = choose(problem);
  Estimate out = estimate_problem(model(form), problem);
  out.details.emplace_back("paper", form == PretrainedForm::paper ? 1.0 : 0.0);
  out.details.emplace_back("standardized", form == PretrainedForm::standardized ? 1.0 : 0.0);
  return out;
}

}  // namespace spodnet
