#pragma once

#include <optional>

#include "spodnet/problem/estimate.hpp"
#include "spodnet/problem/problem.hpp"

namespace spodnet {

/// Signs s of the variables behind S such that the matrix s_i s_j S_ij does not depend on which of
/// them were recoded x -> -x, nor on units or order: positive along the maximum spanning tree of
/// |correlations|, then turned one by one, the most negative first, until with these signs no
/// variable's correlations sum to less than zero. Equal |correlations| are ordered by the other
/// correlations of their variables. Cost p^2, and p for each variable turned.
Vector canonical_signs(const MatrixRef& S);

/// A problem with its variables in canonical signs, and the way back. It has no samples: the
/// methods that use it go by S and n.
class CanonicalProblem {
 public:
  explicit CanonicalProblem(const Problem& given);
  CanonicalProblem(const CanonicalProblem&) = delete;
  CanonicalProblem& operator=(const CanonicalProblem&) = delete;

  const Problem& problem() const { return problem_; }
  /// An estimate of `problem()` as one of the given problem.
  void undo(Estimate& estimate) const;

 private:
  Vector signs_;
  Problem problem_;
  std::optional<Constraints> constraints_;
};

}  // namespace spodnet
