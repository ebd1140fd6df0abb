#include "spodnet/models/program_chunk.hpp"

#include <algorithm>
#include <cmath>

#include "spodnet/core/cholesky.hpp"
#include "spodnet/core/products.hpp"
#include "spodnet/models/input_offset.hpp"

namespace spodnet {

std::shared_ptr<const ColumnProgram> PlannedPrograms::get(int k, std::size_t B, std::size_t p,
                                                          Way way) {
  const int which = model_.config().programs.size() > 1 ? k : 0;
  const std::lock_guard lock(door_);
  auto& planned = planned_[{which, B, p, way}];
  if (!planned)
    planned = std::make_shared<const ColumnProgram>(
        model_.program(k), B, p,
        ColumnProgram::Options{.backward = way != Way::there, .covariance = way == Way::back_to_S});
  return planned;
}

ProgramChunk::ProgramChunk(PlannedPrograms& programs, std::size_t B, std::size_t p, Way way)
    : model_(programs.model()), way_(way), B_(B), p_(p) {
  const int K = model_.config().layers;
  const bool back = way != Way::there;
  const int own = back || model_.config().programs.size() > 1 ? K : 1;
  for (int k = 0; k < own; ++k) layers_.emplace_back(programs.get(k, B, p, way), back);
  const std::size_t entries = B * p * p;
  Theta_.assign(std::size_t(back ? K + 1 : 2), std::vector<double>(entries));
  W_ = Theta_;
  if (back) G_.resize(entries);
  if (way == Way::back_to_S) d_S_.resize(entries);
  usable_.assign(std::size_t(K), std::vector<std::uint8_t>(B, 1));
  status_.resize(B), stopped_in_.resize(B), done_.resize(B);
  S_.resize(B), n_.resize(B), constraints_.resize(B);
}

std::size_t ProgramChunk::bytes() const {
  std::size_t total = (Theta_.size() * 2 + 2) * B_ * p_ * p_ * sizeof(double);
  for (const ProgramLayer& layer : layers_) total += layer.bytes();
  return total;
}

double ProgramChunk::offset(const Sample& sample) const {
  const ModelConfig& config = model_.config();
  return InputOffset(config.init_offset,
                     std::span<const double>(values()).last(model_.offset_terms()))(sample.n, p_);
}

/// W = S + a I and its inverse; a matrix that has none is not usable.
void ProgramChunk::start(std::size_t k, const Sample& sample) {
  const auto p = Eigen::Index(p_);
  MatrixMap Theta(Theta_[0].data() + k * p_ * p_, p, p), W(W_[0].data() + k * p_ * p_, p, p);
  W = ConstMatrixMap(sample.S, p, p);
  W.diagonal().array() += offset(sample);
  const bool good = std::isfinite(spd_inverse(W, inverse_));
  status_[k] = good ? Status::ok : Status::not_spd;
  stopped_in_[k] = 0;
  done_[k] = 0;
  if (!good) W = inverse_ = Matrix::Identity(p, p);
  Theta = inverse_;
}

void ProgramChunk::forward(std::span<const Sample> samples, const LayerOptions& options,
                           int layers) {
  samples_.assign(samples.begin(), samples.end());
  bool constrained = false;
  for (std::size_t k = 0; k < B_; ++k) {
    S_[k] = samples[k].S;
    n_[k] = samples[k].n;
    constraints_[k] = samples[k].constraints;
    constrained = constrained || constraints_[k];
    start(k, samples[k]);
  }
  last_ = 0;
  for (int l = 0; l < layers; ++l) {
    const std::size_t in = way_ == Way::there ? std::size_t(l % 2) : std::size_t(l);
    const std::size_t out = way_ == Way::there ? 1 - in : in + 1;
    std::vector<std::uint8_t>& usable = usable_[std::size_t(l)];
    for (std::size_t k = 0; k < B_; ++k) {
      usable[k] = status_[k] == Status::ok;
      if (usable[k]) continue;  // nothing will be written
      std::copy_n(at(Theta_[in], k), p_ * p_, Theta_[out].data() + k * p_ * p_);
      std::copy_n(at(W_[in], k), p_ * p_, W_[out].data() + k * p_ * p_);
    }
    ProgramLayerInput input{.Theta = Theta_[in].data(), .W = W_[in].data(), .S = S_, .n = n_};
    if (constrained) input.constraints = constraints_;
    input.usable = usable.data();
    ProgramLayer& layer = this->layer(l);
    layer.forward(input, options, values().data() + model_.weights_at(l), Theta_[out].data(),
                  W_[out].data());
    for (std::size_t k = 0; k < B_; ++k)
      if (usable[k] && layer.status(k) != Status::ok) {
        status_[k] = layer.status(k);
        stopped_in_[k] = l;
        done_[k] = layer.done(k);
      }
    last_ = out;
  }
}

void ProgramChunk::backward(std::span<double> gradient, std::span<double* const> d_S) {
  const std::size_t entries = p_ * p_;
  for (std::size_t k = 0; k < B_; ++k)
    if (status_[k] != Status::ok) std::fill_n(G(k), entries, 0.0);
  std::vector<double*> raw(d_S.size());
  for (std::size_t k = 0; k < raw.size(); ++k) raw[k] = d_S_.data() + k * entries;
  std::fill(d_S_.begin(), d_S_.end(), 0.0);
  const bool to_start = model_.offset_terms() > 0 || !d_S.empty();
  for (int l = model_.config().layers; l-- > 0;)
    layer(l).backward(values().data() + model_.weights_at(l), G_.data(),
                      W_[std::size_t(l) + 1].data(),
                      {.d_weights = gradient.data() + model_.weights_at(l),
                       .d_Theta = l > 0 || to_start ? G_.data() : nullptr,
                       .d_S = raw});
  for (std::size_t k = 0; k < B_; ++k)
    if (status_[k] == Status::ok) start_backward(k, gradient, d_S.empty() ? nullptr : d_S[k]);
}

void ProgramChunk::start_backward(std::size_t k, std::span<double> gradient, double* d_S) {
  if (model_.offset_terms() == 0 && !d_S) return;
  const auto p = Eigen::Index(p_);
  const Matrix Theta = ConstMatrixMap(at(Theta_[0], k), p, p),
               A = times(Theta, ConstMatrixMap(G(k), p, p));
  if (model_.offset_terms() > 0)  // d_a = -<G, Theta_in^2>
    InputOffset(1, std::span<const double>(values()).last(model_.offset_terms()))
        .backward(samples_[k].n, p_, nullptr, -A.cwiseProduct(Theta).sum(),
                  gradient.data() + gradient.size() - model_.offset_terms());
  if (!d_S) return;
  MatrixMap out(d_S, p, p);
  const ConstMatrixMap read(d_S_.data() + k * p_ * p_, p, p);
  const Matrix of_input = times(A, Theta);
  out += 0.5 * ((read + read.transpose()) - (of_input + of_input.transpose()));
}

}  // namespace spodnet
