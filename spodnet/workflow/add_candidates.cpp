#include "spodnet/workflow/add_candidates.hpp"

#include <fmt/format.h>

#include "spodnet/core/error.hpp"
#include "spodnet/core/stopwatch.hpp"
#include "spodnet/estimators/model_method.hpp"
#include "spodnet/estimators/refit.hpp"
#include "spodnet/workflow/candidate_methods.hpp"
#include "spodnet/workflow/hidden_factor.hpp"
#include "spodnet/workflow/model_cache.hpp"
#include "spodnet/workflow/plan_data.hpp"

namespace spodnet {
namespace {

std::shared_ptr<const Method> made(Analysis& analysis, const std::string& text) {
  std::shared_ptr<const Method> method =
      make_method(text, analysis.run.models, analysis.run.engine);
  if (const auto trained = method->model()) {
    analysis.model = trained;
    analysis.trained_on = plan_from_model(trained->config());
    if (analysis.trained_on) analysis.trained_on->p = analysis.data.p();  // it may fit any size
  }
  return analysis.working.complete() ? method : fitted_to_given_covariance(std::move(method));
}

}  // namespace

void add_candidate(Analysis& analysis, const std::string& text, bool reference) {
  Candidate candidate;
  candidate.label = text;
  candidate.method = made(analysis, text);
  candidate.learned = analysis.model != nullptr && analysis.candidates.empty();
  candidate.reference = reference;
  if (candidate.method->needs_samples() && !analysis.working.has_samples()) return;
  if (analysis.working.constraints && !candidate.method->honours_constraints() && reference) return;
  analysis.candidates.push_back(std::move(candidate));
}

namespace {

/// Trained now.
std::shared_ptr<const Model> train_now(Analysis& analysis, const ModelCache& cache) {
  const TrainingPlan& plan = analysis.plan;
  const std::string what = fmt::format("training to {} x {}", plan.n, plan.p);
  PlannedModel trained = train_plan(
      plan, analysis.run.models, analysis.run.pool,
      [&](const TrainProgress& at) { analysis.progress(what, double(at.step) / double(at.steps)); },
      analysis.run.stop);
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

void add_tailored(Analysis& analysis) {
  const TrainingPlan& plan = analysis.plan;
  const ModelCache cache(analysis.options.cache);
  std::string damage;
  if (!cache.folder().empty()) analysis.model = cache.find(plan, analysis.run.models, &damage);
  if (!damage.empty())
    analysis.warn("a model kept earlier was damaged and has been trained again: " + damage);
  if (analysis.model)
    analysis.note(
        fmt::format("a {} model of {} layers, trained to this shape earlier, came from the "
                    "cache",
                    plan.model.model, plan.model.layers));
  else
    analysis.model = train_now(analysis, cache);
  if (!analysis.model) return;
  analysis.trained_on = plan;
  Candidate candidate;
  candidate.label = fmt::format("{} trained to {} x {}", plan.model.model, plan.n, plan.p);
  candidate.method = std::make_shared<ModelMethod>(
      candidate.label, analysis.model, analysis.run.engine,
      ModelUse{.contradicted = Contradicted::replaced, .canonical_signs = true});
  if (!analysis.options.standardize) {
    // Variances of the size it was trained on: a common factor, undone afterwards.
    const DataSet like = plan_data(plan, 0, 32, false, analysis.run.pool);
    double trained = 0;
    for (std::size_t k = 0; k < like.count(); ++k) trained += like.S[k].diagonal().mean() / 32;
    candidate.method = on_common_scale(std::move(candidate.method), trained);
  }
  candidate.learned = true;
  analysis.candidates.push_back(candidate);
  candidate.label += ", refitted";
  candidate.method = refitted(candidate.method);
  analysis.candidates.push_back(std::move(candidate));
}

namespace {

/// The graph of the model that comes with the library, for any shape, refitted. Its own thresholds
/// give the smallest error and keep many small entries; twice as high ones give the better graph.
void add_pretrained(Analysis& analysis) {
  add_candidate(analysis, kPretrainedRefitted);
  analysis.candidates.back().learned = true;
}

/// The graph given hidden factors, where the model finds any.
void add_given_factors(Analysis& analysis) {
  if (analysis.data.p() < kFewestForFactors) return;
  add_candidate(analysis, kGivenFactors);
  Candidate& candidate = analysis.candidates.back();
  candidate.learned = true;
  candidate.predicts = make_method(kIncludedFactors, analysis.run.models, analysis.run.engine);
  const Matrix& S = analysis.working.all.S;
  const Stopwatch watch;
  candidate.estimate = candidate.method->estimate(
      problem_of(analysis.working, analysis.working.all, &analysis.run.pool));
  candidate.seconds = watch.seconds();
  const bool found = candidate.estimate.status == Status::ok && hidden_factors(candidate) > 0 &&
                     least_own_share(candidate.estimate, S) >= kLeastOwnShare;
  if (!found) analysis.candidates.pop_back();
}

void add_instead(Analysis& analysis, const std::string& why) {
  analysis.warn(why + ": the graphical lasso with EBIC is used instead of a learned model");
  add_candidate(analysis, "glasso-ebic");
}

}  // namespace

void add_candidates(Analysis& analysis) {
  const std::string& method = analysis.options.method;
  if (method == kTailored) {
    add_tailored(analysis);
    if (analysis.interrupted) return;
  } else if (method != "auto") {
    add_candidate(analysis, method);
    if (analysis.candidates.empty())
      throw Error(method +
                  ": needs the samples themselves, a covariance is not enough: use auto, "
                  "glasso-ebic, oas or a model file");
  } else if (analysis.data.p() > kAutoVariables) {
    add_instead(analysis,
                fmt::format("{} variables are more than the {} for which methods are compared "
                            "in reasonable time",
                            analysis.data.p(), kAutoVariables));
  } else if (analysis.working.all.n < kAutoSamples) {
    add_instead(analysis, fmt::format("{:.0f} samples are too few for a learned model",
                                      analysis.working.all.n));
  } else {
    if (analysis.options.train) add_tailored(analysis);
    if (analysis.interrupted) return;
    add_pretrained(analysis);
    add_candidate(analysis, "glasso-ebic");
    add_given_factors(analysis);
  }
  const bool comparable = analysis.data.p() <= kAutoVariables;
  if (comparable && method != "glasso-cv") add_candidate(analysis, "glasso-cv", method != "auto");
  if (comparable && method != "ledoit-wolf") add_candidate(analysis, "ledoit-wolf", true);
}

}  // namespace spodnet
