#pragma once

#include <memory>
#include <string>
#include <vector>

#include "spodnet/workflow/analyse.hpp"
#include "spodnet/workflow/answer.hpp"
#include "spodnet/workflow/bootstrap.hpp"
#include "spodnet/workflow/training_plan.hpp"
#include "spodnet/workflow/working_data.hpp"

namespace spodnet {

/// A method that is considered for a table, and how it does.
struct Candidate {
  std::string label;
  std::shared_ptr<const Method> method;
  std::shared_ptr<const Method> predicts;  ///< scored on held-out rows in its place; null: itself
  bool learned = false;    ///< by a model: its training can be compared with the data
  bool reference = false;  ///< only to compare with: its graph would be complete
  Estimate estimate;       ///< from all rows
  HeldOut held;            ///< over the folds; no folds when only a covariance is known
  std::optional<double> nmse;
  double ebic = 0;     ///< from S and n alone, smaller is better: what decides without folds
  double seconds = 0;  ///< of the estimate
  std::string note;    ///< why it failed, else empty

  bool usable() const { return note.empty() && estimate.Theta.size() > 0; }
};

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
