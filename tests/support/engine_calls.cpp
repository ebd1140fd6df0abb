#include "support/engine_calls.hpp"

namespace spodnet::test {

BatchLoss loss_gradient(Engine& engine, std::span<const Sample> batch, std::span<double> gradient,
                        const std::string& loss) {
  engine.keep(batch);
  return engine.loss_gradient(all_of(batch.size()), *builtin_loss(loss), double(batch.size()),
                              gradient);
}

BatchLoss loss_gradient(const Model& model, std::span<const Sample> batch,
                        std::span<double> gradient, ThreadPool& pool, const std::string& loss) {
  return loss_gradient(*model.make_cpu_engine({.pool = &pool}), batch, gradient, loss);
}

Estimate estimate(const Model& model, const MatrixRef& S, double n, double sparsity) {
  return model.make_cpu_engine({})->estimate(S, n, {.sparsity = sparsity});
}

Estimate estimate_within(const Model& model, const Constraints& constraints, const MatrixRef& S,
                         double n) {
  return model.make_cpu_engine({})->estimate(S, n, {}, &constraints);
}

}  // namespace spodnet::test
