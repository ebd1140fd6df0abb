#include "spodnet/workflow/stable_edges.hpp"

namespace spodnet {
namespace {

constexpr double kMostFallen = 0.25;

}  // namespace

StableEdges stable_edges(const Reliability& reliability, const std::vector<double>& supports,
                         const std::vector<bool>& kept, double q) {
  StableEdges out;
  out.threshold = stable_threshold(reliability, supports, kCaution * q);
  for (std::size_t e = 0; e < supports.size(); ++e)
    if (supports[e] >= out.threshold) ++out.sure, out.fallen += !kept[e];
  out.doubtful = !reliability.hidden && double(out.fallen) > kMostFallen * double(out.sure);
  for (std::size_t e = 0; e < supports.size(); ++e)
    out.stable.push_back(supports[e] >= out.threshold && kept[e] && !out.doubtful);
  return out;
}

}  // namespace spodnet
