#include <cmath>
#include <limits>

#include "spodnet/core/cholesky.hpp"
#include "spodnet/core/types.hpp"
#include "spodnet/layer/adjoint_state.hpp"

namespace spodnet {
namespace {

Matrix output_of(const LayerTape& last, std::size_t p) {
  Matrix Theta(p, p);
  for (std::size_t r = 0; r < p; ++r) {
    Theta(r, r) = last.diag_out[r];
    for (std::size_t c = 0; c < r; ++c) Theta(r, c) = Theta(c, r) = last.u[r][c];
  }
  return Theta;
}

}  // namespace

double AdjointState::start_likelihood(const LayerTape& last, const double* Theta_true,
                                      double weight) {
  const std::size_t p = G_.p();
  const Matrix Theta = output_of(last, p);
  Matrix Sigma, W;  // the true covariance and the estimate's
  const double log_det_true =
      spd_inverse(ConstMatrixMap(Theta_true, Theta.rows(), Theta.cols()), Sigma);
  const double log_det = spd_inverse(Theta, W);
  if (!std::isfinite(log_det_true) || !std::isfinite(log_det))
    return std::numeric_limits<double>::quiet_NaN();
  const double share = weight / double(p);
  const Matrix G = share * (Sigma - W);
  G_.assign(G.data(), p);
  const double trace = Sigma.cwiseProduct(Theta).sum();  // both symmetric
  return share * (trace - double(p) + log_det_true - log_det);
}

}  // namespace spodnet
