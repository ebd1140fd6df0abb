#include "spodnet/tables/coding.hpp"

#include <cmath>
#include <limits>

namespace spodnet {

Vector coding_signs(const MatrixRef& X) {
  Vector signs = Vector::Ones(X.cols());
  for (Eigen::Index j = 0; j < X.cols(); ++j) {
    double first = std::numeric_limits<double>::quiet_NaN();
    for (Eigen::Index i = 0; i < X.rows(); ++i) {
      const double x = X(i, j);
      if (std::isnan(first)) first = x;
      if (std::isnan(x) || x == first) continue;
      if (x < first) signs[j] = -1;
      break;
    }
  }
  return signs;
}

Matrix recoded(const MatrixRef& X, const Vector& signs) { return X * signs.asDiagonal(); }

}  // namespace spodnet
