#include "spodnet/methods/model_method.hpp"

#include "spodnet/core/error.hpp"

namespace spodnet {

Estimate estimate_problem(const Model& model, const Problem& problem) {
  if (!problem.constraints) return model.estimate(problem.S, problem.n);
  return model.estimate_within(*problem.constraints, problem.S, problem.n);
}

ModelMethod::ModelMethod(std::string name, std::unique_ptr<Model> model)
    : name_(std::move(name)), model_(std::move(model)) {}

bool ModelMethod::scale_thresholds(double sparsity) {
  if (!model_->has_thresholds()) return false;
  model_->run_options().sparsity = sparsity;
  return true;
}

Estimate ModelMethod::estimate(const Problem& problem) const {
  const std::size_t p = model_->config().p;
  if (p > 0 && (problem.S.rows() != Eigen::Index(p) || problem.S.cols() != Eigen::Index(p)))
    throw Error(name_ + ": the model is for p = " + std::to_string(p) +
                " variables, the input has " + std::to_string(problem.S.cols()) +
                ": train one with --p " + std::to_string(problem.S.cols()));
  if (!model_->honours_constraints()) refuse_constraints(problem, name_);
  return estimate_problem(*model_, problem);
}

}  // namespace spodnet
