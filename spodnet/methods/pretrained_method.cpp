#include "spodnet/methods/pretrained_method.hpp"

#include "spodnet/core/error.hpp"
#include "spodnet/methods/settings.hpp"

namespace spodnet {
namespace {

double target_factor(const std::string& text) {
  if (text == "nmse") return 1;
  if (text == "f1") return 1.5;
  if (text == "precision") return 2;
  throw Error("pretrained: target = " + text + ": it is nmse, f1 or precision");
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

Estimate PretrainedMethod::estimate(const Problem& problem) const {
  const bool standardized =
      form_ == "standardized" ||
      (form_ == "auto" && pretrained_form(problem.S, problem.n) == PretrainedForm::standardized);
  const Model& model = standardized ? *standardized_ : *raw_;
  Estimate out = problem.constraints
                     ? model.estimate_within(*problem.constraints, problem.S, problem.n)
                     : model.estimate(problem.S, problem.n);
  out.details.emplace_back("standardized", standardized ? 1.0 : 0.0);
  return out;
}

}  // namespace spodnet
