#include "python/bindings/core_model.hpp"

#include <algorithm>

#include "spodnet/core/symmetry.hpp"

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
  engine_->backward(symmetric_part(d_Theta), {d_weights, size()}, d_S);
}

const double* ModelWalk::symmetric_part(const double* d_Theta) {
  const std::size_t p = p_, entries = samples_.size() * p * p;
  bool symmetric = true;  // most losses have a symmetric gradient: nothing is copied
  for (std::size_t first = 0; symmetric && first < entries; first += p * p)
    symmetric = finite_and_symmetric(d_Theta + first, p);
  if (symmetric) return d_Theta;
  G_.assign(d_Theta, d_Theta + entries);  // not d_Theta's own memory: others may read it
  for (std::size_t first = 0; first < entries; first += p * p) {
    double* G = G_.data() + first;
    visit_lower(p, [&](std::size_t i, std::size_t j) {
      G[i * p + j] = G[j * p + i] = 0.5 * (G[i * p + j] + G[j * p + i]);
    });
  }
  return G_.data();
}

void ModelWalk::backward_symmetric(const double* d_Theta, double* d_weights) {
  engine_->backward(d_Theta, {d_weights, size()}, nullptr);
}

}  // namespace spodnet
