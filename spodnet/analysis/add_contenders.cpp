#include <fmt/format.h>

#include <cmath>

#include "spodnet/analysis/analysis_steps.hpp"
#include "spodnet/analysis/model_cache.hpp"
#include "spodnet/core/error.hpp"
#include "spodnet/methods/model_method.hpp"

namespace spodnet {
namespace {

/// A trained model that the analysis and its method share.
class SharedModelMethod final : public Method {
 public:
  SharedModelMethod(std::string name, std::shared_ptr<const Model> model)
      : name_(std::move(name)), model_(std::move(model)) {}
  std::string name() const override { return name_; }
  bool honours_constraints() const override { return model_->honours_constraints(); }
  Estimate estimate(const Problem& problem) const override {
    return estimate_problem(*model_, problem);
  }

 private:
  std::string name_;
  std::shared_ptr<const Model> model_;
};

std::shared_ptr<const Method> made(Analysis& analysis, const std::string& text) {
  std::shared_ptr<const Method> method = make_method(text, analysis.models);
  if (const auto* trained = dynamic_cast<const ModelMethod*>(method.get())) {
    analysis.model = {method, &trained->model()};
    analysis.trained_on = plan_from_model(trained->model().config());
    if (analysis.trained_on) analysis.trained_on->p = analysis.data.p();  // it may fit any size
  }
  return analysis.working.complete() ? method : fitted_to_given_covariance(std::move(method));
}

}  // namespace

void add_contender(Analysis& analysis, const std::string& text, bool reference) {
  Contender contender;
  contender.label = text;
  contender.method = made(analysis, text);
  contender.learned = analysis.model != nullptr && analysis.contenders.empty();
  contender.reference = reference;
  if (contender.method->needs_samples() && !analysis.working.has_samples()) return;
  if (analysis.working.constraints && !contender.method->honours_constraints() && reference) return;
  analysis.contenders.push_back(std::move(contender));
}

namespace {

/// Trained now.
std::shared_ptr<const Model> train_now(Analysis& analysis, const ModelCache& cache) {
  const TrainingPlan& plan = analysis.plan;
  const std::string what = fmt::format("training to {} x {}", plan.n, plan.p);
  PlannedModel trained = train_plan(
      plan, analysis.models, analysis.pool,
      [&](const TrainProgress& at) { analysis.progress(what, double(at.step) / double(at.steps)); },
      analysis.options.stop);
  analysis.interrupted = trained.status == Status::interrupted;
  if (analysis.interrupted) return nullptr;
  std::string kept = "not kept";
  if (!cache.folder().empty()) {
    try {
      cache.keep(plan, *trained.model);
      kept = "kept for the next time";
    } catch (const Error& error) {
      analysis.warn(std::string("the trained model could not be kept: ") + error.what());
    }
  }
  analysis.note(fmt::format(
      "trained a {} model of {} layers on {} synthetic data sets of this shape in {:.1f} s ({})",
      plan.model.model, plan.model.layers, plan.count, trained.seconds, kept));
  return std::move(trained.model);
}

}  // namespace

void add_learned(Analysis& analysis) {
  const TrainingPlan& plan = analysis.plan;
  const ModelCache cache(analysis.options.cache);
  if (!cache.folder().empty()) analysis.model = cache.find(plan, analysis.models);
  if (analysis.model)
    analysis.note(
        fmt::format("a {} model of {} layers, trained to this shape earlier, came from the "
                    "cache",
                    plan.model.model, plan.model.layers));
  else
    analysis.model = train_now(analysis, cache);
  if (!analysis.model) return;
  analysis.trained_on = plan;
  Contender contender;
  contender.label = fmt::format("{} trained to {} x {}", plan.model.model, plan.n, plan.p);
  contender.method = std::make_shared<SharedModelMethod>(contender.label, analysis.model);
  if (!analysis.options.standardize) {
    // Variances of the size it was trained on: a common factor, undone afterwards.
    const DataSet like = plan_data(plan, 0, 32, false, analysis.pool);
    double trained = 0;
    for (std::size_t k = 0; k < like.count(); ++k) trained += like.S[k].diagonal().mean() / 32;
    contender.method = on_common_scale(std::move(contender.method), trained);
  }
  contender.learned = true;
  analysis.contenders.push_back(contender);
  contender.label += ", refitted";
  contender.method = refitted_graph(contender.method);
  analysis.contenders.push_back(std::move(contender));
}

namespace {

/// The graph of the model that comes with the library, for any shape, refitted. Its own thresholds
/// give the smallest error and keep many small entries; twice as high ones give the better graph.
void add_pretrained(Analysis& analysis) {
  Contender contender;
  contender.label = "pretrained, refitted";
  contender.method = refitted_graph(make_method("pretrained:target=precision", analysis.models));
  contender.learned = true;
  analysis.contenders.push_back(std::move(contender));
}

void add_instead(Analysis& analysis, const std::string& why) {
  analysis.warn(why + ": the graphical lasso with EBIC is used instead of a learned model");
  add_contender(analysis, "glasso-ebic");
}

}  // namespace

void add_contenders(Analysis& analysis) {
  const std::string& method = analysis.options.method;
  if (method != "auto") {
    add_contender(analysis, method);
    if (analysis.contenders.empty())
      throw Error("--method " + method +
                  ": needs the samples themselves, a covariance is not enough: use auto, "
                  "glasso-ebic, oas or a model file");
  } else if (analysis.data.p() > kAutoVariables) {
    add_instead(analysis,
                fmt::format("{} variables are more than the {} a model can be trained for "
                            "in reasonable time",
                            analysis.data.p(), kAutoVariables));
  } else if (analysis.working.all.n < kAutoSamples) {
    add_instead(analysis, fmt::format("{:.0f} samples are too few for a learned model",
                                      analysis.working.all.n));
  } else {
    add_learned(analysis);
    if (analysis.interrupted) return;
    add_pretrained(analysis);
    add_contender(analysis, "glasso-ebic");
  }
  const bool comparable = analysis.data.p() <= kAutoVariables;
  if (comparable && method != "glasso-cv") add_contender(analysis, "glasso-cv", method != "auto");
  if (comparable && method != "ledoit-wolf") add_contender(analysis, "ledoit-wolf", true);
}

}  // namespace spodnet
