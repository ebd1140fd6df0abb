#pragma once

#include "spodnet/workflow/analyse.hpp"
#include "spodnet/workflow/candidate.hpp"
#include "spodnet/workflow/training_plan.hpp"
#include "spodnet/workflow/working_data.hpp"

namespace spodnet {

/// Numbers of synthetic samples that a step holds at a time: 256 MB.
inline constexpr double kMostSynthetic = 32e6;

/// What the steps of `analyse` and `compare_data` share.
struct Analysis {
  const Prepared& data;
  const AnalysisOptions& options;
  RunContext run;
  std::shared_ptr<const Constraints> constraints;  ///< asked for, or of pairs never observed
  WorkingData working;
  TrainingPlan plan;                       ///< of synthetic data of this shape
  std::shared_ptr<const Model> model;      ///< behind the learned candidate, if any ...
  std::optional<TrainingPlan> trained_on;  ///< ... and its training, where known
  std::vector<Candidate> candidates;
  std::vector<AnswerNote> notes;
  bool interrupted = false;

  void progress(const std::string& what, double fraction) const { run.report(what, fraction); }
  void note(std::string text) { notes.push_back({AnswerNote::Kind::done, std::move(text)}); }
  void warn(std::string text, Advice advice = Advice::none) {
    notes.push_back({AnswerNote::Kind::warning, std::move(text), advice});
  }
};

/// Before the first step: the data as the methods see them, no candidate yet.
Analysis begin_analysis(const Prepared& data, const AnalysisOptions& options,
                        const RunContext& run);

}  // namespace spodnet
