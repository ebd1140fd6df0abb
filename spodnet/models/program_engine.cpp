#include "spodnet/models/program_engine.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>

#include "spodnet/core/error.hpp"
#include "spodnet/core/kernels.hpp"
#include "spodnet/models/chunk.hpp"
#include "spodnet/models/finish_estimate.hpp"
#include "spodnet/problem/builtin.hpp"

namespace spodnet {
namespace {

bool all_finite(std::span<const double> x) {
  double sum = 0;
  for (const double each : x) sum += each;
  return std::isfinite(sum);
}

/// As few parts as `most` allows, all of about one size.
void cut_evenly(std::size_t first, std::size_t count, std::size_t most, std::vector<Part>& out) {
  const std::size_t parts = (count + most - 1) / most;
  for (std::size_t k = 0; k < parts; ++k) {
    const std::size_t begin = count * k / parts, end = count * (k + 1) / parts;
    out.push_back({first + begin, end - begin});
  }
}

}  // namespace

ProgramEngine::ProgramEngine(const ProgramModel& model, const EngineOptions& options)
    : Engine(model), model_(model), team_(team_of(options)), programs_(model) {}

std::size_t ProgramEngine::together(std::size_t p) {
  constexpr std::size_t kEntries = 20'000;  // of all matrices: more outgrow the nearer caches
  return std::clamp<std::size_t>(kEntries / std::max<std::size_t>(p * p, 1), 1, 8);
}

void ProgramEngine::check(const Sample& sample) const {
  check_sample(sample, model_, model_.reads("n"));
}

LayerOptions ProgramEngine::layer_options() const {
  const ModelConfig& config = model_.config();
  return {.scaling = config.scaling, .zeta = config.zeta, .v_min = config.v_min};
}

void ProgramEngine::keep(std::span<const Sample> samples) {
  kept_.assign(samples.begin(), samples.end());
}

std::vector<Part> ProgramEngine::parts(std::span<const std::uint32_t> which,
                                       const Loss& /*loss*/) const {
  std::vector<Part> out;
  for (std::size_t at = 0; at < which.size();) {
    const std::size_t p = kept_[which[at]].p;
    std::size_t end = at + 1;
    while (end < which.size() && kept_[which[end]].p == p) ++end;
    cut_evenly(at, end - at, together(p), out);
    at = end;
  }
  return out;
}

ProgramChunk& ProgramEngine::Memory::chunk(PlannedPrograms& programs, std::size_t B,
                                           std::size_t p) {
  auto& found = chunks[{B, p}];
  if (!found) {
    auto made = std::make_unique<ProgramChunk>(programs, B, p, Way::back);
    if (bytes + made->bytes() > kMostBytes) chunks.clear(), bytes = 0;
    bytes += made->bytes();
    return *(chunks[{B, p}] = std::move(made));
  }
  return *found;
}

void ProgramEngine::part_gradients(std::span<const std::uint32_t> which,
                                   std::span<const Part> parts, const Loss& loss, double divisor,
                                   std::span<double> gradients, std::span<MatrixLoss> losses) {
  workers_.resize(std::max(workers_.size(), std::size_t(team_->size())));
  const std::size_t size = model_.parameters().values.size();
  std::atomic<bool> spoilt = false;
  team_->run(parts.size(), [&](std::size_t k, int worker) {
    std::vector<Sample> samples;
    for (std::size_t s = 0; s < parts[k].count; ++s)
      samples.push_back(kept_[which[parts[k].first + s]]);
    ProgramChunk& chunk =
        workers_[std::size_t(worker)].chunk(programs_, samples.size(), samples[0].p);
    const std::span<double> gradient = gradients.subspan(k * size, size);
    std::fill(gradient.begin(), gradient.end(), 0.0);
    train_part(chunk, samples, loss, divisor, gradient,
               losses.subspan(parts[k].first, parts[k].count));
    if (!all_finite(gradient)) spoilt = true;
    for (const MatrixLoss& each : losses.subspan(parts[k].first, parts[k].count))
      if (each.status != Status::ok || !std::isfinite(each.loss)) spoilt = true;
  });
  if (spoilt) workers_.clear();  // what was not finite may still lie there
}

void ProgramEngine::train_part(ProgramChunk& chunk, std::span<const Sample> samples,
                               const Loss& loss, double divisor, std::span<double> gradient,
                               std::span<MatrixLoss> losses) const {
  chunk.forward(samples, layer_options(), model_.config().layers);
  bool good = true;
  for (std::size_t s = 0; s < samples.size(); ++s) {
    losses[s].status = chunk.status(s);
    good = good && losses[s].status == Status::ok;
    if (!good) continue;
    const auto p = Eigen::Index(samples[s].p);
    const ConstMatrixMap Theta(chunk.Theta(s), p, p), truth(samples[s].Theta_true, p, p);
    const MatrixMap G(chunk.G(s), p, p);
    const auto unit = loss.squared_error_unit(truth);
    const ErrorNorms norms = squared_error(Theta, truth, unit ? 2 / divisor / *unit : 1, G);
    losses[s].loss = unit ? norms.difference / *unit : loss.evaluate(Theta, truth, 1 / divisor, G);
    losses[s].nmse = norms.difference / norms.truth;
  }
  if (good) chunk.backward(gradient, {});
}

std::vector<Estimate> ProgramEngine::estimate(std::span<const Sample> samples,
                                              const EstimateOptions& options) const {
  for (const Sample& sample : samples) check(sample);
  std::vector<Estimate> out(samples.size());
  team_->run(samples.size(),
             [&](std::size_t k, int) { out[k] = estimate_one(samples[k], options); });
  return out;
}

/// Theta checked by Cholesky, W computed from it. Where rounding made it unusable: once more, with
/// care; then the input itself.
Estimate ProgramEngine::estimate_one(const Sample& sample, const EstimateOptions& options) const {
  LayerOptions layer = layer_options();
  layer.sparsity = options.sparsity;
  ProgramChunk chunk(programs_, 1, sample.p, Way::there);
  const auto walk = [&](int layers) {
    chunk.forward({&sample, 1}, layer, layers);
    const auto p = Eigen::Index(sample.p);
    Estimate walked;
    walked.Theta = ConstMatrixMap(chunk.Theta(0), p, p);
    walked.refreshes = 1;  // W is recomputed once before output
    return finish_estimate(std::move(walked), sample.constraints, nullptr);
  };
  const int K = model_.config().layers;
  std::optional<Estimate> out = walk(K);
  if (!out || chunk.status(0) != Status::ok) {
    layer.careful = true;
    out = walk(K);
  }
  if (out && chunk.status(0) == Status::ok) return std::move(*out);
  const Status status = chunk.status(0) == Status::ok ? Status::not_spd : chunk.status(0);
  const std::string place = "layer " + std::to_string(chunk.stopped_in(0)) + " after column " +
                            std::to_string(chunk.done(0));
  const bool at_input = !out && !(out = walk(0));
  if (at_input)
    throw Error(
        "estimate: S + offset I is not numerically positive definite: S must be a covariance "
        "matrix; are its variables of very different scale, standardise them");
  out->status = status;
  out->message = std::string(status == Status::not_spd ? "rounding" : "a NaN or infinity") +
                 " stopped the walk in " + place + "; a positive-definite iterate was kept" +
                 out->message;
  return std::move(*out);
}

void ProgramEngine::forward(std::span<const Sample> samples, double* Theta, double* W,
                            std::span<Status> status) {
  for (const Sample& sample : samples) check(sample);
  const std::size_t p = samples.empty() ? 0 : samples[0].p;
  if (std::any_of(samples.begin(), samples.end(), [&](const Sample& s) { return s.p != p; }))
    throw Error("forward: the matrices of one call must be of one size");
  if (p != walked_p_) walked_.clear();
  std::vector<Part> cut;
  cut_evenly(0, samples.size(), together(p), cut);
  walked_.resize(cut.size());
  for (std::size_t k = 0; k < cut.size(); ++k)
    if (k >= walked_parts_.size() || walked_parts_[k].count != cut[k].count) walked_[k].reset();
  walked_parts_ = cut;
  walked_p_ = p;
  walked_back_ = false;
  team_->run(cut.size(), [&](std::size_t k, int) {
    if (!walked_[k])
      walked_[k] = std::make_unique<ProgramChunk>(programs_, cut[k].count, p, Way::back_to_S);
    walked_[k]->forward(samples.subspan(cut[k].first, cut[k].count), layer_options(),
                        model_.config().layers);
    for (std::size_t s = 0; s < cut[k].count; ++s) {
      const std::size_t at = cut[k].first + s;
      status[at] = walked_[k]->status(s);
      std::copy_n(walked_[k]->Theta(s), p * p, Theta + at * p * p);
      std::copy_n(walked_[k]->W(s), p * p, W + at * p * p);
    }
  });
}

void ProgramEngine::backward(const double* d_Theta, std::span<double> gradient, double* d_S) {
  const std::size_t size = gradient.size(), entries = walked_p_ * walked_p_;
  std::vector<double> rows(walked_parts_.size() * size, 0.0);
  std::fill(gradient.begin(), gradient.end(), 0.0);
  for (const Part& part : walked_parts_)
    if (d_S) std::fill_n(d_S + part.first * entries, part.count * entries, 0.0);
  if (std::exchange(walked_back_, true)) return;  // once for each forward
  team_->run(walked_parts_.size(), [&](std::size_t k, int) {
    const auto [first, count] = walked_parts_[k];
    const std::span<double> row = std::span(rows).subspan(k * size, size);
    std::vector<double*> out;
    for (std::size_t s = 0; d_S && s < count; ++s) out.push_back(d_S + (first + s) * entries);
    std::copy_n(d_Theta + first * entries, count * entries, walked_[k]->G(0));
    walked_[k]->backward(row, out);
    if (!all_finite(row)) walked_[k].reset();  // what was not finite may still lie there
  });
  for (std::size_t k = 0; k < walked_parts_.size(); ++k)
    kernels().add(size, rows.data() + k * size, gradient.data());
}

}  // namespace spodnet
