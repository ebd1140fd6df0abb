#pragma once

#include <memory>
#include <string>
#include <vector>

#include "spodnet/analysis/bootstrap.hpp"
#include "spodnet/analysis/training_plan.hpp"
#include "spodnet/graph/answer.hpp"

namespace spodnet {

/// A method that is considered for a table, and how it does.
struct Contender {
  std::string label;
  std::shared_ptr<const Method> method;
  bool learned = false;    ///< by a model: its training can be compared with the data
  bool reference = false;  ///< only to compare with: its graph would be complete
  Estimate estimate;       ///< from all rows
  HeldOut held;            ///< over the folds; no folds when only a covariance is known
  std::optional<double> nmse;
  double seconds = 0;  ///< of the estimate
  std::string note;    ///< why it failed, else empty

  bool usable() const { return note.empty() && estimate.Theta.size() > 0; }
};

/// The estimate from all rows and, where there are samples, the held-out likelihood on folds that
/// are the same for every contender. What a method refuses becomes its note.
void judge(Contender& contender, const WorkingData& data, int folds, std::uint64_t seed,
           ThreadPool& pool);

/// Mean NMSE of each contender over `count` synthetic data sets of the plan, none of which a model
/// was trained on.
void judge_on_synthetic(std::vector<Contender>& contenders, const TrainingPlan& plan,
                        std::size_t count, ThreadPool& pool);

/// Which one to take, and why in words: of those whose held-out likelihood is at most one standard
/// error (of the best, over the folds) below the best, the one with the smallest NMSE on synthetic
/// data; without folds the smallest NMSE, without NMSE the best likelihood.
struct ContenderChoice {
  std::size_t index = 0;
  std::string reason;
};
ContenderChoice choose(const std::vector<Contender>& contenders);

AnswerCandidate to_candidate(const Contender& contender, bool chosen);

/// `method` as it is refitted to resamples: the graphical lasso keeps the lambda of `estimate`, any
/// other method is itself.
std::shared_ptr<const Method> resampling_method(std::shared_ptr<const Method> method,
                                                const Estimate& estimate);

/// A method that chooses lambda by splitting samples, where S is not the samples' covariance
/// (missing values, ranks): lambda is chosen on the samples, the fit is to S.
std::shared_ptr<const Method> fitted_to_given_covariance(std::shared_ptr<const Method> method);

/// The graph of `method`, its numbers anew: Theta maximises the likelihood of S among the matrices
/// with zeros where the method has them, each entry penalised by 3/n sqrt(S_ii S_jj) |Theta_ij|. A
/// model trained to a small squared error shrinks what it keeps; this does not.
std::shared_ptr<const Method> refitted_graph(std::shared_ptr<const Method> method);

/// `method` on S times the factor that makes the mean variance `mean_variance`; its estimate is
/// scaled back.
std::shared_ptr<const Method> on_common_scale(std::shared_ptr<const Method> method,
                                              double mean_variance);

}  // namespace spodnet
