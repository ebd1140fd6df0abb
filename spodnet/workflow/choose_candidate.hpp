#pragma once

#include "spodnet/workflow/analysis.hpp"

namespace spodnet {

/// Judges the candidates and returns the one to take.
std::size_t choose_candidate(Analysis& analysis);

// Its steps.

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
