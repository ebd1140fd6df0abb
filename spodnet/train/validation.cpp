#include "spodnet/train/validation.hpp"

#include <vector>

#include "spodnet/metrics/scores.hpp"

namespace spodnet {
namespace {

/// The matrix that is compared with the truth: Z where the model has one, since its loss trains Z.
const Matrix& trained_matrix(const Estimate& estimate) {
  return estimate.Z ? *estimate.Z : estimate.Theta;
}

/// Scores of every `stride`-th sample from `first` on.
std::vector<MatrixScores> scores_of(const Engine& engine, std::span<const Sample> samples,
                                    std::size_t first, std::size_t stride, ThreadPool& pool) {
  std::vector<Sample> own;
  for (std::size_t k = first; k < samples.size(); k += stride) own.push_back(samples[k]);
  const std::vector<Estimate> estimates = engine.estimate(own, {});
  std::vector<MatrixScores> scores(own.size());
  pool.run(own.size(), [&](std::size_t k, int) {
    const auto p = Eigen::Index(own[k].p);
    const ConstMatrixMap Theta_true(own[k].Theta_true, p, p);
    scores[k] = score(trained_matrix(estimates[k]), Theta_true);
  });
  return scores;
}

/// Process r has the scores of samples r, r + size, ...: all of them in order, for everyone.
std::vector<MatrixScores> gathered(Group& group, const std::vector<MatrixScores>& own,
                                   std::size_t count) {
  const auto fields = score_fields();
  const auto ranks = std::size_t(group.size());
  std::vector<double> mine;
  for (const MatrixScores& each : own)
    for (const ScoreField& field : fields) mine.push_back(each.*field.member);
  std::vector<std::size_t> counts;
  for (std::size_t r = 0; r < ranks; ++r)
    counts.push_back((count + ranks - 1 - r) / ranks * fields.size());
  std::vector<double> all(count * fields.size());
  group.gather(mine, counts, all);
  std::vector<MatrixScores> scores(count);
  const double* next = all.data();
  for (std::size_t r = 0; r < ranks; ++r)
    for (std::size_t k = r; k < count; k += ranks)
      for (const ScoreField& field : fields) scores[k].*field.member = *next++;
  return scores;
}

}  // namespace

void validate(const Engine& engine, std::span<const Sample> samples, ThreadPool& pool,
              EpochRow& row, Group& group) {
  const std::vector<MatrixScores> scores = gathered(
      group, scores_of(engine, samples, std::size_t(group.rank()), std::size_t(group.size()), pool),
      samples.size());
  const MatrixScores average = mean(scores);
  row.valid_nmse = average.nmse;
  row.valid_f1 = average.f1;
  row.valid_f1_offdiag = average.f1_offdiag;
  row.condition = average.condition;
  row.density = average.density;
  row.eig_min = scores.front().eig_min;
  for (const MatrixScores& each : scores)
    if (!(each.eig_min >= row.eig_min)) row.eig_min = each.eig_min;
}

}  // namespace spodnet
