#include "spodnet/estimators/robust_rows.hpp"

#include <cmath>

#include "spodnet/core/products.hpp"
#include "spodnet/estimators/tyler.hpp"
#include "spodnet/tables/ranks.hpp"

namespace spodnet {

Matrix robust_rows(const MatrixRef& X) {
  const TylerResult scatter = tyler(X);
  Matrix Y = X.rowwise() - column_medians(X).transpose();
  const Matrix Theta_Y = times(Y, scatter.Theta);
  const double p = double(X.cols());
  for (Eigen::Index k = 0; k < Y.rows(); ++k) {
    const double distance = Y.row(k).dot(Theta_Y.row(k));
    if (distance > 0) Y.row(k) *= std::sqrt(p / distance);
  }
  Y.rowwise() -= Y.colwise().mean().eval();
  const Vector scale = robust_scale(X);
  for (Eigen::Index j = 0; j < Y.cols(); ++j) {
    const double norm = Y.col(j).norm();
    if (norm > 0) Y.col(j) *= scale[j] * std::sqrt(double(Y.rows())) / norm;
  }
  return Y;
}

}  // namespace spodnet
