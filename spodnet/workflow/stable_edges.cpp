#include "spodnet/workflow/stable_edges.hpp"

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

}  // namespace spodnet
