#include "reproduce/measure.hpp"

#include "spodnet/core/stopwatch.hpp"
#include "spodnet/estimators/post_treatment.hpp"
#include "spodnet/metrics/scores.hpp"

namespace spodnet::figures {
namespace {

/// Scores of one output matrix, and its exact zeros.
struct Scored {
  MatrixScores scores;
  double zeros = 0;
};

/// All that is measured of one estimate.
struct Outcome {
  std::vector<std::pair<const char*, Scored>> outputs;
  double discrepancy = 0, seconds = 0;
  bool failed = false;
};

double share_of_zeros(const Matrix& Theta) {
  const Eigen::Index p = Theta.rows();
  if (p < 2) return 0;
  const Eigen::Index zeros = (Theta.array() == 0).count() - (Theta.diagonal().array() == 0).count();
  return double(zeros) / double(p * (p - 1));
}

Scored scored(const Matrix& Theta, const Matrix& Theta_true) {
  return {score(Theta, Theta_true), share_of_zeros(Theta)};
}

Outcome outcome_of(const Estimate& estimate, const Matrix& truth) {
  Outcome out;
  out.failed = estimate.status != Status::ok;
  out.outputs = {{"theta", scored(estimate.Theta, truth)}};
  if (!estimate.Z) return out;
  const Matrix& Z = *estimate.Z;
  out.discrepancy = (Z - estimate.Theta).norm() / estimate.Theta.norm();
  out.outputs.push_back({"z", scored(Z, truth)});
  out.outputs.push_back({"projected", scored(project_psd(Z), truth)});
  out.outputs.push_back({"thresholded", scored(threshold_by_support(estimate.Theta, Z), truth)});
  return out;
}

Json summary(const std::vector<Outcome>& all, std::size_t output) {
  std::vector<MatrixScores> scores;
  double zeros = 0, smallest = std::numeric_limits<double>::infinity();
  for (const Outcome& each : all) {
    scores.push_back(each.outputs[output].second.scores);
    zeros += each.outputs[output].second.zeros / double(all.size());
    smallest = std::min(smallest, scores.back().eig_min);
  }
  const MatrixScores average = mean(scores);
  return {{"nmse", to_json(average.nmse)},
          {"f1", to_json(average.f1)},
          {"f1_offdiag", to_json(average.f1_offdiag)},
          {"density", to_json(average.density)},
          {"zeros", to_json(zeros)},
          {"eig_min", to_json(smallest)},
          {"eig_min_mean", to_json(average.eig_min)},
          {"condition", to_json(average.condition)},
          {"rank", to_json(average.rank)},
          {"spd_share", to_json(average.is_spd)}};
}

Json summary(const std::vector<Outcome>& all) {
  Json out;
  double discrepancy = 0, seconds = 0;
  int failures = 0;
  for (const Outcome& each : all) {
    discrepancy += each.discrepancy / double(all.size());
    seconds += each.seconds / double(all.size());
    failures += each.failed;
  }
  const auto& first = all.front().outputs;
  for (std::size_t k = 0; k < first.size(); ++k) out[first[k].first] = summary(all, k);
  if (first.size() > 1) out["discrepancy"] = to_json(discrepancy);
  out["failures"] = failures;
  out["seconds"] = seconds;
  return out;
}

}  // namespace

std::optional<Json> measure(const DataSet& test, const PartContext& context,
                            const std::function<Estimate(std::size_t k)>& estimate) {
  std::vector<Outcome> all(test.count());
  std::atomic<std::size_t> done = 0;
  context.pool.run(all.size(), [&](std::size_t k, int) {
    if (context.stop) return;
    const Stopwatch watch;
    const Estimate found = estimate(k);
    const double seconds = watch.seconds();
    all[k] = outcome_of(found, test.Theta_true[k]);
    all[k].seconds = seconds;
    context.progress(double(++done) / double(all.size()));
  });
  if (context.stop) return std::nullopt;
  return summary(all);
}

}  // namespace spodnet::figures
