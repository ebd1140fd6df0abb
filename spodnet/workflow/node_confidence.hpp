#pragma once

#include <span>
#include <vector>

#include "spodnet/metrics/centrality.hpp"
#include "spodnet/workflow/answer.hpp"
#include "spodnet/workflow/bootstrap.hpp"

namespace spodnet {

/// The measures of every node (metrics/centrality.hpp) of an estimate; S is what it was made from.
Matrix measures_of(const Estimate& estimate, const Matrix& S,
                   std::span<const std::size_t> community);

/// Keeps the measures of resamples, each in its place: add may be called from several threads.
class NodeResamples {
 public:
  NodeResamples(std::size_t resamples, std::span<const std::size_t> community)
      : values_(resamples), community_(community) {}
  void add(std::size_t resample, const Estimate& estimate, const Matrix& S) {
    values_[resample] = measures_of(estimate, S, community_);
  }
  /// low and high of `nodes`: 2.5 % and 97.5 % points over the resamples that were added.
  void fill_ranges(AnswerNodes& nodes) const;
  /// The values of one measure: one list per node of `which`, over the resamples.
  std::vector<std::vector<double>> values(NodeMeasure measure,
                                          const std::vector<std::size_t>& which) const;

 private:
  std::vector<Matrix> values_;  ///< empty where the resample failed
  std::span<const std::size_t> community_;
};

/// For all pairs of the lists (values of one thing over the same resamples): the range of their
/// difference, in the order (0, 1), (0, 2), ...; a and b are the lists' names. Cost: pairs *
/// resamples.
std::vector<AnswerDifference> difference_tests(const std::vector<std::vector<double>>& values,
                                               const std::vector<std::size_t>& names);

}  // namespace spodnet
