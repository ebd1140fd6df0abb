#include "spodnet/methods/pretrained_method.hpp"

#include "spodnet/core/error.hpp"
#include "spodnet/methods/model_method.hpp"
#include "spodnet/methods/settings.hpp"
#include "spodnet/models/papers_kind.hpp"

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

/// How likely a matrix must be the paper's for the paper's model. It is far off on others, and the
/// others are a little worse on the paper's; with few samples either mistake costs the same.
double sure_enough(double n) { return n <= 20 ? 0.5 : 0.8; }

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

PretrainedForm PretrainedMethod::choose(const Problem& problem) const {
  if (form_) return *form_;
  if (knows(PretrainedForm::paper, problem.S, problem.n) &&
      papers_probability(problem.S, problem.n) > sure_enough(problem.n))
    return PretrainedForm::paper;
  return knows(PretrainedForm::raw, problem.S, problem.n) ? PretrainedForm::raw
                                                          : PretrainedForm::standardized;
}

Estimate PretrainedMethod::estimate(const Problem& problem) const {
  const PretrainedForm form = choose(problem);
  Estimate out = estimate_problem(model(form), problem);
  out.details.emplace_back("paper", form == PretrainedForm::paper ? 1.0 : 0.0);
  out.details.emplace_back("standardized", form == PretrainedForm::standardized ? 1.0 : 0.0);
  return out;
}

}  // namespace spodnet
