#include "spodnet/models/engine.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "spodnet/core/error.hpp"
#include "spodnet/core/kernels.hpp"

namespace spodnet {

BatchLoss Engine::loss_gradient(std::span<const std::uint32_t> which, const Loss& loss,
                                double divisor, std::span<double> gradient) {
  if (gradient.size() != model_.parameters().values.size())
    throw Error("loss_gradient: the gradient has " + std::to_string(gradient.size()) +
                " numbers, the model " + std::to_string(model_.parameters().values.size()));
  const std::vector<Part> cut = parts(which, loss);
  part_gradients_.resize(cut.size() * gradient.size());
  losses_.assign(which.size(), {});
  part_gradients(which, cut, loss, divisor, part_gradients_, losses_);
  return sum_parts(part_gradients_, losses_, divisor, gradient);
}

Estimate Engine::estimate(const MatrixRef& S, double n, const EstimateOptions& options,
                          const Constraints* constraints) const {
  if (S.rows() < 1 || S.rows() != S.cols())
    throw Error("estimate: the covariance is " + std::to_string(S.rows()) + " x " +
                std::to_string(S.cols()) + ": it must be square, with at least one variable");
  const Matrix input = S;  // contiguous, row-major
  const Sample sample{
      .S = input.data(), .p = std::size_t(S.rows()), .n = n, .constraints = constraints};
  return std::move(estimate({&sample, 1}, options).front());
}

std::shared_ptr<ThreadPool> team_of(const EngineOptions& options) {
  if (options.pool) return {options.pool, [](ThreadPool*) {}};  // not owned
  return std::make_shared<ThreadPool>(options.threads);
}

BatchLoss sum_parts(std::span<const double> gradients, std::span<const MatrixLoss> losses,
                    double divisor, std::span<double> gradient) {
  BatchLoss sum;
  const double share = 1 / divisor;
  for (const MatrixLoss& loss : losses) {
    sum.loss += share * loss.loss;
    sum.nmse += share * loss.nmse;
    sum.refreshes += loss.refreshes;
    if (loss.status != Status::ok) sum.status = Status::not_finite;
  }
  std::fill(gradient.begin(), gradient.end(), 0.0);
  for (std::size_t k = 0; k < gradients.size(); k += gradient.size())
    kernels().add(gradient.size(), gradients.data() + k, gradient.data());
  double total = 0;
  for (double g : gradient) total += g * g;
  if (!std::isfinite(sum.loss) || !std::isfinite(total)) sum.status = Status::not_finite;
  return sum;
}

std::vector<std::uint32_t> all_of(std::size_t count) {
  std::vector<std::uint32_t> which(count);
  std::iota(which.begin(), which.end(), 0u);
  return which;
}

}  // namespace spodnet
