#include "spodnet/metrics/nmse.hpp"

#include <fmt/format.h>

#include <limits>

#include "spodnet/core/error.hpp"

namespace spodnet {

double nmse(const MatrixRef& Theta, const MatrixRef& Theta_true) {
  if (Theta.rows() != Theta_true.rows() || Theta.cols() != Theta_true.cols())
    throw Error(fmt::format("nmse: the estimate is {} x {}, the truth {} x {}", Theta.rows(),
                            Theta.cols(), Theta_true.rows(), Theta_true.cols()));
  const double size = Theta_true.squaredNorm();
  if (size == 0) return std::numeric_limits<double>::quiet_NaN();
  return (Theta - Theta_true).squaredNorm() / size;
}

}  // namespace spodnet
