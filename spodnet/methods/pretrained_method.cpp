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

/// Log-likelihood per variable, summed over the halves, by which the raw model may be behind: half
/// of the samples say less about its error with all of them than the variances do.
constexpr double kAllowance = 0.3;
constexpr Eigen::Index kLeastRows = 6;  ///< to hold half of them out

Matrix every_other(const Matrix& X, Eigen::Index first) {
  return X(Eigen::seqN(first, (X.rows() - first + 1) / 2, 2), Eigen::all);
}

}  // namespace

PretrainedMethod::PretrainedMethod(const MethodSpec& spec)
    : raw_(pretrained_model(PretrainedForm::raw)),
      standardized_(pretrained_model(PretrainedForm::standardized)) {
  Settings read(spec);
  form_ = read.text("form", "auto");
  target_ = target_factor(read.text("target", "nmse"));
  const double sparsity = read.number("sparsity", 1);
  read.done();
  if (form_ != "auto" && form_ != "raw" && form_ != "standardized")
    throw Error("pretrained: form = " + form_ + ": it is auto, raw or standardized");
  if (!(sparsity >= 0)) throw Error("pretrained: sparsity is a number of at least 0");
  scale_thresholds(sparsity);
}

bool PretrainedMethod::scale_thresholds(double sparsity) {
  for (Model* model : {raw_.get(), standardized_.get()})
    model->run_options().sparsity = target_ * sparsity;
  return true;
}

/// The raw model is far off on data that only look like the paper's: it is used where it predicts
/// rows it has not seen about as well as the standardized one, and nowhere without
/// complete samples.
bool PretrainedMethod::raw_is_better(const Problem& problem) const {
  if (!problem.X || problem.X->rows() < kLeastRows || !problem.X->allFinite() ||
      pretrained_form(problem.S, problem.n) != PretrainedForm::raw)
    return false;
  const auto predicts = [&](const Model& model) {
    double sum = 0;
    for (int half = 0; half < 2; ++half) {
      const Matrix rows = every_other(*problem.X, half), others = every_other(*problem.X, 1 - half);
      const Estimate fit = model.estimate(empirical_covariance(rows), double(rows.rows()));
      if (fit.status != Status::ok) return -std::numeric_limits<double>::infinity();
      sum += held_out_log_likelihood(others, Vector(rows.colwise().mean().transpose()), fit.Theta);
    }
    return sum;
  };
  return predicts(*raw_) > predicts(*standardized_) - kAllowance * double(problem.S.rows());
}

Estimate PretrainedMethod::estimate(const Problem& problem) const {
  const bool standardized = form_ == "standardized" || (form_ == "auto" && !raw_is_better(problem));
  Estimate out = estimate_problem(standardized ? *standardized_ : *raw_, problem);
  out.details.emplace_back("standardized", standardized ? 1.0 : 0.0);
  return out;
}

}  // namespace spodnet
