#include "spodnet/core/cholesky.hpp"

#include <Eigen/Cholesky>
#include <cmath>
#include <limits>

#include "spodnet/core/error.hpp"

namespace spodnet {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// L <- lower Cholesky factor of L; returns log det, -infinity on failure.
double factorise(Matrix& L) {
  const Eigen::LLT<Eigen::Ref<Matrix>> cholesky(L);
  if (cholesky.info() != Eigen::Success) return -kInfinity;
  const double logdet = 2 * L.diagonal().array().log().sum();
  return std::isfinite(logdet) ? logdet : -kInfinity;  // a NaN passes Eigen's own test
}

}  // namespace

double spd_log_det(const MatrixRef& A) {
  Matrix L = A;
  return factorise(L);
}

double spd_inverse(const MatrixRef& A, Matrix& inverse) {
  Matrix L = A;
  const double logdet = factorise(L);
  if (logdet == -kInfinity) return logdet;
  Matrix L_inverse = Matrix::Identity(A.rows(), A.cols());
  L.triangularView<Eigen::Lower>().solveInPlace(L_inverse);
  inverse.setZero(A.rows(), A.cols());
  inverse.selfadjointView<Eigen::Lower>().rankUpdate(L_inverse.transpose());
  inverse.triangularView<Eigen::StrictlyUpper>() = inverse.transpose();
  return logdet;
}

double inverse_residual(const MatrixRef& A, const MatrixRef& B) {
  if (A.rows() != A.cols() || B.rows() != A.rows() || B.cols() != A.cols())
    throw Error("inverse_residual: both matrices must be square and of one size");
  double sum = 0;
  Eigen::RowVectorXd row(B.cols());
  for (Eigen::Index i = 0; i < A.rows(); ++i) {
    row.setZero();
    row[i] = -1;
    for (Eigen::Index j = 0; j < A.cols(); ++j)
      if (A(i, j) != 0) row += A(i, j) * B.row(j);
    sum += row.squaredNorm();
  }
  return std::sqrt(sum);
}

}  // namespace spodnet
