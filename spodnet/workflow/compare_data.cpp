#include "spodnet/workflow/compare_data.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "spodnet/core/error.hpp"
#include "spodnet/workflow/add_candidates.hpp"

namespace spodnet {
namespace {

void check(const Prepared& data, const CompareDataOptions& options) {
  if (data.X.size() == 0)
    throw Error("compare: judges methods by rows they have not seen, a covariance has none");
  if (options.folds < 2 || data.X.rows() < 2 * options.folds)
    throw Error(
        fmt::format("compare: {} rows do not fill {} folds of at least two: use fewer folds",
                    data.X.rows(), options.folds));
  if (options.only_these && options.methods.empty())
    throw Error("compare: nothing but the methods named is to be compared, and none is named");
}

std::vector<std::string> methods_of(const CompareDataOptions& options) {
  std::vector<std::string> all = options.methods;
  if (!options.only_these)
    all.insert(all.end(), std::begin(kCommonMethods), std::end(kCommonMethods));
  std::vector<std::string> once;
  for (const std::string& text : all)
    if (std::find(once.begin(), once.end(), text) == once.end()) once.push_back(text);
  return once;
}

/// A method named by the user must fit; found before the work begins.
void check_named(const Candidate& candidate, const Prepared& data,
                 const CompareDataOptions& options) {
  const auto trained = candidate.method->model();
  const std::size_t p = trained ? trained->config().p : 0;  // 0: any
  if (p > 0 && p != data.p())
    throw Error(fmt::format("{}: the model is for p = {} variables, the data have {}",
                            candidate.label, p, data.p()));
  if (options.constraints && !candidate.method->honours_constraints()) {
    Problem problem;
    problem.constraints = options.constraints;
    refuse_constraints(problem, candidate.label);
  }
}

/// Why there is no learned model for data of this shape; empty: there is.
std::string not_learned(const Analysis& analysis) {
  if (analysis.data.p() > kAutoVariables)
    return fmt::format("no model is trained for more than {} variables", kAutoVariables);
  if (analysis.working.all.n < kAutoSamples) return "too few samples for a learned model";
  return {};
}

void add_methods(Analysis& analysis, const CompareDataOptions& options,
                 std::vector<std::string>& skipped) {
  const std::vector<std::string>& named = options.methods;
  for (const std::string& text : methods_of(options)) {
    const bool tailored = text == "auto" || text == kTailored;
    if (tailored && !not_learned(analysis).empty()) {
      skipped.push_back(not_learned(analysis));
    } else if (tailored) {
      add_tailored(analysis);
      if (analysis.interrupted) return;
    } else {
      add_candidate(analysis, text);
      if (std::find(named.begin(), named.end(), text) != named.end())
        check_named(analysis.candidates.back(), analysis.data, options);
    }
  }
}

}  // namespace

Comparison compare_data(const Prepared& data, const CompareDataOptions& options,
                        const RunContext& run) {
  check(data, options);
  AnalysisOptions steps;
  steps.standardize = options.standardize;
  steps.seed = options.seed;
  steps.folds_in_order = options.folds_in_order;
  steps.constraints = options.constraints;
  steps.cache = options.cache;
  Analysis analysis = begin_analysis(data, steps, run);
  std::vector<std::string> skipped;
  add_methods(analysis, options, skipped);
  Comparison out;
  out.interrupted = analysis.interrupted;
  if (out.interrupted) return out;
  std::vector<NamedMethod> methods;
  for (const Candidate& each : analysis.candidates) methods.push_back({each.label, each.method});
  CompareOptions compare;
  compare.held_out = {
      .folds = options.folds,
      .seed = options.seed,
      .shuffle = !options.folds_in_order && analysis.working.blocks.empty(),
      .standardize = options.standardize,
      .constraints = analysis.working.constraints,
      .prepare = [&](const RowList& rows) { return part_of(analysis.working, rows); },
      .pool = &run.pool};
  compare.stop = run.stop;
  compare.progress = [&](double done, const std::string& name) {
    run.report("comparing " + name, done);
  };
  out = compare_methods(methods, analysis.working.Y, compare);
  for (const std::string& why : skipped) {
    out.methods.emplace_back().name = kTailored;
    out.methods.back().note = why;
  }
  return out;
}

}  // namespace spodnet
