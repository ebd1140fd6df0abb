#include "spodnet/estimators/components.hpp"

#include <algorithm>

#include "spodnet/core/disjoint_sets.hpp"

namespace spodnet {

std::vector<std::vector<Eigen::Index>> glasso_components(const MatrixRef& S,
                                                         const Penalty& penalty) {
  const std::size_t p = std::size_t(S.rows());
  DisjointSets sets(p);
  std::size_t joins = 0;
  for (std::size_t i = p; i-- > 0 && joins + 1 < p;)
    for (std::size_t j = 0; j < i; ++j)
      if (S(i, j) > penalty.of_negative(i, j) || -S(i, j) > penalty.of_positive(i, j))
        joins += sets.join(i, j);
  std::vector<std::vector<Eigen::Index>> by_root(p), components;
  for (std::size_t i = 0; i < p; ++i) by_root[sets.root(i)].push_back(Eigen::Index(i));
  for (auto& members : by_root)
    if (!members.empty()) components.push_back(std::move(members));
  std::stable_sort(components.begin(), components.end(),
                   [](const auto& a, const auto& b) { return a.size() > b.size(); });
  return components;
}

}  // namespace spodnet
