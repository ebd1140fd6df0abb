#include "spodnet/estimators/clime.hpp"

#include <fmt/format.h>

#include <cmath>

#include "spodnet/core/error.hpp"
#include "spodnet/estimators/clime_column.hpp"
#include "spodnet/estimators/row_covariance.hpp"
#include "spodnet/tables/covariance.hpp"

namespace spodnet {
namespace {

/// How far b and y are from optimal: the definition, column by column.
double violation(const MatrixRef& S, Eigen::Index j, double lambda, const Vector& b,
                 const Vector& y) {
  Vector r = -(S * b), q = S * y;
  r[j] += 1;
  const double objective = b.lpNorm<1>(), bound = y[j] - lambda * y.lpNorm<1>();
  return std::max({r.lpNorm<Eigen::Infinity>() - lambda, q.lpNorm<Eigen::Infinity>() - 1,
                   std::abs(objective - bound) / std::max(1.0, objective), 0.0});
}

void check_clime(const MatrixRef& S, std::span<const double> lambdas) {
  check_symmetric(S, "clime");
  for (Eigen::Index i = 0; i < S.rows(); ++i)
    if (!(S(i, i) > 0))
      throw Error(fmt::format("clime: variable {} (counted from 0) is constant; drop it", i));
  for (std::size_t l = 0; l < lambdas.size(); ++l) {
    if (!(lambdas[l] >= 0 && lambdas[l] < 1))
      throw Error(fmt::format("clime: lambda is {}, it must be in [0, 1)", lambdas[l]));
    if (l > 0 && lambdas[l] > lambdas[l - 1]) throw Error("clime: the lambdas must decrease");
  }
}

}  // namespace

std::vector<ColumnsResult> clime_path(const MatrixRef& S, std::span<const double> lambdas,
                                      ThreadPool* pool) {
  check_clime(S, lambdas);
  const Eigen::Index p = S.rows();
  const ClimeProblem problem(S);
  std::vector<Matrix> columns(lambdas.size(), Matrix(p, p));
  Matrix violations = Matrix::Zero(p, Eigen::Index(lambdas.size()));
  std::vector<char> stopped(lambdas.size() * std::size_t(p));
  for_each(std::size_t(p), pool, [&](std::size_t place) {
    const Eigen::Index j = Eigen::Index(place);
    ClimeColumn column(problem, j);
    for (std::size_t l = 0; l < lambdas.size(); ++l) {
      stopped[l * std::size_t(p) + place] = !column.move_to(lambdas[l]);
      const Vector b = column.primal();
      columns[l].row(j) = b.transpose();
      violations(j, Eigen::Index(l)) = violation(S, j, column.lambda(), b, column.dual());
    }
  });
  std::vector<ColumnsResult> out(lambdas.size());
  for_each(lambdas.size(), pool, [&](std::size_t l) {
    out[l] = join_columns(columns[l], lambdas[l]);
    out[l].violation = violations.col(Eigen::Index(l)).maxCoeff();
    const auto first = stopped.begin() + std::ptrdiff_t(l * std::size_t(p));
    if (std::find(first, first + p, 1) != first + p || !(out[l].violation <= kWorstOfColumns))
      out[l].status = Status::not_converged;
  });
  return out;
}

ColumnsResult clime(const MatrixRef& S, double lambda, ThreadPool* pool) {
  return clime_path(S, {&lambda, 1}, pool).front();
}

double clime_lambda_max(const MatrixRef& S) {
  double largest = 0;
  for (Eigen::Index i = 0; i < S.rows(); ++i)
    for (Eigen::Index j = 0; j < S.cols(); ++j)
      if (i != j) largest = std::max(largest, std::abs(S(i, j)) / S(j, j));
  return largest / (1 + largest);
}

ColumnsCvResult clime_cv(const MatrixRef& X, const ColumnsCvOptions& options) {
  const auto path = [&](const Matrix& S, double, std::span<const double> lambdas) {
    return clime_path(S, lambdas, options.pool);
  };
  return choose_columns(X, clime_lambda_max(empirical_covariance(X)), path, options);
}

}  // namespace spodnet
