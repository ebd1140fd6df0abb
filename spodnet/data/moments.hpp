#pragma once

#include <optional>
#include <string>

#include "spodnet/core/types.hpp"
#include "spodnet/data/ranks.hpp"
#include "spodnet/data/repair.hpp"

namespace spodnet {

/// What is done with rows that miss values.
enum class Missing { pairwise, em, drop };

std::string to_string(Missing missing);
Missing missing_from(const std::string& text);  ///< throws Error on an unknown name
RankCorrelation rank_correlation_from(const std::string& text);

struct MomentsOptions {
  Missing missing = Missing::pairwise;        ///< of rows with NaN; `drop` leaves them out
  std::optional<RankCorrelation> ranks = {};  ///< correlations from ranks instead of products
  const Matrix* S_start = nullptr;            ///< of EM, in the units of X, with its mean
  const Vector* mean_start = nullptr;
};

/// Centre, scale and correlations of samples, by the road the data ask for.
struct Moments {
  Vector mean;         ///< medians with ranks
  Vector scale;        ///< standard deviations, or robust_scale with ranks; 0 for a constant column
  Matrix R;            ///< correlations, unit diagonal, positive semidefinite
  double n = 0;        ///< rows behind an entry of R, on average over the pairs; with EM the values
                       ///< behind a variable, on average
  double least = 0;    ///< rows behind the entry that has fewest
  Repair repair;       ///< of R
  int iterations = 0;  ///< of EM
  bool converged = true;

  Matrix covariance() const;  ///< diag(scale) R diag(scale)
};

/// Moments of X (n x p, finite or NaN). Complete data without ranks: the means and the empirical
/// covariance S, R = S_ij / sqrt(S_ii S_jj). With missing values: pairwise.hpp or em.hpp, ranks by
/// ranks.hpp; what is measured pair by pair is repaired (repair.hpp). EM together with ranks:
/// Error, as are fewer than two rows.
Moments moments(const MatrixRef& X, const MomentsOptions& options = {});

/// The rows of X without a missing value.
Matrix complete_rows(const MatrixRef& X);

}  // namespace spodnet
