#pragma once

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <vector>

namespace spodnet {

/// Numbers 0, 1, ... in sets that are joined two by two (union-find with path halving); the root of
/// a set is its smallest member.
class DisjointSets {
 public:
  explicit DisjointSets(std::size_t count) : parent_(count) {
    std::iota(parent_.begin(), parent_.end(), std::size_t(0));
  }

  std::size_t root(std::size_t i) {
    while (parent_[i] != i) i = parent_[i] = parent_[parent_[i]];
    return i;
  }

  /// False when they were in one set already.
  bool join(std::size_t i, std::size_t j) {
    i = root(i), j = root(j);
    parent_[std::max(i, j)] = std::min(i, j);
    return i != j;
  }

 private:
  std::vector<std::size_t> parent_;
};

}  // namespace spodnet
