#include "spodnet/baselines/components.hpp"

#include <algorithm>
#include <numeric>

namespace spodnet {
namespace {

/// Union-find with path halving; the root of a set is its smallest member.
class Sets {
 public:
  explicit Sets(std::size_t count) : parent_(count) {
    std::iota(parent_.begin(), parent_.end(), std::size_t(0));
  }
  std::size_t root(std::size_t i) {
    while (parent_[i] != i) i = parent_[i] = parent_[parent_[i]];
    return i;
  }
  void join(std::size_t i, std::size_t j) {
    i = root(i);
    j = root(j);
    parent_[std::max(i, j)] = std::min(i, j);
    joins_ += i != j;
  }
  bool all_joined() const { return joins_ + 1 >= parent_.size(); }

 private:
  std::vector<std::size_t> parent_;
  std::size_t joins_ = 0;
};

}  // namespace

std::vector<std::vector<Eigen::Index>> glasso_components(const MatrixRef& S,
                                                         const Penalty& penalty) {
  const std::size_t p = std::size_t(S.rows());
  Sets sets(p);
  for (std::size_t i = p; i-- > 0 && !sets.all_joined();)
    for (std::size_t j = 0; j < i; ++j)
      if (S(i, j) > penalty.of_negative(i, j) || -S(i, j) > penalty.of_positive(i, j))
        sets.join(i, j);
  std::vector<std::vector<Eigen::Index>> by_root(p), components;
  for (std::size_t i = 0; i < p; ++i) by_root[sets.root(i)].push_back(Eigen::Index(i));
  for (auto& members : by_root)
    if (!members.empty()) components.push_back(std::move(members));
  std::stable_sort(components.begin(), components.end(),
                   [](const auto& a, const auto& b) { return a.size() > b.size(); });
  return components;
}

}  // namespace spodnet
