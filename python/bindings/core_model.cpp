#include "python/bindings/core_model.hpp"

#include <algorithm>

namespace spodnet {

ModelWalk::ModelWalk(const CoreModel& like, int threads, const std::string& device)
    : model_(builtin_models().make(like.model().config())),
      engine_(make_engine(*model_, {.device = device, .threads = threads})) {}

std::vector<Status> ModelWalk::forward(const double* weights, const double* S, const double* n,
                                       std::size_t count, std::size_t p, double* Theta, double* W) {
  if (weights) std::copy_n(weights, size(), model_->parameters().values.data());
  p_ = p;
  samples_.assign(count, {});
  for (std::size_t k = 0; k < count; ++k) samples_[k] = {.S = S + k * p * p, .p = p, .n = n[k]};
  std::vector<Status> status(count, Status::ok);
  engine_->forward(samples_, Theta, W, status);
  return status;
}

void ModelWalk::backward(const double* d_Theta, double* d_weights, double* d_S) {
  const std::size_t p = p_, entries = samples_.size() * p * p;
  G_.resize(entries);  // not d_Theta's own memory: others may read it
  for (std::size_t first = 0; first < entries; first += p * p)
    for (std::size_t i = 0; i < p; ++i)
      for (std::size_t j = 0; j <= i; ++j)
        G_[first + i * p + j] = G_[first + j * p + i] =
            0.5 * (d_Theta[first + i * p + j] + d_Theta[first + j * p + i]);
  engine_->backward(G_.data(), {d_weights, size()}, d_S);
}

void ModelWalk::backward_symmetric(const double* d_Theta, double* d_weights) {
  engine_->backward(d_Theta, {d_weights, size()}, nullptr);
}

}  // namespace spodnet
