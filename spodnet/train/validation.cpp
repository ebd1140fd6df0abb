#include "spodnet/train/validation.hpp"

namespace spodnet {

void validate(const Model& model, std::span<const Sample> samples, ThreadPool& pool,
              EpochRow& row) {
  std::vector<double> nmse(samples.size());
  pool.run(samples.size(), [&](std::size_t k, int) {
    const auto p = Eigen::Index(samples[k].p);
    const ConstMatrixMap S(samples[k].S, p, p), Theta_true(samples[k].Theta_true, p, p);
    const Estimate estimate = model.estimate(S, samples[k].n);
    nmse[k] = (estimate.Theta - Theta_true).squaredNorm() / Theta_true.squaredNorm();
  });
  row.valid_nmse = 0;
  for (const double x : nmse) row.valid_nmse += x / double(nmse.size());
}

}  // namespace spodnet
