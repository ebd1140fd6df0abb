#include "spodnet/tables/em.hpp"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <vector>

#include "spodnet/core/cholesky.hpp"
#include "spodnet/core/error.hpp"
#include "spodnet/core/products.hpp"
#include "spodnet/core/stop.hpp"
#include "spodnet/tables/covariance.hpp"
#include "spodnet/tables/pairwise.hpp"
#include "spodnet/tables/repair.hpp"

namespace spodnet {
namespace {

using Indices = std::vector<Eigen::Index>;

constexpr double kFewRows = 2, kManyRows = 10;  // per variable

/// p / (n + p) with few rows, falling to 0 with many.
double shrinkage_for(double n, double p) {
  const double needed = std::clamp((kManyRows * p - n) / ((kManyRows - kFewRows) * p), 0.0, 1.0);
  return needed * p / (n + p);
}

/// Inverse of S shrunk towards its diagonal, at least so much that it is positive definite.
Matrix shrunk_inverse(const Matrix& S, double shrinkage) {
  Matrix Theta;
  for (;; shrinkage = std::max(1e-8, 10 * shrinkage)) {
    Matrix A = (1 - std::min(shrinkage, 1.0)) * S;
    A.diagonal() = S.diagonal();
    if (std::isfinite(spd_inverse(A, Theta))) return Theta;
    if (shrinkage >= 1)
      throw Error("em_covariance: a variable is constant or not finite; leave it out");
  }
}

/// Fills `x`'s missing entries with their expectation; adds their conditional covariance.
void expect_row(Eigen::Ref<Eigen::RowVectorXd> x, const Indices& missing, const Vector& mean,
                const Matrix& Theta, Matrix* covariance) {
  Vector d = x.transpose() - mean;
  for (const Eigen::Index j : missing) d[j] = 0;
  const Matrix Theta_mm = Theta(missing, missing);
  const Eigen::LLT<Matrix> solver(Theta_mm);
  const Vector shift = solver.solve(Matrix(Theta(missing, Eigen::all)) * d);
  for (std::size_t k = 0; k < missing.size(); ++k)
    x[missing[k]] = mean[missing[k]] - shift[Eigen::Index(k)];
  if (!covariance) return;
  const Matrix C = solve(solver, Matrix::Identity(Theta_mm.rows(), Theta_mm.cols()));
  for (std::size_t a = 0; a < missing.size(); ++a)
    for (std::size_t b = 0; b < missing.size(); ++b)
      (*covariance)(missing[a], missing[b]) += C(Eigen::Index(a), Eigen::Index(b));
}

std::vector<Indices> missing_entries(const MatrixRef& X) {
  std::vector<Indices> rows(std::size_t(X.rows()));
  for (Eigen::Index i = 0; i < X.rows(); ++i)
    for (Eigen::Index j = 0; j < X.cols(); ++j)
      if (std::isnan(X(i, j))) rows[std::size_t(i)].push_back(j);
  return rows;
}

/// All rows filled; `covariance` (or null) gathers what is uncertain about them.
Matrix expected_rows(const MatrixRef& X, const std::vector<Indices>& missing, const Vector& mean,
                     const Matrix& Theta, Matrix* covariance) {
  Matrix filled = X;
  for (Eigen::Index i = 0; i < X.rows(); ++i) {
    leave_if_stopped();
    if (!missing[std::size_t(i)].empty())
      expect_row(filled.row(i), missing[std::size_t(i)], mean, Theta, covariance);
  }
  return filled;
}

EmResult start(const MatrixRef& X, const EmOptions& options) {
  EmResult out;
  PairwiseCorrelation pairs = pairwise_correlation(X);
  repair_correlation(pairs.R);
  out.mean = options.mean_start ? *options.mean_start : pairs.mean;
  out.S = options.S_start ? *options.S_start : scaled_both(pairs.scale, pairs.R, pairs.scale);
  return out;
}

/// Largest change of an entry in units of the standard deviations.
double largest_change(const Matrix& S, const Matrix& S_next) {
  const Vector scale = S_next.diagonal().cwiseSqrt().cwiseInverse();
  return scaled_both(scale, S_next - S, scale).cwiseAbs().maxCoeff();
}

}  // namespace

EmResult em_covariance(const MatrixRef& X, const EmOptions& options) {
  const std::vector<Indices> missing = missing_entries(X);
  EmResult out = start(X, options);
  out.status = Status::not_converged;
  const double shrinkage = shrinkage_for(double(X.rows()), double(X.cols()));
  while (out.iterations < options.max_iterations && out.status != Status::ok) {
    ++out.iterations;
    Matrix uncertain = Matrix::Zero(X.cols(), X.cols());
    const Matrix filled =
        expected_rows(X, missing, out.mean, shrunk_inverse(out.S, shrinkage), &uncertain);
    Matrix S_next = empirical_covariance(filled) + uncertain / double(X.rows());
    symmetrise(S_next);
    if (largest_change(out.S, S_next) <= options.tolerance) out.status = Status::ok;
    out.S = std::move(S_next);
    out.mean = column_means(filled);
  }
  return out;
}

Matrix fill_missing(const MatrixRef& X, const Vector& mean, const Matrix& S) {
  const double n = double(X.rows()), p = double(X.cols());
  const double shrinkage = n < kFewRows * p ? shrinkage_for(n, p) : 0;
  return expected_rows(X, missing_entries(X), mean, shrunk_inverse(S, shrinkage), nullptr);
}

}  // namespace spodnet
