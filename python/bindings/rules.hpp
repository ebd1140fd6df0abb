#pragma once

#include <optional>
#include <tuple>
#include <vector>

#include "spodnet/problem/constraints.hpp"

namespace spodnet {

/// Prior knowledge as Python gives it: forbidden pairs, and (i, j, sign) of partial correlations.
/// A sign for i = j = -1 is one for all pairs.
using Pairs = std::vector<std::pair<int, int>>;
using SignedPairs = std::vector<std::tuple<int, int, int>>;

inline std::optional<Constraints> constraints_of(std::size_t p, const Pairs& forbid,
                                                 const SignedPairs& signs) {
  if (forbid.empty() && signs.empty()) return std::nullopt;
  Constraints rules(p);
  for (const auto& [i, j] : forbid) rules.narrow(std::size_t(i), std::size_t(j), PairRule::zero);
  for (const auto& [i, j, sign] : signs) {
    const PairRule rule = sign > 0 ? PairRule::not_negative : PairRule::not_positive;
    if (i < 0)
      rules.narrow_all(rule);
    else
      rules.narrow(std::size_t(i), std::size_t(j), rule);
  }
  return rules;
}

}  // namespace spodnet
