#pragma once

#include <cstdint>

#include "spodnet/core/random.hpp"
#include "spodnet/problem/constraints.hpp"

namespace spodnet::test {

/// Each pair has one of the four rules with the same probability.
inline Constraints random_constraints(std::size_t p, RandomStream& random) {
  Constraints out(p);
  for (std::size_t i = 0; i < p; ++i)
    for (std::size_t j = 0; j < i; ++j) out.narrow(i, j, PairRule(random.below(4)));
  return out;
}

/// Number of entries that break a rule, from the rules' meaning for partial correlations.
inline int broken_rules(const Constraints& constraints, const Matrix& Theta) {
  int broken = 0;
  for (std::size_t i = 0; i < constraints.p(); ++i)
    for (std::size_t j = 0; j < constraints.p(); ++j) {
      if (i == j) continue;
      const double rho = -Theta(Eigen::Index(i), Eigen::Index(j));
      const PairRule rule = constraints(i, j);
      broken += (rule == PairRule::zero && rho != 0) ||
                (rule == PairRule::not_negative && rho < 0) ||
                (rule == PairRule::not_positive && rho > 0);
    }
  return broken;
}

}  // namespace spodnet::test
