#include "spodnet/estimators/post_treatment.hpp"

#include <fmt/format.h>

#include <Eigen/Eigenvalues>

#include "spodnet/core/error.hpp"

namespace spodnet {
namespace {

constexpr double kSymmetryTolerance = 1e-6;

void check_symmetric_indefinite(const MatrixRef& Z) {
  if (Z.rows() < 1 || Z.rows() != Z.cols())
    throw Error(fmt::format("project_psd: {} x {} is not a square matrix", Z.rows(), Z.cols()));
  if (!Z.allFinite()) throw Error("project_psd: the matrix holds a value that is not finite");
  const double asymmetry = (Z - Z.transpose()).cwiseAbs().maxCoeff();
  if (asymmetry > kSymmetryTolerance * Z.cwiseAbs().maxCoeff())
    throw Error(
        fmt::format("project_psd: not symmetric, two mirrored entries differ by {}", asymmetry));
}

}  // namespace

Matrix project_psd(const MatrixRef& Z) {
  check_symmetric_indefinite(Z);
  const Matrix symmetric = 0.5 * Z + 0.5 * Z.transpose();
  const Eigen::SelfAdjointEigenSolver<Matrix> eigen(symmetric);
  if (eigen.eigenvalues()[0] >= 0) return symmetric;
  const Matrix half =
      eigen.eigenvectors() * eigen.eigenvalues().cwiseMax(0).cwiseSqrt().asDiagonal();
  Matrix projected = Matrix::Zero(Z.rows(), Z.cols());
  projected.selfadjointView<Eigen::Lower>().rankUpdate(half);
  projected.triangularView<Eigen::StrictlyUpper>() = projected.transpose();
  return projected;
}

Matrix threshold_by_support(const MatrixRef& Theta, const MatrixRef& Z) {
  if (Theta.rows() != Theta.cols() || Z.rows() != Theta.rows() || Z.cols() != Theta.cols())
    throw Error(fmt::format("threshold_by_support: Theta is {} x {}, Z {} x {}: both must be p x p",
                            Theta.rows(), Theta.cols(), Z.rows(), Z.cols()));
  Matrix thresholded = (Z.array() != 0).select(Theta, 0.0);
  thresholded.diagonal() = Theta.diagonal();
  return thresholded;
}

}  // namespace spodnet
