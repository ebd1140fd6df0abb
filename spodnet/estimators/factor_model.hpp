#pragma once

#include <string>
#include <vector>

#include "spodnet/core/status.hpp"
#include "spodnet/core/types.hpp"

namespace spodnet {

/// Which covariances are searched: all SPD matrices, or low rank plus diagonal.
enum class CovarianceModel { full, factor };

/// Graphical models of Hippert-Ferrer et al. (2023), fitted on a Riemannian manifold:
/// E(lliptical) = Student-t with nu degrees of freedom, G(aussian) = the same with nu = 1000;
/// F(actor) = Sigma of low rank plus diagonal. Defaults are EGFM's on the Animals data.
struct FactorModelOptions {
  CovarianceModel model = CovarianceModel::factor;
  std::size_t rank = 10;              ///< k of the factor models, 1 <= k <= p
  std::vector<double> lambda = {10};  ///< fitted in this order, each from the one before
  double nu = 5;
  int iterations = 1000;  ///< limit for each lambda: the models stop early by design
};

FactorModelOptions egfm_options();  ///< k = 10, lambda = 10, nu = 5
FactorModelOptions ggfm_options();  ///< k = 10, lambda = 3.5, nu = 1000
FactorModelOptions egm_options();   ///< lambda = 0, 0.1, 0.2, nu = 5
FactorModelOptions ggm_options();   ///< lambda = 0.075, nu = 1000

struct FactorModelResult {
  Matrix Sigma;          ///< covariance
  Matrix Theta;          ///< its inverse: SPD, with small entries rather than exact zeros
  double objective = 0;  ///< of the last lambda
  double gradient_norm = 0;
  int steps = 0;           ///< of conjugate gradients, all lambdas together
  bool converged = false;  ///< the gradient's norm fell below 1e-6 before the limit
  Status status = Status::ok;
};

/// Fits the model to the rows of X (n x p; the columns' means are removed). Cost per step: a few
/// (p^3 + n p^2). Throws Error on fewer than two samples, constant columns, numbers that are not
/// finite, or options out of range.
[[nodiscard]] FactorModelResult fit_factor_model(const MatrixRef& X,
                                                 const FactorModelOptions& options = {});

}  // namespace spodnet
