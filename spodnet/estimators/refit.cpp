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

class Refitted final : public Method {
 public:
  explicit Refitted(std::shared_ptr<const Method> inner) : inner_(std::move(inner)) {}
  std::string name() const override { return inner_->name() + ", refitted"; }
  bool needs_samples() const override { return inner_->needs_samples(); }
  bool honours_constraints() const override { return inner_->honours_constraints(); }
  Estimate estimate(const Problem& problem) const override {
    Estimate out = inner_->estimate(problem);
    refit(problem, out);
    return out;
  }
  std::vector<Estimate> estimate_all(std::span<const Problem> problems,
                                     ThreadPool* pool) const override {
    std::vector<Estimate> out = inner_->estimate_all(problems, pool);
    for_each(out.size(), pool, [&](std::size_t k) { refit(problems[k], out[k]); });
    return out;
  }

 private:
  void refit(const Problem& problem, Estimate& out) const {
    if (!is_sound(out.status)) return;
    Estimate fit = spodnet::refit(out.Theta, problem);
    if (fit.status != Status::ok) {
      out.status = fit.status;
      out.message = name() + ": the fit did not converge";
    }
    out.residual = fit.residual;
    out.Theta = std::move(fit.Theta);
    out.W = std::move(fit.W);
  }

  std::shared_ptr<const Method> inner_;
};

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

std::unique_ptr<Method> refitted(std::shared_ptr<const Method> method) {
  return std::make_unique<Refitted>(std::move(method));
}

}  // namespace spodnet
