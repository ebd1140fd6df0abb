#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "spodnet/core/random.hpp"

namespace spodnet {

/// The alphas of a data set: one value, a list taken in turn, or a range drawn from uniformly.
struct SparsityLevels {
  std::vector<double> values = {0.95};
  bool range = false;  ///< `values` are the two ends of a range

  /// alpha of matrix `index`; draws one number from the stream for a range, none otherwise.
  double at(std::size_t index, RandomStream& random) const;
};

/// Reads `0.95`, a list `0.7,0.95` or a range `0.7:0.95`; throws Error on anything else.
SparsityLevels sparsity_levels_from(const std::string& text);

std::string to_string(const SparsityLevels& levels);

/// Throws Error unless there is a value, all lie in [0, 1] and a range has two ordered ends.
void check_sparsity_levels(const SparsityLevels& levels);

}  // namespace spodnet
