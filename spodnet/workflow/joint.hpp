#pragma once

#include <vector>

#include "spodnet/workflow/working_data.hpp"

namespace spodnet {

/// How much the groups borrow from each other. Group g is estimated from
///   S_g(w) = (1 - w) S_g + w S_pooled,  S_pooled = sum_h n_h S_h / sum_h n_h,
/// counted as n_g(w) = 1 / sum_h (weight of group h in it)^2 / n_h samples: w = 0 is each alone,
/// w = 1 one graph for all.
struct JointEstimate {
  double w = 0;                      ///< chosen by held-out likelihood
  std::vector<double> tried, score;  ///< log-likelihood per held-out row of each w
  std::vector<Estimate> groups;      ///< one per group, in standard units
};

/// Estimates the groups with the w (of 0, 1/4, 1/2, 3/4, 1) that predicts their held-out rows best
/// (5 folds within each group; 0 unless another is better by more than one standard error of the
/// paired difference over the folds). Cost: 5 * 5 estimates of each group.
[[nodiscard]] JointEstimate joint_estimate(const std::vector<WorkingData>& groups,
                                           const Method& method, ThreadPool& pool);

/// The covariance and the number of samples of group g when it borrows w of the pool.
TrainingPart borrowed(const std::vector<TrainingPart>& parts, std::size_t g, double w);

}  // namespace spodnet
