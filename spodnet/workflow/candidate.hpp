#pragma once

#include <memory>
#include <string>
#include <vector>

#include "spodnet/workflow/answer.hpp"
#include "spodnet/workflow/bootstrap.hpp"
#include "spodnet/workflow/training_plan.hpp"

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

/// The estimate from all rows, unless it is there, and, where there are samples, the held-out
/// likelihood on folds that are the same for every candidate. What a method refuses becomes its
/// note. `prepare`: part_of of the data.
void judge(Candidate& candidate, const WorkingData& data, int folds, RowOrder order,
           const PrepareRows& prepare, ThreadPool& pool);

/// part_of of the data, which must stay; asked for the same rows again it gives what it made.
/// Thread-safe.
PrepareRows prepared_once(const WorkingData& data);

/// Mean NMSE of each candidate over `count` synthetic data sets of the plan, none of which a model
/// was trained on.
void judge_on_synthetic(std::vector<Candidate>& candidates, const TrainingPlan& plan,
                        std::size_t count, ThreadPool& pool);

/// Which one to take, and why in words: of those whose held-out likelihood is at most one standard
/// error (of the best, over the folds) below the best, the one with the smallest NMSE on synthetic
/// data. Without folds (a covariance, or too few rows) one with an extended BIC more than 10 above
/// the smallest is out, and of the others the smallest NMSE is taken.
struct CandidateChoice {
  std::size_t index = 0;
  std::string reason;
};
CandidateChoice choose(const std::vector<Candidate>& candidates);

AnswerCandidate answer_candidate(const Candidate& candidate, bool chosen);

}  // namespace spodnet
