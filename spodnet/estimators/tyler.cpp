#include "spodnet/estimators/tyler.hpp"

#include <fmt/format.h>

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <vector>

#include "spodnet/core/cholesky.hpp"
#include "spodnet/core/error.hpp"
#include "spodnet/core/products.hpp"
#include "spodnet/core/stop.hpp"
#include "spodnet/tables/covariance.hpp"

namespace spodnet {
namespace {

constexpr double kLeastShrinkage = 0.01;

double median(std::vector<double> x) {
  const auto middle = x.begin() + std::ptrdiff_t(x.size() / 2);
  std::nth_element(x.begin(), middle, x.end());
  if (x.size() % 2 == 1) return *middle;
  return (*middle + *std::max_element(x.begin(), middle)) / 2;
}

/// Of a chi-square with p degrees of freedom (Wilson and Hilferty).
double chi_square_median(double p) { return p * std::pow(1 - 2 / (9 * p), 3); }

/// Rows about the medians over the columns' mean absolute deviations; those at the medians go.
struct Centred {
  Matrix Z;
  Vector scale;

  explicit Centred(const MatrixRef& X) : Z(X), scale(X.cols()) {
    for (Eigen::Index j = 0; j < Z.cols(); ++j) {
      const Vector column = Z.col(j);
      Z.col(j).array() -= median({column.begin(), column.end()});
      scale[j] = Z.col(j).cwiseAbs().mean();
      if (!(scale[j] > 0))
        throw Error(fmt::format("tyler: variable {} (counted from 0) is constant; drop it", j));
      Z.col(j) /= scale[j];
    }
    std::vector<Eigen::Index> rows;
    for (Eigen::Index k = 0; k < Z.rows(); ++k)
      if (Z.row(k).squaredNorm() > 0) rows.push_back(k);
    Z = Matrix(Z(rows, Eigen::all));
  }
};

/// sum_k x_k x_k' / d_k, times p / n.
Matrix weighted_scatter(const Matrix& Z, const Vector& d) {
  const Matrix scaled = d.cwiseSqrt().cwiseInverse().asDiagonal() * Z;
  Matrix V = transpose_times(scaled, scaled) * (double(Z.cols()) / double(Z.rows()));
  symmetrise(V);
  return V;
}

double chosen_shrinkage(const Matrix& Z) {
  const double n = double(Z.rows()), p = double(Z.cols());
  const Matrix R = weighted_scatter(Z, Z.rowwise().squaredNorm());
  const double r2 = R.squaredNorm();
  const double above = p * p + (1 - 2 / p) * r2;
  const double below = p * p - n * p - 2 * n + (n + 1 + 2 * (n - 1) / p) * r2;
  return below > 0 ? std::clamp(above / below, kLeastShrinkage, 1.0) : 1.0;
}

Vector distances(const Matrix& Z, const Matrix& V) {
  return solve_half(Eigen::LLT<Matrix>(V), Z.transpose()).colwise().squaredNorm().transpose();
}

}  // namespace

TylerResult tyler(const MatrixRef& X, const TylerOptions& options) {
  if (X.rows() < 2) throw Error("tyler: at least two samples are needed");
  if (!X.allFinite()) throw Error("tyler: the samples have entries that are not finite");
  if (options.shrinkage && !(*options.shrinkage > 0 && *options.shrinkage <= 1))
    throw Error("tyler: the shrinkage lies above 0 and is at most 1");
  const Centred data(X);
  const Eigen::Index p = X.cols();
  TylerResult result;
  result.shrinkage = options.shrinkage.value_or(chosen_shrinkage(data.Z));
  result.status = Status::not_converged;
  Matrix V = Matrix::Identity(p, p);
  while (result.iterations < options.iterations && result.status != Status::ok) {
    leave_if_stopped();
    Matrix next = (1 - result.shrinkage) * weighted_scatter(data.Z, distances(data.Z, V));
    next.diagonal().array() += result.shrinkage;
    next *= double(p) / next.trace();
    if ((next - V).cwiseAbs().maxCoeff() <= options.tol) result.status = Status::ok;
    V = next;
    ++result.iterations;
  }
  const Vector d = distances(data.Z, V);
  const double size = median({d.begin(), d.end()}) / chi_square_median(double(p));
  result.W = size * scaled_both(data.scale, V, data.scale);
  symmetrise(result.W);
  if (!std::isfinite(spd_inverse(result.W, result.Theta))) result.status = Status::not_spd;
  result.residual = inverse_residual(result.Theta, result.W);
  return result;
}

}  // namespace spodnet
