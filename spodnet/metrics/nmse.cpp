#include "spodnet/metrics/nmse.hpp"

#include <fmt/format.h>

#include "spodnet/core/error.hpp"

namespace spodnet {

double nmse(const MatrixRef& Theta, const MatrixRef& Theta_true) {
  if (Theta.rows() != Theta_true.rows() || Theta.cols() != Theta_true.cols())
    throw Error(fmt::format("nmse: the estimate is {} x {}, the truth {} x {}", Theta.rows(),
                            Theta.cols(), Theta_true.rows(), Theta_true.cols()));
  return (Theta - Theta_true).squaredNorm() / Theta_true.squaredNorm();
}

}  // namespace spodnet
