#include "spodnet/tables/tail_factor.hpp"

#include <algorithm>
#include <cmath>

#include "spodnet/core/products.hpp"

namespace spodnet {
namespace {

constexpr double kMostExcess = 50;
constexpr double kLeastColumn = 0.5;  ///< of one column: levels have lighter tails than Gaussians
constexpr Eigen::Index kRowsAtOnce = 4096;

/// X may be large: body gets some rows of it less the mean, and no copy of all of it is made.
template <class Body>
void for_blocks(const MatrixRef& X, const Vector& mean, const Body& body) {
  for (Eigen::Index first = 0; first < X.rows(); first += kRowsAtOnce) {
    const Eigen::Index count = std::min(kRowsAtOnce, X.rows() - first);
    body(Matrix(X.middleRows(first, count).rowwise() - mean.transpose()));
  }
}

/// Moments of standardised columns; a constant column is 0.
struct FourthMoments {
  Matrix S;          ///< correlations
  double norms = 0;  ///< mean |x|^4
  Vector columns;    ///< mean x_j^4

  explicit FourthMoments(const MatrixRef& X)
      : S(Matrix::Zero(X.cols(), X.cols())), columns(Vector::Zero(X.cols())) {
    const double n = double(X.rows());
    const Vector mean = X.colwise().mean();
    Vector scale = Vector::Zero(X.cols());
    for_blocks(X, mean, [&](const Matrix& Z) { scale += Z.colwise().squaredNorm().transpose(); });
    scale = (scale.array() > 0).select((n / scale.array()).sqrt(), 0.0);
    for_blocks(X, mean, [&](Matrix Z) {
      Z.array().rowwise() *= scale.transpose().array();
      S += transpose_times(Z, Z) / n;
      norms += Z.rowwise().squaredNorm().squaredNorm() / n;
      columns += Z.array().square().square().colwise().sum().matrix().transpose() / n;
    });
  }
};

double of_all_entries(const FourthMoments& moments) {
  const double trace = moments.S.trace(), square = moments.S.squaredNorm();
  return (moments.norms - square) / (trace * trace + square);
}

/// Single columns may have very heavy tails: fourth roots keep one of them from speaking for all.
double of_the_diagonal(const FourthMoments& moments) {
  double roots = 0, columns = 0;
  for (const double fourth : moments.columns)
    if (fourth > 0)
      roots += std::sqrt(std::sqrt(std::max(kLeastColumn, (fourth - 1) / 2))), ++columns;
  return std::pow(roots / columns, 4);
}

}  // namespace

double tail_factor(const MatrixRef& X) {
  if (X.rows() < 2 || !X.allFinite()) return 1;
  const FourthMoments moments(X);
  if (!(moments.S.trace() > 0)) return 1;
  return std::clamp(std::max(of_all_entries(moments), of_the_diagonal(moments)), 1.0, kMostExcess);
}

}  // namespace spodnet
