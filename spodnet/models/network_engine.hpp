#pragma once

#include <algorithm>
#include <atomic>
#include <cmath>
#include <map>
#include <memory>
#include <vector>

#include "spodnet/core/cholesky.hpp"
#include "spodnet/core/error.hpp"
#include "spodnet/models/cpu_forward_backward.hpp"

namespace spodnet {

/// K layers of one rule on the CPU: the layer, and for small UBG problems the lanes (one matrix per
/// vector lane) with the layer for each matrix that needs more care.
template <ColumnRule Rule>
class NetworkEngine final : public Engine {
 public:
  /// `framed`: every sample passes a VariableFrame.
  NetworkEngine(const Model& model, const Rule& rule, bool framed, const EngineOptions& options)
      : Engine(model),
        stack_(model, rule, framed),
        team_(team_of(options)),
        walked_(stack_, *team_) {}

  std::string device() const override { return "cpu"; }

  void keep(std::span<const Sample> samples) override {
    kept_.assign(samples.begin(), samples.end());
  }

  std::vector<Part> parts(std::span<const std::uint32_t> which, const Loss& loss) const override {
    return uses_lanes(which, loss) ? lanes_groups(which.size())
                                   : equal_parts(kept_, which, lockstep<Rule>());
  }

  void part_gradients(std::span<const std::uint32_t> which, std::span<const Part> parts,
                      const Loss& loss, double divisor, std::span<double> gradients,
                      std::span<MatrixLoss> losses) override {
    stack_.prepare(prepared_);
    workers_.resize(std::max(workers_.size(), std::size_t(team_->size())));
    const bool lanes = uses_lanes(which, loss);
    const std::size_t size = values().size();
    std::atomic<bool> spoilt = false;
    team_->run(parts.size(), [&](std::size_t k, int worker) {
      const BatchShare share{loss, divisor, gradients.subspan(k * size, size),
                             losses.subspan(parts[k].first, parts[k].count)};
      WorkerMemory& memory = workers_[std::size_t(worker)];
      const auto samples = gather(which.subspan(parts[k].first, parts[k].count), memory);
      std::fill(share.gradient.begin(), share.gradient.end(), 0.0);
      if (lanes)
        train_lanes(memory, samples, share);
      else
        train_chunk(memory.chunk(*this, samples[0].p), samples, share);
      if (!share.usable()) spoilt = true;
    });
    if (spoilt) workers_.clear();  // what was not finite may still lie there
  }

  std::vector<Estimate> estimate(std::span<const Sample> samples,
                                 const EstimateOptions& options) const override {
    for (const Sample& sample : samples) check_sample(sample, model(), stack_.framed());
    typename LayerStack<Rule>::Prepared prepared;
    stack_.prepare(prepared);
    std::vector<Estimate> out(samples.size());
    const auto one = [&](std::size_t k, int) {
      out[k] = stack_.estimate(prepared, samples[k], options);
    };
    if (samples.size() == 1)
      one(0, 0);
    else
      team_->run(samples.size(), one);
    return out;
  }
  using Engine::estimate;

  void forward(std::span<const Sample> samples, double* Theta, double* W,
               std::span<Status> status) override {
    for (const Sample& sample : samples) check_sample(sample, model(), stack_.framed());
    const std::size_t p = samples.empty() ? 0 : samples[0].p;
    if (std::any_of(samples.begin(), samples.end(), [&](const Sample& s) { return s.p != p; }))
      throw Error("forward: the matrices of one call must be of one size");
    walked_.forward(samples, Theta, W, status);
  }

  void backward(const double* d_Theta, std::span<double> gradient, double* d_S) override {
    if (d_S && !CovarianceGradientRule<Rule>)
      throw Error("model " + model().config().model + ": it has no gradient of the covariance S");
    walked_.backward(d_Theta, gradient, d_S);
  }

 private:
  /// What the parts of a batch have in common, and where one part's results go.
  struct BatchShare {
    const Loss& loss;
    double divisor = 1;
    std::span<double> gradient;
    std::span<MatrixLoss> losses;

    BatchShare only(std::size_t s) const { return {loss, divisor, gradient, losses.subspan(s, 1)}; }
    bool usable() const {
      double sum = 0;
      for (const double g : gradient) sum += g;
      return std::isfinite(sum) &&
             std::all_of(losses.begin(), losses.end(), [](const MatrixLoss& each) {
               return each.status == Status::ok && std::isfinite(each.loss);
             });
    }
  };

  /// One thread's memory; the chunk of a size is made when it is first needed.
  struct WorkerMemory {
    static constexpr std::size_t kMostEntries = 1 << 18;  ///< sum of p^2 over the chunks kept

    std::map<std::size_t, Chunk<Rule>> made;
    std::size_t entries = 0;
    LanesGroup lanes;
    std::vector<Sample> samples;
    std::vector<FramedSample> framed;

    Chunk<Rule>& chunk(const NetworkEngine& engine, std::size_t p) {
      const auto found = made.find(p);
      if (found != made.end()) return found->second;
      if (entries + p * p > kMostEntries) made.clear(), entries = 0;
      entries += p * p;
      return made.try_emplace(p, engine.stack_.rule(), p, engine.stack_.layers(), lockstep<Rule>())
          .first->second;
    }
  };

  const ModelConfig& config() const { return model().config(); }
  const std::vector<double>& values() const { return model().parameters().values; }

  /// The samples of a part as the network sees them.
  std::span<const Sample> gather(std::span<const std::uint32_t> which, WorkerMemory& memory) const {
    memory.samples.clear();
    if (stack_.framed() && memory.framed.size() < which.size()) memory.framed.resize(which.size());
    for (std::size_t s = 0; s < which.size(); ++s) {
      const Sample& sample = kept_[which[s]];
      memory.samples.push_back(
          stack_.framed() ? memory.framed[s].enter(sample, config().standardized) : sample);
    }
    return memory.samples;
  }

  /// Small UBG problems run with one matrix per vector lane; constraints and losses other than a
  /// squared error are the layer's.
  bool uses_lanes(std::span<const std::uint32_t> which, const Loss& loss) const {
    static constexpr double one = 1;  // the samples of other processes have no matrices here
    return stack_.lanes_can() && !which.empty() &&
           std::all_of(which.begin(), which.end(),
                       [&](std::uint32_t k) { return kept_[k].constraints == nullptr; }) &&
           loss.squared_error_unit(ConstMatrixMap(&one, 1, 1)).has_value();
  }

  static ConstMatrixMap true_of(const Sample& sample) {
    return {sample.Theta_true, Eigen::Index(sample.p), Eigen::Index(sample.p)};
  }

  /// The lanes, then one matrix at a time for those that need more care.
  void train_lanes(WorkerMemory& memory, std::span<const Sample> samples,
                   const BatchShare& share) const {
    memory.lanes.run(stack_.lanes_batch(samples[0].n), {share.loss, share.divisor}, samples,
                     share.gradient, share.losses);
    for (std::size_t s = 0; s < samples.size(); ++s)
      if (share.losses[s].status != Status::ok)
        train_chunk(memory.chunk(*this, config().p), samples.subspan(s, 1), share.only(s));
  }

  void train_chunk(Chunk<Rule>& chunk, std::span<const Sample> samples,
                   const BatchShare& share) const {
    stack_.forward(prepared_, stack_.options(), chunk, samples);
    for (std::size_t s = 0; s < samples.size(); ++s) {
      share.losses[s] = begin_backward(chunk.slots[s], chunk.tapes.back()[s], samples[s], share);
      if (chunk.slots[s].status != Status::ok) return;
    }
    stack_.backward(prepared_, chunk, samples, share.gradient);
  }

  /// The loss of one output, and its gradient in the slot's G.
  static MatrixLoss begin_backward(MatrixWorkspace& slot, const LayerTape& last,
                                   const Sample& sample, const BatchShare& share) {
    const double weight = 1 / share.divisor;
    const ConstMatrixMap Theta_true = true_of(sample);
    if (const auto unit = share.loss.squared_error_unit(Theta_true)) {
      const auto norms = slot.adjoint.start(last, sample.Theta_true, 2 * weight / *unit);
      return {norms.difference / *unit, norms.difference / norms.truth, slot.status,
              slot.refreshes};
    }
    if (slot.status != Status::ok) return {0, 0, slot.status, slot.refreshes};
    const LossOfOutput out = evaluate_loss(share.loss, slot.state.theta(last, sample.p), Theta_true,
                                           weight, slot.adjoint);
    return {out.loss, out.nmse, slot.status, slot.refreshes};
  }

  const LayerStack<Rule> stack_;
  std::shared_ptr<ThreadPool> team_;
  std::vector<Sample> kept_;
  typename LayerStack<Rule>::Prepared prepared_;
  std::vector<WorkerMemory> workers_;
  CpuForwardBackward<Rule> walked_;
};

}  // namespace spodnet
