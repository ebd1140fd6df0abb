#pragma once

#include <optional>
#include <string>
#include <vector>

#include "spodnet/metrics/layout.hpp"
#include "spodnet/workflow/answer.hpp"
#include "spodnet/workflow/permutation_test.hpp"
#include "spodnet/workflow/run_context.hpp"

namespace spodnet {

struct DifferenceOptions {
  std::string method = "glasso-ebic";
  std::size_t permutations = 1000;
  std::uint64_t seed = 0;
  double level = 0.05;  ///< below it a corrected p-value counts as a difference
};

/// A group's graph.
struct GroupGraph {
  std::string name;
  double rows = 0;
  Matrix partial;  ///< partial correlations, 1 on the diagonal
  std::size_t edges = 0;
};

/// Two of the groups, by their places, and their test.
struct GroupPair {
  std::size_t a = 0, b = 0;
  PermutationTest test;
};

/// Graphs of several groups and how they differ.
struct Difference {
  std::vector<std::string> names;  ///< of the variables
  std::vector<GroupGraph> groups;
  std::vector<GroupPair> pairs;  ///< every two groups
  double joint = 0;              ///< share each group's covariance borrows from all (joint.hpp)
  std::string method;            ///< of the test: with its lambda fixed
  double level = 0.05;
  Points points;                       ///< one place for each variable in every picture
  std::vector<std::size_t> community;  ///< in the graph of all groups together
  std::vector<AnswerNote> notes;
  bool interrupted = false;
};

/// A graph for each group of the data (rows.group; `names` of the groups) and a permutation test
/// for every two of them. The graphs shown are estimated jointly where that predicts held-out rows
/// better; the tests compare estimates of each group alone, with one method fixed beforehand on all
/// rows (a graphical lasso keeps the lambda it chose there). Error: fewer than two groups.
[[nodiscard]] Difference difference(Prepared data, const std::vector<std::string>& names,
                                    const DifferenceOptions& options, const RunContext& run);

}  // namespace spodnet
