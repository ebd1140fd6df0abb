#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <vector>

#include "spodnet/analysis/working_data.hpp"
#include "spodnet/graph/answer.hpp"

namespace spodnet {

/// A pair i < j.
struct EdgePlace {
  Eigen::Index i = 0, j = 0;
};

struct BootstrapOptions {
  std::size_t resamples = 200;
  std::uint64_t seed = 0;  ///< resample b is drawn from the stream (seed, b + 1)
  const std::atomic<bool>* stop = nullptr;
  std::function<void(double fraction)> progress = {};  ///< may be called from any thread
};

struct BootstrapResult {
  std::vector<EdgeConfidence> edges;  ///< one per edge asked about; `stable` is not decided here
  std::size_t failures = 0;           ///< resamples whose estimate was not ok; they count as given
  bool interrupted = false;           ///< by `stop`; the numbers are then not usable
};

/// How the edges of an estimate fare when the rows are drawn anew: as many, with replacement. For
/// each edge, over the resamples: the share that has it, among these the share with the sign it has
/// in `partial` (the estimate's partial correlations, p x p), and the 2.5 % and 97.5 % points of
/// its partial correlation (0 where it is absent). Resamples run on all threads, each in one; the
/// result is the same for any number. Cost: resamples * (moments + estimate).
[[nodiscard]] BootstrapResult bootstrap(const WorkingData& data, const Method& method,
                                        const std::vector<EdgePlace>& edges, const Matrix& partial,
                                        const BootstrapOptions& options, ThreadPool& pool);

/// The pairs i < j with Theta_ij != 0, row by row.
std::vector<EdgePlace> edges_of(const Matrix& Theta);

/// Value below which a share q of the sorted values lies, by linear interpolation.
double quantile(const std::vector<double>& sorted, double q);

}  // namespace spodnet
