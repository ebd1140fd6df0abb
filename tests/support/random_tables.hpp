#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "spodnet/core/types.hpp"
#include "spodnet/problem/problem.hpp"

namespace spodnet::test {

/// What a user may have: rows of six laws, rough tables, levels, gaps and ranks as `spodnet graph`
/// prepares them, the paper's matrices, and covariances with an eigenvalue that no samples give.
inline constexpr std::string_view kTableKinds[] = {"gaussian", "student",   "uneven", "skewed",
                                                   "counts",   "dependent", "rough",  "levels",
                                                   "gaps",     "ranks",     "paper",  "isolated"};

/// A problem and the truth behind it.
struct RandomTable {
  std::string_view kind;
  Matrix S;
  double n = 0;
  Matrix X;           ///< empty: only S is known
  Matrix Theta_true;  ///< of new rows about the mean of these, in the units of S

  Problem problem() const { return {.S = S, .n = n, .X = X.size() > 0 ? &X : nullptr}; }
};

struct RandomTableSizes {
  double least_p = 2, most_p = 40;            ///< log-uniform
  double least_ratio = 0.5, most_ratio = 50;  ///< n / p, log-uniform; n is at least 6
};

/// Number `index` of the seed's sequence; the kinds take turns. It depends on (seed, index) and the
/// sizes alone.
RandomTable random_table(std::uint64_t seed, std::uint64_t index,
                         const RandomTableSizes& sizes = {});

/// Stein's loss per variable, tr(Sigma Theta) - log det(Sigma Theta) - p over p: twice what the
/// estimate loses in expected log-likelihood; infinite where Theta is not SPD.
double loss_of(const Matrix& Theta, const Matrix& Theta_true);

/// What the truth says of an estimate of such a table where S tells something: a shrinkage of it is
/// within a loss of 1/2. Good: at most 0.1 above the better of linear and nonlinear shrinkage,
/// which is within 1/2. Absurd: more than 1 above the worse of them, which is within 1/2.
struct JudgedTruth {
  double loss = 0;
  bool good = false, absurd = false;
};
JudgedTruth judged_truth(const RandomTable& table, const Matrix& Theta);

}  // namespace spodnet::test
