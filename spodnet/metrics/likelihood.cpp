#include "spodnet/metrics/likelihood.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <numbers>

#include "spodnet/core/cholesky.hpp"
#include "spodnet/core/error.hpp"
#include "spodnet/metrics/spectrum.hpp"
#include "spodnet/tables/covariance.hpp"

namespace spodnet {

double log_likelihood(const MatrixRef& S, const MatrixRef& Theta) {
  const Eigen::Index p = Theta.rows();
  if (S.rows() != p || S.cols() != p || Theta.cols() != p)
    throw Error(fmt::format("log_likelihood: S is {} x {}, Theta {} x {}: both must be p x p",
                            S.rows(), S.cols(), p, Theta.cols()));
  if (!is_spd(Theta)) return -std::numeric_limits<double>::infinity();
  return log_likelihood(S, Theta, spd_log_det(Theta));
}

double log_likelihood(const MatrixRef& S, const MatrixRef& Theta, double log_det) {
  const double trace = S.cwiseProduct(Theta).sum();  // both symmetric
  return 0.5 * (log_det - trace - double(Theta.rows()) * std::log(2 * std::numbers::pi));
}

double held_out_log_likelihood(const MatrixRef& X, const Vector& mean, const MatrixRef& Theta) {
  return log_likelihood(covariance_about(X, mean), Theta);
}

}  // namespace spodnet
