#include "spodnet/estimators/refit.hpp"

#include <algorithm>
#include <limits>

#include "spodnet/estimators/glasso.hpp"
#include "spodnet/metrics/edge.hpp"
#include "spodnet/tables/covariance.hpp"

namespace spodnet {
namespace {

Matrix penalties_of_graph(const Matrix& graph, const Problem& problem) {
  const Vector scale = problem.S.diagonal().cwiseSqrt();
  Matrix penalty = 3 / std::max(problem.n, 3.0) * scale * scale.transpose();
  symmetrise(penalty);
  for (Eigen::Index i = 0; i < penalty.rows(); ++i)
    for (Eigen::Index j = 0; j < penalty.cols(); ++j)
      if (i != j && !is_edge(graph, i, j)) penalty(i, j) = std::numeric_limits<double>::infinity();
  return penalty;
}

}  // namespace

Estimate refit(const Matrix& graph, const Problem& problem) {
  GlassoOptions options;
  options.penalty = penalties_of_graph(graph, problem);
  options.constraints = problem.constraints;
  options.tolerance = 1e-7;
  options.kkt_tolerance = 1e-5;
  options.pool = problem.pool;
  GlassoResult fit = glasso(problem.S, options);
  Estimate out;
  out.status = fit.status;
  out.residual = fit.residual;
  out.Theta = std::move(fit.Theta);
  out.W = std::move(fit.W);
  return out;
}

}  // namespace spodnet
