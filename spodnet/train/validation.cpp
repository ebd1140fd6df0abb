#include "spodnet/train/validation.hpp"

#include <vector>

#include "spodnet/metrics/scores.hpp"

namespace spodnet {
namespace {

/// The matrix that is compared with the truth: Z where the model has one, since its loss trains Z.
const Matrix& trained_matrix(const Estimate& estimate) {
  return estimate.Z ? *estimate.Z : estimate.Theta;
}

}  // namespace

void validate(const Model& model, std::span<const Sample> samples, ThreadPool& pool,
              EpochRow& row) {
  std::vector<MatrixScores> scores(samples.size());
  pool.run(samples.size(), [&](std::size_t k, int) {
    const auto p = Eigen::Index(samples[k].p);
    const ConstMatrixMap S(samples[k].S, p, p), Theta_true(samples[k].Theta_true, p, p);
    scores[k] = score(trained_matrix(model.estimate(S, samples[k].n)), Theta_true);
  });
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
