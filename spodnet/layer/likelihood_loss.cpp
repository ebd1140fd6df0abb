#include <Eigen/Cholesky>
#include <limits>

#include "spodnet/core/types.hpp"
#include "spodnet/layer/adjoint_state.hpp"

namespace spodnet {
namespace {

Matrix output_of(const LayerTape& last, std::size_t p) {
  Matrix Theta(p, p);
  for (std::size_t r = 0; r < p; ++r) {
    const auto i = Eigen::Index(r);
    Theta(i, i) = last.diag_out[r];
    for (std::size_t c = 0; c < r; ++c) Theta(i, Eigen::Index(c)) = last.u[r][c];
  }
  return Theta;  // the lower triangle, all that a Cholesky decomposition reads
}

double log_determinant(const Eigen::LLT<Matrix>& factor) {
  return 2 * factor.matrixLLT().diagonal().array().log().sum();
}

}  // namespace

double AdjointState::start_likelihood(const LayerTape& last, const double* Theta_true,
                                      double weight) {
  const auto p = Eigen::Index(G_.p());
  const Matrix identity = Matrix::Identity(p, p);
  const Eigen::LLT<Matrix> truth(ConstMatrixMap(Theta_true, p, p));
  const Matrix Theta = output_of(last, G_.p());
  const Eigen::LLT<Matrix> estimate(Theta);
  if (truth.info() != Eigen::Success || estimate.info() != Eigen::Success)
    return std::numeric_limits<double>::quiet_NaN();
  const Matrix Sigma = truth.solve(identity);
  const Matrix difference = (weight / double(p)) * (Sigma - estimate.solve(identity));
  for (Eigen::Index r = 0; r < p; ++r)
    for (Eigen::Index c = 0; c < std::min(p, Eigen::Index(TriMatrix::row_end(std::size_t(r)))); ++c)
      G_.row(std::size_t(r))[c] = difference(std::max(r, c), std::min(r, c));
  const double trace = Theta.selfadjointView<Eigen::Lower>().operator*(Sigma).trace();
  return weight / double(p) *
         (trace - double(p) + log_determinant(truth) - log_determinant(estimate));
}

}  // namespace spodnet
