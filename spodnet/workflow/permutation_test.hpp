#pragma once

#include <atomic>
#include <cstdint>
#include <functional>

#include "spodnet/workflow/working_data.hpp"

namespace spodnet {

struct PermutationOptions {
  std::size_t permutations = 1000;
  std::uint64_t seed = 0;
  const std::atomic<bool>* stop = nullptr;
  std::function<void(double fraction)> progress = {};
};

/// How two groups' graphs differ, and how often groups drawn at random differ as much. All p-values
/// are (1 + permutations at least as far) / (1 + permutations).
struct PermutationTest {
  Matrix partial_a, partial_b;  ///< p x p, what was compared
  double largest = 0;           ///< max |difference| of a partial correlation: the structure
  double p_structure = 1;
  double strength_a = 0, strength_b = 0;  ///< sum of |partial correlations|: the total strength
  double p_strength = 1;
  Matrix p_edge;             ///< p x p, each pair alone
  Matrix p_holm;             ///< corrected for the number of pairs (Holm)
  Matrix p_max;              ///< corrected by the largest difference of each permutation
  std::size_t failures = 0;  ///< permutations whose estimates were not ok: they do not count
  std::size_t done = 0;      ///< permutations that count
  bool interrupted = false;
};

/// Tests whether two groups have one graph. `a` and `b` are of the same variables, in standard
/// units. Their rows are pooled, each group's standardised by itself (means and scales may differ
/// without the graph doing so; levels and ranks stay), and dealt to two groups of the same sizes
/// again and again. `method` must be the same for every split: a graphical lasso with its lambda
/// fixed, or a model. Clusters (both groups have them) are dealt as wholes. Of paired groups
/// (WorkingData::person) each person's two rows change places or stay. The same for any number
/// of threads. Cost: 2 * permutations estimates.
[[nodiscard]] PermutationTest permutation_test(const WorkingData& a, const WorkingData& b,
                                               const Method& method,
                                               const PermutationOptions& options, ThreadPool& pool);

/// The rows of both, each group's Gaussian columns standardised by itself: what is dealt.
WorkingData pooled_rows(const WorkingData& a, const WorkingData& b);

/// Holm's correction of the p-values of the pairs i < j, mirrored; 1 on the diagonal.
Matrix holm(const Matrix& p_values);

}  // namespace spodnet
