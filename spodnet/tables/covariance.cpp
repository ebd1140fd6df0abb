#include "spodnet/tables/covariance.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "spodnet/core/error.hpp"

namespace spodnet {
namespace {

constexpr double kSymmetryTolerance = 1e-6;  // single precision files pass, mistakes do not

void check_samples(const MatrixRef& X, const char* where) {
  if (X.rows() < 1 || X.cols() < 1)
    throw Error(fmt::format("{}: X is {} x {}, at least one sample of one variable is needed",
                            where, X.rows(), X.cols()));
  if (X.allFinite()) return;
  for (Eigen::Index i = 0; i < X.rows(); ++i)
    for (Eigen::Index j = 0; j < X.cols(); ++j)
      if (!std::isfinite(X(i, j)))
        throw Error(
            fmt::format("{}: X[{},{}] is {} (counted from 0); drop or fill missing values first",
                        where, i, j, X(i, j)));
}

/// Xᵀ X / n, one triangle computed and mirrored.
Matrix gram(const Matrix& X, const char* where) {
  const Eigen::Index p = X.cols();
  Matrix S = Matrix::Zero(p, p);
  S.selfadjointView<Eigen::Lower>().rankUpdate(X.transpose());
  S.triangularView<Eigen::Lower>() = S / double(X.rows());
  S.triangularView<Eigen::StrictlyUpper>() = S.transpose();
  if (!S.allFinite())
    throw Error(fmt::format("{}: the covariance overflows; rescale the variables", where));
  return S;
}

}  // namespace

Vector column_means(const MatrixRef& X) {
  check_samples(X, "column_means");
  const Eigen::RowVectorXd first = X.row(0);  // differences to it vanish in a constant column
  return (first + (X.rowwise() - first).colwise().mean()).transpose();
}

Matrix empirical_covariance(const MatrixRef& X, const CovarianceOptions& options) {
  constexpr auto where = "empirical_covariance";
  check_samples(X, where);
  if (!options.centred) return gram(X, where);
  Matrix centred = X.rowwise() - X.row(0);
  const Eigen::RowVectorXd mean = centred.colwise().mean();
  centred.rowwise() -= mean;
  return gram(centred, where);
}

Matrix covariance_about(const MatrixRef& X, const Vector& mean) {
  constexpr auto where = "covariance_about";
  check_samples(X, where);
  if (mean.size() != X.cols() || !mean.allFinite())
    throw Error(fmt::format("{}: the mean must hold {} finite values", where, X.cols()));
  return gram(X.rowwise() - mean.transpose(), where);
}

void check_symmetric(const MatrixRef& A, const std::string& where) {
  if (A.rows() < 1 || A.rows() != A.cols())
    throw Error(fmt::format("{}: {} x {} is not a square matrix", where, A.rows(), A.cols()));
  for (Eigen::Index i = 0; i < A.rows(); ++i)
    for (Eigen::Index j = 0; j < A.cols(); ++j)
      if (!std::isfinite(A(i, j)))
        throw Error(fmt::format("{}: entry [{},{}] is {} (counted from 0)", where, i, j, A(i, j)));
  for (Eigen::Index i = 0; i < A.rows(); ++i) {
    if (A(i, i) < 0)
      throw Error(fmt::format("{}: diagonal entry [{},{}] is {}, it cannot be negative", where, i,
                              i, A(i, i)));
    for (Eigen::Index j = 0; j < i; ++j) {
      if (A(i, j) == A(j, i)) continue;
      const double scale =
          std::max({std::sqrt(A(i, i)) * std::sqrt(A(j, j)), std::abs(A(i, j)), std::abs(A(j, i))});
      if (std::abs(A(i, j) - A(j, i)) > kSymmetryTolerance * scale)
        throw Error(fmt::format("{}: not symmetric, [{},{}] is {} but [{},{}] is {}", where, i, j,
                                A(i, j), j, i, A(j, i)));
    }
  }
}

void symmetrise(Eigen::Ref<Matrix> A) {
  for (Eigen::Index i = 0; i < A.rows(); ++i)
    for (Eigen::Index j = 0; j < i; ++j) A(i, j) = A(j, i) = 0.5 * A(i, j) + 0.5 * A(j, i);
}

}  // namespace spodnet
