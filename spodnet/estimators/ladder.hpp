#pragma once

#include <functional>
#include <string>
#include <vector>

#include "spodnet/estimators/judge.hpp"
#include "spodnet/problem/estimate.hpp"
#include "spodnet/problem/problem.hpp"

namespace spodnet {

/// Another way to an estimate, with the words that follow "replaced by".
struct Alternative {
  std::string words;
  std::function<Estimate()> estimate;
};

/// `first`, the estimate of the learned model called `name`, where the data allow it (judge.hpp):
/// as it is, bit for bit. Otherwise the first of these that the data allow, with the status
/// `replaced`, a line that says what was replaced by what and why, and the rung in the details
/// (`replaced`):
///   1  one of `others`
///   2  the graph of `first`, refitted (refit.hpp), if it is sparse and worth its edges
///   3  the judge's reference
/// An estimate that failed (status neither ok nor replaced) is left to say so.
Estimate judged(Estimate first, const Problem& problem, const std::string& name,
                const std::vector<Alternative>& others = {}, Trust trust = Trust::usual);

/// `estimate` of a model of one's own as it is, with a message where the data contradict it all the
/// same (as of a likely kind).
Estimate doubted(Estimate estimate, const Problem& problem, const std::string& name);

}  // namespace spodnet
