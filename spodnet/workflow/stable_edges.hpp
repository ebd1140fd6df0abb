#pragma once

#include <vector>

#include "spodnet/workflow/reliability.hpp"

namespace spodnet {

/// Which edges are called stable at q, and why not more.
struct StableEdges {
  std::vector<bool> stable;  ///< of each edge
  double threshold = 0;      ///< of the support, by the synthetic data
  std::size_t sure = 0;      ///< edges at least that well supported ...
  std::size_t fallen = 0;    ///< ... of them gone if more hidden factors are allowed for
  std::size_t doubtful = 0;  ///< edges that are not asked about
};

/// `supports`: of each edge (support_of); `kept`: whether more hidden factors leave it
/// (edges_despite_factors; it may go on behind the edges); `doubtful` (empty: none): whether the
/// data cannot show it at all (Prepared::doubtful), so that it is neither sure nor counted.
StableEdges stable_edges(const Reliability& reliability, const std::vector<double>& supports,
                         const std::vector<bool>& kept, double q,
                         const std::vector<bool>& doubtful = {});

/// How many of the asked edges other resamples might put on the other side of the limit, which lies
/// between the last stable and the first other support: those within two standard errors of it.
struct Unsettled {
  std::size_t edges = 0;
  std::size_t resamples = 0;  ///< that would settle all of them, as far as 1000 do
};
Unsettled unsettled_edges(const StableEdges& found, const std::vector<double>& supports,
                          const std::vector<bool>& doubtful, std::size_t resamples);

}  // namespace spodnet
