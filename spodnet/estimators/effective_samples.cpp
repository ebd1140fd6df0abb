#include "spodnet/estimators/effective_samples.hpp"

#include <algorithm>

#include "spodnet/tables/tail_factor.hpp"

namespace spodnet {
namespace {

constexpr double kFades = 100;  ///< samples for each variable, where tails no longer count

}  // namespace

double effective_samples(const Problem& problem) {
  if (!problem.X) return problem.n;
  const double most = std::max(1.0, kFades * double(problem.S.rows()) / problem.n);
  if (most == 1) return problem.n;
  return std::min(problem.n, std::max(2.0, problem.n / std::min(most, tail_factor(*problem.X))));
}

}  // namespace spodnet
