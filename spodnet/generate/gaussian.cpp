#include "spodnet/generate/gaussian.hpp"

#include <fmt/format.h>

#include <Eigen/Cholesky>

#include "spodnet/core/error.hpp"

namespace spodnet {

Matrix sample_gaussian(const MatrixRef& Theta, std::size_t n, RandomStream& random) {
  if (Theta.rows() < 1 || Theta.rows() != Theta.cols())
    throw Error(fmt::format("sample_gaussian: Theta is {} x {}, it must be square and not empty",
                            Theta.rows(), Theta.cols()));
  if (n < 1) throw Error("sample_gaussian: n must be at least 1");
  const Eigen::LLT<Eigen::MatrixXd> cholesky(Theta);
  if (cholesky.info() != Eigen::Success || !Theta.allFinite())
    throw Error("sample_gaussian: Theta is not positive definite");
  Eigen::MatrixXd Xt(Theta.rows(), Eigen::Index(n));  // samples as columns, the solver's layout
  for (double& x : Xt.reshaped()) x = random.normal();
  cholesky.matrixU().solveInPlace(Xt);
  return Xt.transpose();
}

}  // namespace spodnet
