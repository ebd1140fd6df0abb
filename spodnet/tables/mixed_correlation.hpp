#pragma once

#include <utility>
#include <vector>

#include "spodnet/core/parallel.hpp"
#include "spodnet/core/types.hpp"
#include "spodnet/tables/column_kind.hpp"

namespace spodnet {

/// Correlations of the Gaussian variables behind columns of different kinds.
struct MixedCorrelation {
  Matrix R;            ///< p x p, unit diagonal; need not be positive semidefinite
  Matrix counts;       ///< rows that have both values (sums of their weights)
  Matrix effective;    ///< rows of the Gaussian variables with as much information on each entry
  Vector information;  ///< of each column: 1, or what the levels of an ordered one keep
};

/// Pairs of two ordered columns: polychoric (polychoric.hpp). An ordered column y with scores s
/// beside another one x: polyserial, corr(x, s(y)) / sqrt(information of y). Others: products,
/// of the normal scores where ranks count. Values missing (NaN) are left out pair by pair. A column
/// that is constant in these rows is uncorrelated. `weight` of each row (empty: all 1; not for
/// ranks). Pairs go to the threads of `pool`; the numbers do not depend on it. Cost: about 1.5 us
/// for each ordered pair of 5 levels, and n p^2.
MixedCorrelation mixed_correlation(const MatrixRef& X, const std::vector<ColumnKind>& kinds,
                                   const Vector& weight = {}, ThreadPool* pool = nullptr);

/// X with the scores of ordered columns (divided by sqrt(information): unit variance) and the
/// normal scores of those whose ranks count, each times its entry of `scale`; Gaussian columns stay
/// as they are.
Matrix gaussian_scores(const MatrixRef& X, const std::vector<ColumnKind>& kinds,
                       const Vector& scale, const Vector& weight = {});

/// Pairs i < j of ordered columns with an empty corner (polychoric.hpp) where independence expects
/// fewer than 8 rows: so few that chance may leave it empty, and the correlation rests on it.
std::vector<std::pair<std::size_t, std::size_t>> pairs_with_empty_corners(
    const MatrixRef& X, const std::vector<ColumnKind>& kinds, const Vector& weight = {});

}  // namespace spodnet
