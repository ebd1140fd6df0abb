#include "spodnet/cuda/cuda_engine.hpp"

#include <algorithm>
#include <cmath>
#include <mutex>

#include "spodnet/core/cholesky.hpp"
#include "spodnet/core/error.hpp"
#include "spodnet/cuda/gpu_autograd.hpp"
#include "spodnet/cuda/gpu_batch.hpp"
#include "spodnet/cuda/shape_of.hpp"
#include "spodnet/models/chunk.hpp"

namespace spodnet {
namespace {

using cuda::GpuAutograd;
using cuda::GpuBatch;
using cuda::KeptSamples;
using cuda::kPartSize;
using cuda::Outcome;
using cuda::trusted;

class CudaEngine final : public Engine {
 public:
  CudaEngine(const Model& model, const cuda::WalkShape& shape, const EngineOptions& options,
             int device)
      : Engine(model),
        device_(device),
        team_(team_of(options)),
        cpu_(model.make_cpu_engine({.pool = team_.get()})),
        entrance_{shape.rule.p == 0, model.config().standardized, model.config().summary,
                  shape.start_terms > 0},
        walk_(model, shape),
        estimates_(model, shape),
        called_(model, shape, entrance_, *cpu_, *team_) {}

  std::string device() const override { return "cuda:" + std::to_string(device_); }

  void keep(std::span<const Sample> samples) override {
    cuda::use_device(device_);
    cpu_->keep(samples);
    samples_.keep(samples, entrance_, *team_);
    units_.clear();
  }

  std::vector<Part> parts(std::span<const std::uint32_t> which, const Loss&) const override {
    std::vector<Part> cut;
    for (std::size_t k = 0; k < which.size(); k += kPartSize)
      cut.push_back({k, std::min(std::size_t(kPartSize), which.size() - k)});
    return cut;
  }

  void part_gradients(std::span<const std::uint32_t> which, std::span<const Part> parts,
                      const Loss& loss, double divisor, std::span<double> gradients,
                      std::span<MatrixLoss> losses) override {
    std::vector<std::uint32_t> list;  // the parts one after the other; only the last may be short
    for (const Part& part : parts)
      list.insert(list.end(), which.begin() + std::ptrdiff_t(part.first),
                  which.begin() + std::ptrdiff_t(part.first + part.count));
    std::vector<MatrixLoss> of_list(list.size());
    std::vector<double> total;
    train(list, loss, divisor, gradients, total, of_list);
    std::size_t k = 0;
    for (const Part& part : parts)
      for (std::size_t s = 0; s < part.count; ++s) losses[part.first + s] = of_list[k++];
  }

  BatchLoss loss_gradient(std::span<const std::uint32_t> which, const Loss& loss, double divisor,
                          std::span<double> gradient) override {
    std::vector<MatrixLoss> losses(which.size());
    train(which, loss, divisor, {}, gradient, losses);
    std::vector<double> whole(gradient.begin(), gradient.end());
    return sum_parts(whole, losses, divisor, gradient);
  }

  std::vector<Estimate> estimate(std::span<const Sample> samples,
                                 const EstimateOptions& options) const override {
    for (const Sample& sample : samples) check_sample(sample, model(), entrance_.framed);
    const std::lock_guard lock(estimating_);
    cuda::use_device(device_);
    std::vector<std::uint32_t> which;
    for (std::size_t k = 0; k < samples.size(); ++k)
      if (!samples[k].constraints && walk_.fits(samples[k].p, false))
        which.push_back(std::uint32_t(k));
    std::vector<Estimate> out(samples.size());
    std::vector<char> done(samples.size(), 0);
    if (!which.empty()) {
      estimated_.keep(samples, entrance_, *team_);
      estimates_.set_weights();
      const auto take = [&](std::size_t row, const Outcome& outcome, const double* Theta,
                            const double* W, ThreadPool* pool) {
        const std::size_t k = which[row];
        done[k] = trusted(outcome) && outcome.residual <= kWorstResidual &&
                  finish(samples[k], outcome, Theta, W, pool, out[k]);
      };
      estimates_.estimate(estimated_, which, options.sparsity, take, *team_);
    }
    for (std::size_t k = 0; k < samples.size(); ++k)
      if (!done[k]) out[k] = std::move(cpu_->estimate(samples.subspan(k, 1), options).front());
    return out;
  }
  using Engine::estimate;

  bool reads_device_memory() const override { return true; }
  void forward(std::span<const Sample> samples, double* Theta, double* W,
               std::span<Status> status) override {
    cuda::use_device(device_);
    called_.forward(samples, Theta, W, status);
  }
  void backward(const double* d_Theta, std::span<double> gradient, double* d_S) override {
    cuda::use_device(device_);
    called_.backward(d_Theta, gradient, d_S);
  }

 private:
  static constexpr double kWorstResidual = 1e-2;

  /// The estimate outside of the frame; false: it is not finite.
  bool finish(const Sample& sample, const Outcome& outcome, const double* Theta, const double* W,
              ThreadPool* pool, Estimate& out) const {
    const auto p = Eigen::Index(sample.p);
    out.Theta = ConstMatrixMap(Theta, p, p);
    out.W = ConstMatrixMap(W, p, p);
    out.residual = outcome.residual;
    out.refreshes = 1;  // W is recomputed once before output
    if (entrance_.framed) {
      const VariableFrame frame(sample.S, sample.p, entrance_.standardized);
      out.Theta = frame.leave_precision(out.Theta);
      out.W = frame.leave_covariance(out.W);
      if (entrance_.standardized) out.residual = inverse_residual(out.Theta, out.W, pool);
    }
    return std::isfinite(out.residual) && out.Theta.allFinite() && out.W.allFinite();
  }

  static ConstMatrixMap truth_of(const KeptSamples::One& one) {
    return {one.host_truth, Eigen::Index(one.p), Eigen::Index(one.p)};
  }

  /// What the squared error of each kept sample is divided by; empty: the loss is another.
  const std::vector<double>& units(const Loss& loss) {
    if (!units_.empty() && loss_ == loss.name()) return units_;
    loss_ = loss.name();
    units_.assign(samples_.size(), 0.0);
    std::vector<char> known(samples_.size(), 0);
    team_->run(samples_.size(), [&](std::size_t k, int) {
      const auto unit = loss.squared_error_unit(truth_of(samples_[k]));
      known[k] = unit.has_value();
      units_[k] = unit.value_or(0.0);
    });
    if (std::find(known.begin(), known.end(), 0) != known.end()) units_.clear();
    return units_;
  }

  /// The gradients of a list: of its parts and of all (each unless empty).
  void train(std::span<const std::uint32_t> list, const Loss& loss, double divisor,
             std::span<double> parts, std::span<double> total, std::span<MatrixLoss> losses) {
    if (list.empty()) return std::fill(total.begin(), total.end(), 0.0);
    cuda::use_device(device_);
    const std::vector<double>& unit = units(loss);
    std::vector<std::uint32_t> which(list.begin(), list.end());
    std::vector<double> factor(list.size());
    std::size_t p = 0;
    for (std::size_t row = 0, fits = 0; row < list.size(); ++row) {
      const KeptSamples::One& one = samples_[list[row]];
      if (one.p != p) p = one.p, fits = walk_.fits(p, true);  // asks the device
      if (one.constrained || !fits) which[row] = GpuBatch::kSkip;
      if (!unit.empty()) factor[row] = 2 / (unit[list[row]] * divisor);
    }
    GpuBatch::LossOf on_host;
    if (unit.empty())
      on_host = [&](std::size_t row, const double* Theta, double* G) {
        losses[row] = host_loss(loss, samples_[list[row]], divisor, Theta, G);
      };
    walk_.set_weights();
    walk_.train(samples_, which, factor, on_host, *team_);
    for (std::size_t row = 0; !unit.empty() && row < list.size(); ++row) {
      const double error = walk_.outcomes()[row].squared_error;
      losses[row] = {.loss = error / unit[list[row]],
                     .nmse = error / samples_[list[row]].squared_truth};
    }
    std::vector<double> tails = redo(list, which, loss, divisor, losses);
    walk_.sum(list.size(), parts, total);
    add_tails(tails, parts, total);
  }

  static MatrixLoss host_loss(const Loss& loss, const KeptSamples::One& one, double divisor,
                              const double* Theta, double* G) {
    const auto p = Eigen::Index(one.p);
    const ConstMatrixMap estimate(Theta, p, p);
    MatrixLoss out;
    out.loss = loss.evaluate(estimate, truth_of(one), 1 / divisor, MatrixMap(G, p, p));
    out.nmse = (estimate - truth_of(one)).squaredNorm() / one.squared_truth;
    return out;
  }

  /// Rows that the device could not do, or not well, by the CPU engine. Returns every row's
  /// gradient of the input's parameters, the last ones.
  std::vector<double> redo(std::span<const std::uint32_t> list,
                           std::span<const std::uint32_t> which, const Loss& loss, double divisor,
                           std::span<MatrixLoss> losses) {
    const auto terms = std::size_t(walk_.shape().tail());
    const bool started = walk_.shape().start_terms > 0;
    std::vector<double> gradient(std::size_t(walk_.shape().parameters));
    std::vector<double> tails = started ? walk_.start_gradients(list.size(), *team_)
                                        : std::vector<double>(list.size() * terms, 0.0);
    for (std::size_t row = 0; row < list.size(); ++row) {
      const Outcome& outcome = walk_.outcomes()[row];
      if (which[row] != GpuBatch::kSkip && trusted(outcome) && std::isfinite(losses[row].loss)) {
        const KeptSamples::One& one = samples_[list[row]];
        if (terms > 0 && !started)
          walk_.offset().backward(one.n, one.p, one.summary.data(), outcome.d_offset,
                                  &tails[row * terms]);
        continue;
      }
      const Part whole{0, 1};
      cpu_->part_gradients(list.subspan(row, 1), {&whole, 1}, loss, divisor, gradient,
                           losses.subspan(row, 1));
      walk_.set_gradient(row, gradient);
      std::copy(gradient.end() - std::ptrdiff_t(terms), gradient.end(), &tails[row * terms]);
    }
    return tails;
  }

  /// The last parameters are the input's: their sums are made here, in index order too.
  void add_tails(std::span<const double> tails, std::span<double> parts,
                 std::span<double> total) const {
    const auto terms = std::size_t(walk_.shape().tail());
    const auto size = std::size_t(walk_.shape().parameters);
    if (terms == 0) return;
    const std::size_t rows = tails.size() / terms, count = (rows + kPartSize - 1) / kPartSize;
    std::vector<double> sums(count * terms, 0.0);
    for (std::size_t k = 0; k < tails.size(); ++k)
      sums[k / terms / kPartSize * terms + k % terms] += tails[k];
    for (std::size_t k = 0; k < sums.size() && !parts.empty(); ++k)
      parts[(k / terms + 1) * size - terms + k % terms] = sums[k];
    if (total.empty()) return;
    std::fill(total.end() - std::ptrdiff_t(terms), total.end(), 0.0);
    for (std::size_t k = 0; k < sums.size(); ++k) total[size - terms + k % terms] += sums[k];
  }

  const int device_;
  std::shared_ptr<ThreadPool> team_;
  std::unique_ptr<Engine> cpu_;
  const cuda::Entrance entrance_;
  KeptSamples samples_;
  GpuBatch walk_;
  std::string loss_;           ///< whose units are known
  std::vector<double> units_;  ///< of the kept samples' squared errors
  mutable std::mutex estimating_;
  mutable KeptSamples estimated_;
  mutable GpuBatch estimates_;
  GpuAutograd called_;
};

}  // namespace

std::vector<std::string> cuda_devices() {
  std::vector<std::string> devices;
  for (int k = 0; k < cuda::device_count(); ++k) devices.push_back(cuda::device_description(k));
  return devices;
}

std::size_t cuda_device_count() { return std::size_t(cuda::device_count()); }

std::size_t cuda_largest_p() { return std::size_t(cuda::kLargestP); }

std::unique_ptr<Engine> make_cuda_engine(const Model& model, const EngineOptions& options,
                                         int device) {
  const auto shape = cuda::shape_of(model);
  if (!shape) return nullptr;
  return std::make_unique<CudaEngine>(model, *shape, options, device);
}

}  // namespace spodnet
