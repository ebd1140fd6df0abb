#pragma once

#include <optional>
#include <string>

#include "spodnet/core/parallel.hpp"
#include "spodnet/core/types.hpp"
#include "spodnet/tables/column_kind.hpp"
#include "spodnet/tables/pairwise.hpp"
#include "spodnet/tables/ranks.hpp"
#include "spodnet/tables/repair.hpp"

namespace spodnet {

/// What is done with rows that miss values.
enum class Missing { pairwise, em, drop };

std::string to_string(Missing missing);
Missing missing_from(const std::string& text);  ///< throws Error on an unknown name
RankCorrelation rank_correlation_from(const std::string& text);

struct MomentsOptions {
  Missing missing = Missing::pairwise;        ///< of rows with NaN; `drop` leaves them out
  std::optional<RankCorrelation> ranks = {};  ///< correlations from ranks instead of products
  std::vector<ColumnKind> kinds = {};         ///< one per column; empty: all Gaussian
  ThreadPool* pool = nullptr;                 ///< for pairs of ordered columns
  const Matrix* S_start = nullptr;            ///< of EM, in the units of X, with its mean
  const Vector* mean_start = nullptr;
};

/// Centre, scale and correlations of samples: products, ranks, pairwise or EM (MomentsOptions).
struct Moments {
  Vector mean;       ///< medians with ranks
  Vector scale;      ///< standard deviations, or robust_scale with ranks; 0 for a constant column
  Matrix R;          ///< correlations, unit diagonal, positive semidefinite
  double n = 0;      ///< rows behind an entry of R, on average over the pairs; with EM the values
                     ///< behind a variable, on average; of ordered columns as many rows of the
                     ///< Gaussian variables as have as much information
  double least = 0;  ///< rows behind the entry that has fewest
  Vector information = {};  ///< of each column, what its levels keep of the Gaussian variable
                            ///< behind them (polychoric.hpp); empty: 1 for all
  Repair repair;            ///< of R
  int iterations = 0;       ///< of EM
  bool converged = true;

  Matrix covariance() const;  ///< diag(scale) R diag(scale)
};

/// Moments of X (n x p, finite or NaN). Complete data without ranks: the means and the empirical
/// covariance S, R = S_ij / sqrt(S_ii S_jj). With missing values: pairwise.hpp or em.hpp, ranks by
/// ranks.hpp, kinds by mixed_correlation.hpp; what is measured pair by pair is repaired
/// (repair.hpp). With `weight`, one > 0 per row, each row counts so many times and n is
/// (sum w)^2 / sum w^2 of the rows. EM together with ranks, kinds or weights, weights together with
/// ranks: Error, as are fewer than two rows.
Moments moments(const MatrixRef& X, const MomentsOptions& options = {}, const Vector& weight = {});

/// Moments of the rows whose sums these are (pairwise.hpp), rows less `origin`.
Moments moments_of(const PairSums& sums, const Vector& origin);

/// The rows of X without a missing value.
Matrix complete_rows(const MatrixRef& X);

}  // namespace spodnet
