#include "spodnet/core/symmetric_eigen.hpp"

#include <Eigen/Eigenvalues>

namespace spodnet {

Status symmetric_eigen(const MatrixRef& A, SymmetricEigen& out) {
  if (!A.allFinite()) return Status::not_finite;
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(A);
  if (solver.info() != Eigen::Success) return Status::not_converged;
  out.V = solver.eigenvectors().transpose();
  out.y = solver.eigenvalues();
  return Status::ok;
}

}  // namespace spodnet
