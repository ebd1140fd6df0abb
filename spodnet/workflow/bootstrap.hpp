#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <vector>

#include "spodnet/core/group.hpp"
#include "spodnet/metrics/edge.hpp"
#include "spodnet/workflow/answer.hpp"
#include "spodnet/workflow/working_data.hpp"

namespace spodnet {

struct BootstrapOptions {
  std::size_t resamples = 200;
  std::uint64_t seed = 0;  ///< resample b is drawn from the stream (seed, b + 1)
  const std::atomic<bool>* stop = nullptr;
  Group* group = nullptr;         ///< processes that share the resamples and all get the result
  const Matrix* Theta = nullptr;  ///< of all rows: `errors` is wanted
  std::function<void(double fraction)> progress = {};
  /// Called once for every resample that succeeded, with its covariance; from several threads.
  std::function<void(std::size_t resample, const Estimate&, const Matrix& S)> each = {};
};

struct BootstrapResult {
  std::vector<EdgeConfidence> edges;  ///< one per edge asked about; `stable` is not decided here
  std::vector<std::vector<double>> values;  ///< of each edge: its partial correlations
  /// p x p: how much (Theta S Theta)_ij / sqrt(Theta_ii Theta_jj) varies over the resamples' S, the
  /// first-order error of a partial correlation, whatever zeros a method makes of it; if wanted.
  Matrix errors;
  std::size_t failures = 0;  ///< resamples whose estimate was not ok; they do not count
  bool interrupted = false;  ///< by `stop`; the numbers are then not usable
};

/// How stable the edges of an estimate are when the rows are resampled with replacement, those that
/// depend on each other together (row_blocks.hpp). For
/// each edge, over the resamples: the share that has it, among these the share with the sign it has
/// in `partial` (the estimate's partial correlations, p x p), and the 2.5 % and 97.5 % points of
/// its partial correlation (0 where it is absent). Resamples go to the method in batches; the
/// result is the same for any number of threads and processes. Cost: resamples * (moments +
/// estimate).
[[nodiscard]] BootstrapResult bootstrap(const WorkingData& data, const Method& method,
                                        const std::vector<EdgePlace>& edges, const Matrix& partial,
                                        const BootstrapOptions& options, ThreadPool& pool);

/// Value below which a share q of the sorted values lies, by linear interpolation.
double quantile(const std::vector<double>& sorted, double q);

}  // namespace spodnet
