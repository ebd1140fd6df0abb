#pragma once

#include <concepts>
#include <map>
#include <memory>
#include <vector>

#include "spodnet/layer/spod_layer.hpp"
#include "spodnet/models/chunk.hpp"
#include "spodnet/models/finish_estimate.hpp"
#include "spodnet/models/input_offset.hpp"
#include "spodnet/models/lanes_group.hpp"
#include "spodnet/models/model.hpp"

namespace spodnet {

/// A rule that has an engine of its own in lanes/.
template <class R>
concept HasLanes = std::same_as<typename R::LanesRule, R>;

/// K SpodNet layers of one rule, from W_in = S + a I to (Theta, W): a trainable Model.
template <ColumnRule Rule>
class Network : public Model {
 public:
  static constexpr bool kAnyP = SizeFreeRule<Rule>;

  Network(const ModelConfig& config, Rule rule) : rule_(std::move(rule)) {
    check_network_config(config, kAnyP);
    config_ = config;
    config_.most_parameters = SIZE_MAX;
    if (kAnyP) config_.p = 0;
    options_ = {.scaling = config.scaling, .zeta = config.zeta, .v_min = config.v_min};
    parameters_ = Parameters(network_layout(rule_.layout(), config, kAnyP));
    if constexpr (HasLanes<Rule>) lanes_shape_ = ubg_shape(rule_.layout(), config.p);
  }

  bool has_thresholds() const override { return true; }

  std::unique_ptr<TrainWorkspace> make_workspace() const override {
    return std::make_unique<Workspace>();
  }

  BatchLoss loss_gradient(std::span<const Sample> batch, std::span<double> gradient,
                          ThreadPool& pool, TrainWorkspace& workspace) const override {
    auto& ws = static_cast<Workspace&>(workspace);
    prepare(ws.prepared);
    ws.reserve(*this, std::size_t(pool.size()), batch);
    pool.run(ws.parts.size(), [&](std::size_t c, int worker) {
      const auto part = ws.parts[c];
      const auto losses =
          std::span(ws.losses).subspan(std::size_t(part.data() - batch.data()), part.size());
      WorkerMemory& memory = ws.workers[std::size_t(worker)];
      if (ws.lanes)
        train_lanes(ws.prepared, memory, part, batch.size(), ws.gradients[c], losses);
      else
        train_chunk(ws.prepared, memory.chunk(*this, part[0].p), part, batch.size(),
                    ws.gradients[c], losses);
    });
    const BatchLoss loss = reduce_batch(ws.gradients, ws.losses, gradient);
    if (loss.status != Status::ok) ws.workers.clear();  // what was not finite may still lie there
    return loss;
  }

  Estimate estimate(const MatrixRef& S, double n) const override {
    return estimate_sample(S, n, nullptr);
  }
  bool honours_constraints() const override { return true; }
  Estimate estimate_within(const Constraints& constraints, const MatrixRef& S,
                           double n) const override {
    return estimate_sample(S, n, &constraints);
  }

  const Rule& rule() const { return rule_; }

 protected:
  /// The estimate with constraints, or without where they are null.
  virtual Estimate estimate_sample(const MatrixRef& S, double n,
                                   const Constraints* constraints) const {
    check_covariance(S, config_.p);
    if (constraints) check_constraints(*constraints, std::size_t(S.rows()));
    std::vector<typename Rule::Prepared> prepared;
    prepare(prepared);
    const Matrix input = S;  // contiguous, row-major
    const Sample sample{
        .S = input.data(), .p = std::size_t(S.rows()), .n = n, .constraints = constraints};
    LayerOptions options = options_;
    options.sparsity = run_.sparsity;
    const Estimate quick = walk(prepared, options, sample);
    if (quick.status == Status::ok) return quick;
    options.careful = true;  // rounding won: once more, at any cost
    return walk(prepared, options, sample);
  }

 private:
  /// One thread's memory; the chunk of a size is made when it is first needed.
  struct WorkerMemory {
    static constexpr std::size_t kMostEntries = 1 << 18;  ///< sum of p^2 over the chunks kept

    std::map<std::size_t, Chunk<Rule>> made;
    std::size_t entries = 0;
    LanesGroup lanes;

    Chunk<Rule>& chunk(const Network& net, std::size_t p) {
      const auto found = made.find(p);
      if (found != made.end()) return found->second;
      if (entries + p * p > kMostEntries) made.clear(), entries = 0;
      entries += p * p;
      return made.try_emplace(p, net.rule_, p, net.config_.layers, lockstep<Rule>()).first->second;
    }
  };

  struct Workspace : TrainWorkspace {
    std::vector<typename Rule::Prepared> prepared;
    std::vector<WorkerMemory> workers;
    std::vector<std::span<const Sample>> parts;  ///< how the batch is cut, for any pool size
    std::vector<std::vector<double>> gradients;  ///< one per part
    std::vector<MatrixLoss> losses;
    bool lanes = false;

    void reserve(const Network& net, std::size_t threads, std::span<const Sample> batch) {
      if (workers.size() < threads) workers.resize(threads);
      lanes = net.uses_lanes(batch);
      parts = lanes ? lanes_groups(batch) : equal_parts(batch, lockstep<Rule>());
      gradients.resize(parts.size());
      for (auto& g : gradients) g.assign(net.parameters_.values.size(), 0.0);
      losses.assign(batch.size(), {});
    }
  };

  /// Small UBG problems run with one matrix per vector lane; constraints and the loss of the
  /// support are the layer's.
  bool uses_lanes(std::span<const Sample> batch) const {
    if constexpr (HasLanes<Rule>)
      return none_constrained(batch) && config_.p > 1 && config_.p <= kLanesMaxP &&
             lanes_shape_.lambda_hidden <= 64 && options_.scaling != Scaling::relative &&
             !counts_edges();
    else
      return false;
  }

  /// The lanes engine, then one matrix at a time for those that need more care.
  void train_lanes(const std::vector<typename Rule::Prepared>& prepared, WorkerMemory& memory,
                   std::span<const Sample> samples, std::size_t batch,
                   std::vector<double>& gradient, std::span<MatrixLoss> losses) const {
    memory.lanes.run({.shape = lanes_shape_,
                      .config = config_,
                      .options = options_,
                      .loss = run_.loss,
                      .offset = offset()(samples[0].n, config_.p),
                      .weights = parameters_.values,
                      .size = batch},
                     samples, gradient, losses);
    for (std::size_t s = 0; s < samples.size(); ++s)
      if (losses[s].status != Status::ok)
        train_chunk(prepared, memory.chunk(*this, config_.p), samples.subspan(s, 1), batch,
                    gradient, losses.subspan(s, 1));
  }

  bool counts_edges() const { return support_weight(run_.loss) > 0; }

  /// The loss of one output, and its gradient in the slot's G.
  MatrixLoss begin_backward(Slot& slot, const LayerTape& last, const Sample& sample,
                            std::size_t batch) const {
    const double unit = loss_unit(run_.loss, sample), share = 1 / double(batch);
    const auto norms = slot.adjoint.start(last, sample.Theta_true, 2 * share / unit);
    double loss = norms.difference / unit;
    if (run_.loss == Loss::likelihood)
      loss = slot.adjoint.start_likelihood(last, sample.Theta_true, share) / share;
    if (run_.loss == Loss::balanced) {
      slot.adjoint.scale(1 / (loss + kLeastError));
      loss = std::log(loss + kLeastError);
    }
    if (counts_edges())
      loss += slot.adjoint.add_support(last, sample.Theta_true, support_weight(run_.loss) * share) /
              share;
    return {loss, norms.difference / norms.truth, slot.status, slot.refreshes};
  }

  const double* layer_weights(int k) const { return parameters_.values.data() + layer_offset(k); }
  std::size_t layer_offset(int k) const {
    return config_.tied ? 0 : std::size_t(k) * rule_.layout().size();
  }
  std::size_t offset_terms() const { return network_offset_terms(config_, kAnyP); }
  InputOffset offset() const {
    const std::span<const double> all = parameters_.values;
    return {config_.init_offset,
            config_.learn_offset ? all.last(offset_terms()) : std::span<const double>()};
  }

  void prepare(std::vector<typename Rule::Prepared>& prepared) const {
    prepared.resize(config_.tied ? 1 : std::size_t(config_.layers));
    for (std::size_t k = 0; k < prepared.size(); ++k)
      rule_.prepare(layer_weights(int(k)), prepared[k]);
  }

  void forward(const std::vector<typename Rule::Prepared>& prepared, const LayerOptions& options,
               Chunk<Rule>& chunk, std::span<const Sample> samples) const {
    const SpodLayer<Rule> layer(rule_, options);
    const auto slots = std::span(chunk.slots).first(samples.size());
    for (std::size_t s = 0; s < samples.size(); ++s) {
      if (config_.summary) slots[s].summary = summarize(samples[s].S, samples[s].p);
      const double a = offset()(samples[s].n, samples[s].p, slots[s].summary_numbers());
      slots[s].start(samples[s], a, options, chunk.tapes[0][s]);
    }
    for (int k = 0; k < config_.layers; ++k) {
      const auto tapes = std::span(chunk.tapes[std::size_t(k)]).first(samples.size());
      for (std::size_t s = 0; k > 0 && s < samples.size(); ++s)
        if (slots[s].status == Status::ok)
          slots[s].next_layer(chunk.tapes[std::size_t(k - 1)][s], tapes[s]);
      layer.forward(prepared[config_.tied ? 0 : std::size_t(k)], slots, tapes,
                    chunk.rule_tapes[std::size_t(k)]);
    }
  }

  Estimate walk(const std::vector<typename Rule::Prepared>& prepared, const LayerOptions& options,
                const Sample& sample) const {
    Chunk<Rule> chunk(rule_, sample.p, config_.layers, 1);
    forward(prepared, options, chunk, {&sample, 1});
    return finish_estimate(chunk.slots[0], chunk.tapes_of(0));
  }

  void train_chunk(const std::vector<typename Rule::Prepared>& prepared, Chunk<Rule>& chunk,
                   std::span<const Sample> samples, std::size_t batch,
                   std::vector<double>& gradient, std::span<MatrixLoss> losses) const {
    forward(prepared, options_, chunk, samples);
    const auto slots = std::span(chunk.slots).first(samples.size());
    const auto& last = chunk.tapes.back();
    for (std::size_t s = 0; s < samples.size(); ++s) {
      losses[s] = begin_backward(slots[s], last[s], samples[s], batch);
      if (slots[s].status != Status::ok) return;
    }
    const SpodLayer<Rule> layer(rule_, options_);
    for (int k = config_.layers; k-- > 0;)
      layer.backward(prepared[config_.tied ? 0 : std::size_t(k)], slots,
                     std::span(chunk.tapes[std::size_t(k)]).first(samples.size()),
                     chunk.rule_tapes[std::size_t(k)], gradient.data() + layer_offset(k),
                     k == 0 && !config_.learn_offset);
    if (!config_.learn_offset) return;
    double* d_offset = gradient.data() + gradient.size() - offset_terms();
    for (std::size_t s = 0; s < samples.size(); ++s) {  // d_a = -<G, Theta_in^2>
      chunk.tapes[0][s].restore_input();
      const double d_a = -slots[s].adjoint.inner_with_square(chunk.tapes[0][s].Theta_in);
      offset().backward(samples[s].n, samples[s].p, slots[s].summary_numbers(), d_a, d_offset);
    }
  }

  Rule rule_;
  LayerOptions options_;
  UbgShape lanes_shape_;
};

/// Registers a rule under a name: it then has training, model files and the command line.
template <ColumnRule Rule>
void add_rule(ModelRegistry& registry, const std::string& name) {
  registry.add(name, [](const ModelConfig& config) -> std::unique_ptr<Model> {
    return std::make_unique<Network<Rule>>(
        config, Rule(RuleShape{config.p, config.widths, config.summary}));
  });
}

/// The same with a function that makes the rule, for rules that need more than their shape.
template <class Make>
void add_rule(ModelRegistry& registry, const std::string& name, Make make) {
  using Rule = decltype(make(RuleShape{}));
  registry.add(name, [make](const ModelConfig& config) -> std::unique_ptr<Model> {
    return std::make_unique<Network<Rule>>(
        config, make(RuleShape{config.p, config.widths, config.summary}));
  });
}

}  // namespace spodnet
