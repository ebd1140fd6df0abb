#include "spodnet/estimators/glasso.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "spodnet/core/error.hpp"
#include "spodnet/estimators/components.hpp"
#include "spodnet/estimators/glasso_solve.hpp"
#include "spodnet/tables/covariance.hpp"

namespace spodnet {
namespace {

using Members = std::vector<Eigen::Index>;

void check_penalty(const MatrixRef& S, const GlassoOptions& options) {
  if (options.penalty.size() == 0) {
    if (!(options.lambda >= 0) || !std::isfinite(options.lambda))
      throw Error(fmt::format("glasso: lambda is {}, it must be a number >= 0", options.lambda));
    return;
  }
  const Matrix& penalty = options.penalty;
  if (penalty.rows() != S.rows() || penalty.cols() != S.cols())
    throw Error(fmt::format("glasso: the penalty is {} x {}, S is {} x {}; they must agree",
                            penalty.rows(), penalty.cols(), S.rows(), S.cols()));
  for (Eigen::Index i = 0; i < S.rows(); ++i)
    for (Eigen::Index j = 0; j < S.cols(); ++j) {
      if (!(penalty(i, j) >= 0) || (i == j && !std::isfinite(penalty(i, j))))
        throw Error(fmt::format("glasso: penalty [{},{}] is {} (counted from 0), it must be >= 0{}",
                                i, j, penalty(i, j), i == j ? " and finite on the diagonal" : ""));
      if (penalty(i, j) != penalty(j, i))
        throw Error(
            fmt::format("glasso: the penalty is not symmetric, [{},{}] is {} but [{},{}] "
                        "is {}",
                        i, j, penalty(i, j), j, i, penalty(j, i)));
    }
}

void check_start(const MatrixRef& S, const Matrix* start, const char* name) {
  if (start && (start->rows() != S.rows() || start->cols() != S.cols() || !start->allFinite()))
    throw Error(fmt::format("glasso: {} is {} x {}, it must be {} x {} and finite", name,
                            start->rows(), start->cols(), S.rows(), S.cols()));
}

void check(const MatrixRef& S, const GlassoOptions& options) {
  check_symmetric(S, "glasso: S");
  check_penalty(S, options);
  if (options.constraints && Eigen::Index(options.constraints->p()) != S.rows())
    throw Error(fmt::format("glasso: the constraints are for {} variables, S has {}",
                            options.constraints->p(), S.rows()));
  check_start(S, options.Theta_start, "Theta_start");
  check_start(S, options.W_start, "W_start");
  if (!(options.tolerance > 0) || !(options.kkt_tolerance > 0) || options.max_iterations < 1)
    throw Error("glasso: tolerance, kkt_tolerance and max_iterations must be positive");
}

double diagonal_penalty(const GlassoOptions& options, Eigen::Index i) {
  if (!options.penalize_diagonal) return 0;
  return options.penalty.size() > 0 ? options.penalty(i, i) : options.lambda;
}

constexpr double kLargestVariance = 1e150;  // its square, and that of its inverse, are numbers

void check_diagonal(const MatrixRef& S, const GlassoOptions& options) {
  for (Eigen::Index i = 0; i < S.rows(); ++i) {
    const double variance = S(i, i) + diagonal_penalty(options, i);
    if (!(variance > 0))
      throw Error(
          fmt::format("glasso: variable {} (counted from 0) has zero variance; drop it", i));
    if (!(variance < kLargestVariance) || !(variance > 1 / kLargestVariance))
      throw Error(
          fmt::format("glasso: variable {} (counted from 0) has a variance of {:.3g}, whose square "
                      "or inverse is beyond the range of numbers; rescale it",
                      i, variance));
  }
}

Matrix block_of(const MatrixRef& A, const Members& members) {
  const Eigen::Index q = Eigen::Index(members.size());
  if (q == A.rows()) return A;
  Matrix block(q, q);
  for (Eigen::Index i = 0; i < q; ++i)
    for (Eigen::Index j = 0; j < q; ++j) block(i, j) = A(members[i], members[j]);
  return block;
}

Penalty penalty_of(const GlassoOptions& options) {
  return {options.lambda, options.penalty.size() > 0 ? &options.penalty : nullptr,
          options.constraints};
}

void constrain(const Penalty& penalty, const Members& members, GlassoComponent& c) {
  const Eigen::Index q = c.S.rows();
  c.lambda_negative = c.lambda;
  for (Eigen::Index i = 0; i < q; ++i)
    for (Eigen::Index j = 0; j < q; ++j) {
      if (i == j) continue;
      c.lambda(i, j) = penalty.of_positive(members[i], members[j]);
      c.lambda_negative(i, j) = penalty.of_negative(members[i], members[j]);
    }
}

/// A start may come from a problem without these constraints.
void drop_forbidden(GlassoComponent& c) {
  const SidedPenalty penalty = c.penalty();
  for (std::size_t i = 0; i < std::size_t(c.S.rows()); ++i)
    for (std::size_t j = 0; j < std::size_t(c.S.rows()); ++j) {
      double& theta = c.Theta_start(i, j);
      if (i != j && !std::isfinite(penalty.on_edge(i, j, theta))) theta = 0;
    }
}

GlassoComponent make_component(const MatrixRef& S, const GlassoOptions& options,
                               const Members& members) {
  const Eigen::Index q = Eigen::Index(members.size());
  GlassoComponent c;
  c.S = block_of(S, members);
  for (Eigen::Index i = 0; i < q; ++i) c.S(i, i) += diagonal_penalty(options, members[i]);
  if (q == 1) return c;
  c.lambda = options.penalty.size() > 0 ? block_of(options.penalty, members)
                                        : Matrix::Constant(q, q, options.lambda);
  if (options.constraints) constrain(penalty_of(options), members, c);
  if (options.Theta_start) {
    c.Theta_start = block_of(*options.Theta_start, members);
    if (options.penalty.size() > 0 || options.constraints) drop_forbidden(c);
  }
  if (options.Theta_start && options.W_start) c.W_start = block_of(*options.W_start, members);
  return c;
}

void scatter(const GlassoResult& part, const Members& members, GlassoResult& result) {
  for (std::size_t i = 0; i < members.size(); ++i)
    for (std::size_t j = 0; j < members.size(); ++j) {
      result.Theta(members[i], members[j]) = part.Theta(i, j);
      result.W(members[i], members[j]) = part.W(i, j);
    }
}

/// Certificates of block-diagonal solutions: sums, maxima, and a root of the sum of squares.
void add(const GlassoResult& part, GlassoResult& result) {
  if (part.status != Status::ok) result.status = part.status;
  result.objective += part.objective;
  result.duality_gap += part.duality_gap;
  result.kkt_residual = std::max(result.kkt_residual, part.kkt_residual);
  result.log_det += part.log_det;
  result.iterations = std::max(result.iterations, part.iterations);
  result.residual = std::hypot(result.residual, part.residual);
}

GlassoResult solve_all(const MatrixRef& S, const GlassoOptions& options) {
  const auto components = glasso_components(S, penalty_of(options));
  if (components.size() == 1) {
    GlassoResult whole = solve_component(make_component(S, options, components[0]), options);
    whole.components = 1;
    return whole;
  }
  GlassoResult result;
  result.components = int(components.size());
  result.Theta = result.W = Matrix::Zero(S.rows(), S.cols());
  std::vector<GlassoResult> parts(components.size());
  const auto solve = [&](std::size_t k, int) {
    GlassoOptions own = options;
    own.tolerance *= double(components[k].size()) / double(S.rows());
    parts[k] = solve_component(make_component(S, options, components[k]), own);
    scatter(parts[k], components[k], result);
    parts[k].Theta.resize(0, 0);
    parts[k].W.resize(0, 0);
  };
  if (options.pool && components.size() > 1) {
    options.pool->run(components.size(), solve);
  } else {
    for (std::size_t k = 0; k < components.size(); ++k) solve(k, 0);
  }
  for (const GlassoResult& part : parts) add(part, result);
  return result;
}

}  // namespace

GlassoResult glasso(const MatrixRef& S, const GlassoOptions& options) {
  check(S, options);
  check_diagonal(S, options);
  if (S == S.transpose()) return solve_all(S, options);
  Matrix symmetric = S;
  symmetrise(symmetric);
  return solve_all(symmetric, options);
}

std::vector<GlassoResult> glasso_path(const MatrixRef& S, std::span<const double> lambdas,
                                      GlassoOptions options) {
  if (options.penalty.size() > 0)
    throw Error("glasso_path: a path needs one lambda for all entries, not a penalty matrix");
  std::vector<GlassoResult> results;
  results.reserve(lambdas.size());
  for (double lambda : lambdas) {
    options.lambda = lambda;
    results.push_back(glasso(S, options));
    options.Theta_start = &results.back().Theta;
    options.W_start = &results.back().W;
  }
  return results;
}

double glasso_lambda_max(const MatrixRef& S, const Constraints* constraints) {
  double largest = 0;
  for (Eigen::Index i = 0; i < S.rows(); ++i)
    for (Eigen::Index j = 0; j < i; ++j)
      if (!constraints || constraints->allow(std::size_t(i), std::size_t(j), -S(i, j)))
        largest = std::max(largest, std::abs(S(i, j)));
  return largest;
}

std::vector<double> log_spaced(double high, double low, int count) {
  std::vector<double> values(count, high);
  for (int k = 1; k < count; ++k)
    values[k] = high * std::pow(low / high, double(k) / double(count - 1));
  return values;
}

}  // namespace spodnet
