#include "spodnet/workflow/joint.hpp"

#include <cmath>

#include "spodnet/core/cholesky.hpp"

namespace spodnet {
namespace {

constexpr int kJointFolds = 5;
constexpr double kShares[] = {0, 0.25, 0.5, 0.75, 1};

/// Training and held-out rows of each group in each fold.
struct Fold {
  std::vector<TrainingPart> training;
  std::vector<Matrix> held;  ///< covariance of the rows held out, about the training means
  std::vector<double> rows;
};

Fold fold_of(const std::vector<WorkingData>& groups, int fold) {
  Fold out;
  for (const WorkingData& group : groups) {
    const auto n = std::uint32_t(group.Y.rows());
    RowList training, held;
    for (std::uint32_t i = 0; i < n; ++i)
      (i * std::uint32_t(kJointFolds) / n == std::uint32_t(fold) ? held : training).push_back(i);
    out.training.push_back(part_of(group, training));
    const TrainingPart test = part_of(group, held);
    out.held.push_back(test.S);
    out.rows.push_back(double(held.size()));
  }
  return out;
}

/// Log-likelihood per row of correlations S, without its constant: (log det Theta - tr S Theta)/2.
double score(const Matrix& Theta, const Matrix& S) {
  const double log_det = spd_log_det(Theta);
  return 0.5 * (log_det - S.cwiseProduct(Theta).sum());
}

std::vector<Estimate> estimated(const std::vector<WorkingData>& groups,
                                const std::vector<TrainingPart>& parts, double w,
                                const Method& method, ThreadPool& pool) {
  std::vector<TrainingPart> blended;
  for (std::size_t g = 0; g < parts.size(); ++g) blended.push_back(borrowed(parts, g, w));
  std::vector<Problem> problems;
  for (std::size_t g = 0; g < parts.size(); ++g)
    problems.push_back(problem_of(groups[g], blended[g]));
  return method.estimate_all(problems, &pool);
}

}  // namespace

TrainingPart borrowed(const std::vector<TrainingPart>& parts, std::size_t g, double w) {
  double all = 0;
  for (const TrainingPart& part : parts) all += part.n;
  TrainingPart out = parts[g];
  out.S = (1 - w) * parts[g].S;
  double inverse = 0;
  for (std::size_t h = 0; h < parts.size(); ++h) {
    const double pooled = w * parts[h].n / all, weight = pooled + (h == g ? 1 - w : 0);
    out.S += pooled * parts[h].S;
    inverse += weight * weight / parts[h].n;
  }
  out.n = 1 / inverse;
  if (w > 0) out.X.resize(0, 0);  // the samples of one group no longer say S
  return out;
}

JointEstimate joint_estimate(const std::vector<WorkingData>& groups, const Method& method,
                             ThreadPool& pool) {
  JointEstimate out;
  out.tried.assign(std::begin(kShares), std::end(kShares));
  std::vector<std::vector<double>> scores(out.tried.size());  // by w, over the folds
  for (int k = 0; k < kJointFolds; ++k) {
    const Fold fold = fold_of(groups, k);
    for (std::size_t t = 0; t < out.tried.size(); ++t) {
      const auto estimates = estimated(groups, fold.training, out.tried[t], method, pool);
      double sum = 0, rows = 0;
      for (std::size_t g = 0; g < groups.size(); ++g) {
        sum += fold.rows[g] * score(estimates[g].Theta, fold.held[g]);
        rows += fold.rows[g];
      }
      scores[t].push_back(sum / rows);
    }
  }
  std::size_t best = 0;
  double gain = 0;
  for (std::size_t t = 0; t < out.tried.size(); ++t) {
    double mean = 0, ahead = 0, squares = 0;
    for (int k = 0; k < kJointFolds; ++k) {
      const double difference = scores[t][std::size_t(k)] - scores[0][std::size_t(k)];
      mean += scores[t][std::size_t(k)] / kJointFolds;
      ahead += difference / kJointFolds;
      squares += difference * difference / kJointFolds;
    }
    out.score.push_back(mean);
    const double error = std::sqrt(std::max(0.0, squares - ahead * ahead) / (kJointFolds - 1));
    if (ahead > error && ahead > gain) best = t, gain = ahead;
  }
  out.w = out.tried[best];
  std::vector<TrainingPart> all;
  for (const WorkingData& group : groups) all.push_back(group.all);
  out.groups = estimated(groups, all, out.w, method, pool);
  return out;
}

}  // namespace spodnet
