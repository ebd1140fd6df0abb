#pragma once

#include <functional>
#include <vector>

#include "spodnet/core/status.hpp"
#include "spodnet/core/types.hpp"

namespace spodnet {

/// A precision matrix of correlations S: symmetric, SPD.
using EstimateGraph = std::function<Matrix(const Matrix& S)>;

/// Variables whose graph is sparse given a few factors that were not measured:
///   x = Lambda f + e,   f ~ N(0, I),   e ~ N(0, A^{-1}).
struct FactorGraph {
  Matrix A;       ///< precision given the factors: SPD, zeros where the estimate has them
  Matrix Lambda;  ///< loadings, p x factors
  Matrix Theta;   ///< (A^{-1} + Lambda Lambda')^{-1}, the precision of x: dense
  Matrix W;       ///< its inverse
  double bic = 0;
  Status status = Status::ok;  ///< not_spd: an estimate had no Cholesky decomposition

  Eigen::Index factors() const { return Lambda.cols(); }
};

/// The fit of S (covariance, any units, of n samples) with this number of factors, by an EM
/// algorithm: maximum-likelihood factor analysis first (A diagonal), then `steps` times
///   B = (I + Lambda' A Lambda)^{-1} Lambda' A,   Lambda = S B' (I - B Lambda + B S B')^{-1},
///   S_e = S - Lambda B S,   A = estimate(S_e),
/// S_e the covariance of e as expected given x. Cost: a few p^3 and as many estimates.
inline constexpr int kGraphSteps = 6;
[[nodiscard]] FactorGraph fit_factor_graph(const MatrixRef& S, double n, Eigen::Index factors,
                                           const EstimateGraph& estimate, int steps = kGraphSteps);

/// How many factors S may have: the correlations' eigenvalues beyond (1 + sqrt(p / n))^2, what
/// unrelated variables reach; at most 8 and p / 4.
[[nodiscard]] Eigen::Index most_factors(const MatrixRef& S, double n);

/// How many numbers the loadings of r factors of p variables are: p r - r (r - 1) / 2.
inline double count_loadings(Eigen::Index p, Eigen::Index r) {
  return double(p) * double(r) - double(r) * double(r - 1) / 2;
}

/// The fit with the smallest BIC of 0, 1, ... most_factors,
///   -2 log-likelihood + (edges + kLoadingCost count_loadings(p, r)) log n,   r factors.
/// Counted like edges, loadings were taken for many sparse graphs that have none.
inline constexpr double kLoadingCost = 1.5;
[[nodiscard]] FactorGraph choose_factor_graph(const MatrixRef& S, double n,
                                              const EstimateGraph& estimate);

/// The same in parts, which may run at the same time: fit(k) for each k < count(), then best(),
/// once.
class FactorGraphChoice {
 public:
  FactorGraphChoice(const MatrixRef& S, double n);

  std::size_t count() const { return fits_.size(); }
  void fit(std::size_t factors, const EstimateGraph& estimate);
  [[nodiscard]] FactorGraph best();

 private:
  double n_;
  Vector scale_;
  Matrix R_;
  std::vector<Matrix> starts_;  ///< loadings
  std::vector<FactorGraph> fits_;
};

}  // namespace spodnet
