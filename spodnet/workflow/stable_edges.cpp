#include "spodnet/workflow/stable_edges.hpp"

#include <algorithm>
#include <cmath>

namespace spodnet {

StableEdges stable_edges(const Reliability& reliability, const std::vector<double>& supports,
                         const std::vector<bool>& kept, double q,
                         const std::vector<bool>& doubtful) {
  StableEdges out;
  const auto asked = [&](std::size_t e) { return doubtful.empty() || !doubtful[e]; };
  std::vector<double> of_asked;
  for (std::size_t e = 0; e < supports.size(); ++e)
    if (asked(e)) of_asked.push_back(supports[e]);
  out.doubtful = supports.size() - of_asked.size();
  out.threshold = stable_threshold(reliability, of_asked, kCaution * q);
  for (std::size_t e = 0; e < supports.size(); ++e) {
    const bool sure = asked(e) && supports[e] >= out.threshold;
    out.sure += sure, out.fallen += sure && !kept[e];
    out.stable.push_back(sure && kept[e]);
  }
  return out;
}

namespace {

/// The standard error of a support (support_of) of one resample: that of a share, or of a mean over
/// its spread. For b resamples it is 1 / sqrt(b) of it.
double error_of(double support) {
  return support <= 1 ? std::sqrt(support * (1 - support)) : (support - 1) / std::sqrt(2.0);
}

}  // namespace

Unsettled unsettled_edges(const StableEdges& found, const std::vector<double>& supports,
                          const std::vector<bool>& doubtful, std::size_t resamples) {
  Unsettled out{0, resamples};
  if (found.sure == 0) return out;
  double below = 0;
  for (std::size_t e = 0; e < supports.size(); ++e)
    if ((doubtful.empty() || !doubtful[e]) && supports[e] < found.threshold)
      below = std::max(below, supports[e]);
  const double limit = 0.5 * (found.threshold + below);
  for (std::size_t e = 0; e < supports.size(); ++e) {
    if (!doubtful.empty() && doubtful[e]) continue;
    const double needed = std::pow(2 * error_of(supports[e]) / (supports[e] - limit), 2);
    if (!(needed > double(resamples))) continue;
    ++out.edges;
    out.resamples = std::max(out.resamples, std::size_t(std::min(std::ceil(needed), 1000.0)));
  }
  return out;
}

}  // namespace spodnet
