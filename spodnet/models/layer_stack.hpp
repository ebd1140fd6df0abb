#pragma once

#include <cmath>
#include <concepts>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "spodnet/core/cholesky.hpp"
#include "spodnet/layer/spod_layer.hpp"
#include "spodnet/models/chunk.hpp"
#include "spodnet/models/finish_estimate.hpp"
#include "spodnet/models/framed_sample.hpp"
#include "spodnet/models/input_offset.hpp"
#include "spodnet/models/lanes_group.hpp"

namespace spodnet {

/// A rule that has an engine of its own in vector lanes (ubg_lanes.hpp).
template <class R>
concept HasLanes = std::same_as<typename R::LanesRule, R>;

/// The K layers of a network, forward and backward, on one chunk of matrices: what a thread does.
/// Weights are the model's, in the form `prepare` gives them. With `framed` samples pass a
/// VariableFrame: `estimate` sees to that, forward and backward get them as the network sees them.
template <ColumnRule Rule>
class LayerStack {
 public:
  using Prepared = std::vector<typename Rule::Prepared>;

  LayerStack(const Model& model, const Rule& rule, bool framed)
      : model_(model),
        rule_(rule),
        framed_(framed),
        start_(),
        options_{.scaling = model.config().scaling,
                 .zeta = model.config().zeta,
                 .v_min = model.config().v_min} {
    if constexpr (HasLanes<Rule>) lanes_shape_ = ubg_shape(rule.layout(), model.config().p);
  }

  const Model& model() const { return model_; }
  const ModelConfig& config() const { return model_.config(); }
  const Rule& rule() const { return rule_; }
  bool framed() const { return framed_; }
  const LayerOptions& options() const { return options_; }
  int layers() const { return config().layers; }

  void prepare(Prepared& prepared) const {
    prepared.resize(config().tied ? 1 : std::size_t(layers()));
    for (std::size_t k = 0; k < prepared.size(); ++k)
      rule_.prepare(values().data() + weights_at(int(k)), prepared[k]);
  }

  /// a in W_in = S + a I.
  InputOffset offset() const {
    const std::span<const double> all = values();
    return {config().init_offset,
            config().learn_offset ? all.last(offset_terms()) : std::span<const double>()};
  }

  /// Small UBG problems may run with one matrix per vector lane; constraints are the layer's.
  bool lanes_can() const {
    return HasLanes<Rule> && config().p > 1 && config().p <= kLanesMaxP &&
           lanes_shape_.lambda_hidden <= 64 && config().scaling != Scaling::relative;
  }

  LanesBatch lanes_batch(double n) const {
    return {lanes_shape_, config(), options_, offset()(n, config().p), values()};
  }

  void forward(const Prepared& prepared, const LayerOptions& options, Chunk<Rule>& chunk,
               std::span<const Sample> samples) const {
    const SpodLayer<Rule> layer(rule_, options);
    const auto slots = std::span(chunk.slots).first(samples.size());
    for (std::size_t s = 0; s < samples.size(); ++s) {
      if (config().summary) slots[s].summary = summarize(samples[s].S, samples[s].p);
      if constexpr (HasStart<Rule>) {
        slots[s].start(samples[s], 0, options, chunk.tapes[0][s],
                       start_.forward(values().data() + start_at(), samples[s],
                                      slots[s].summary_numbers(), chunk.starts[s], chunk.pool));
        if (chunk.one_way) chunk.starts[s] = {};  // a large matrix needs the memory
      } else
        slots[s].start(samples[s], offset()(samples[s].n, samples[s].p, slots[s].summary_numbers()),
                       options, chunk.tapes[0][s]);
    }
    for (int k = 0; k < layers(); ++k) {
      const auto tapes = std::span(chunk.tapes[chunk.tape_of(k)]).first(samples.size());
      for (std::size_t s = 0; k > 0 && s < samples.size(); ++s)
        if (slots[s].status == Status::ok)
          slots[s].next_layer(chunk.tapes[chunk.tape_of(k - 1)][s], tapes[s]);
      layer.forward(prepared[config().tied ? 0 : std::size_t(k)], slots, tapes,
                    chunk.rule_tapes[chunk.tape_of(k)]);
    }
  }

  /// From each slot's G = dL/dTheta: adds the gradient of the parameters, and that of S to the
  /// slot's d_S.
  void backward(const Prepared& prepared, Chunk<Rule>& chunk, std::span<const Sample> samples,
                std::span<double> gradient) const {
    const auto slots = std::span(chunk.slots).first(samples.size());
    const SpodLayer<Rule> layer(rule_, options_);
    const bool reads_input = config().learn_offset || slots[0].d_S || HasStart<Rule>;
    for (int k = layers(); k-- > 0;)
      layer.backward(prepared[config().tied ? 0 : std::size_t(k)], slots,
                     std::span(chunk.tapes[std::size_t(k)]).first(samples.size()),
                     chunk.rule_tapes[std::size_t(k)], gradient.data() + weights_at(k),
                     k == 0 && !reads_input);
    for (std::size_t s = 0; reads_input && s < samples.size(); ++s)
      if constexpr (HasStart<Rule>)
        start_.backward(slots[s].adjoint, samples[s], chunk.starts[s],
                        gradient.data() + start_at());
      else
        input_backward(chunk.tapes[0][s], slots[s], samples[s], gradient);
  }

  /// The estimate of one matrix, in memory of its own; a large one on the threads of the pool.
  Estimate estimate(const Prepared& prepared, const Sample& sample,
                    const EstimateOptions& options) const {
    if (!framed_) return estimate_inside(prepared, sample, options);
    FramedSample inside;
    Estimate estimate =
        estimate_inside(prepared, inside.enter(sample, config().standardized), options);
    estimate.Theta = inside.frame().leave_precision(estimate.Theta);
    estimate.W = inside.frame().leave_covariance(estimate.W);
    estimate.residual = inverse_residual(estimate.Theta, estimate.W, options.pool);
    return estimate;
  }

 private:
  Estimate estimate_inside(const Prepared& prepared, const Sample& sample,
                           const EstimateOptions& asked) const {
    LayerOptions options = options_;
    options.sparsity = asked.sparsity;
    std::optional<Estimate> quick = estimate_quickly(prepared, options, sample, asked.pool);
    if (HasStart<Rule> && quick && out_of_bounds(quick->W, sample)) {
      options.bound = kBound;
      std::optional<Estimate> bounded = estimate_quickly(prepared, options, sample, asked.pool);
      options.bound = 0;
      if (bounded && fit(*bounded, sample) > fit(*quick, sample)) quick = std::move(bounded);
    }
    if (quick) return std::move(*quick);
    options.careful = true;  // numerically unusable: once more, at any cost
    Chunk<Rule> chunk(rule_, sample.p, layers(), 1);
    forward(prepared, options, chunk, {&sample, 1});
    return finish_estimate(chunk.slots[0], chunk.tapes_of(0));
  }

  static constexpr double kBound = 2;  ///< of W_jj / S_jj where a walk is repeated in bounds
  static constexpr double kFar = 4, kFewSamples = 10;  ///< when it is

  /// Whether some W_jj is farther from S_jj than n samples leave room for.
  static bool out_of_bounds(const Matrix& W, const Sample& sample) {
    const double far = kFar * std::pow(1 + kFewSamples / sample.n, 2);
    for (std::size_t j = 0; j < sample.p; ++j) {
      const double s = sample.S[j * sample.p + j], w = W(Eigen::Index(j), Eigen::Index(j));
      if (w > far * s || far * w < s) return true;
    }
    return false;
  }

  /// The log-likelihood at S, up to constants.
  static double fit(const Estimate& estimate, const Sample& sample) {
    const auto p = Eigen::Index(sample.p);
    const Eigen::Map<const Matrix> S(sample.S, p, p);
    return spd_log_det(estimate.Theta) - S.cwiseProduct(estimate.Theta).sum();
  }

  const std::vector<double>& values() const { return model_.parameters().values; }
  std::size_t weights_at(int k) const {
    return config().tied ? 0 : std::size_t(k) * rule_.layout().size();
  }
  std::size_t start_at() const {
    return (config().tied ? 1 : std::size_t(layers())) * rule_.layout().size();
  }
  std::size_t offset_terms() const { return network_offset_terms(config(), SizeFreeRule<Rule>); }

  void input_backward(LayerTape& first, MatrixWorkspace& slot, const Sample& sample,
                      std::span<double> gradient) const {
    first.restore_input();
    if (config().learn_offset) {  // d_a = -<G, Theta_in^2>
      const double d_a = -slot.adjoint.inner_with_square(first.Theta_in);
      offset().backward(sample.n, sample.p, slot.summary_numbers(), d_a,
                        gradient.data() + gradient.size() - offset_terms());
    }
    if (slot.d_S) slot.adjoint.add_input_gradient(first.Theta_in, slot.d_S);
  }

  /// Nothing when the walk stopped or its result is no good.
  std::optional<Estimate> estimate_quickly(const Prepared& prepared, const LayerOptions& options,
                                           const Sample& sample, ThreadPool* pool) const {
    std::optional<Estimate> walked;
    {
      Chunk<Rule> chunk(rule_, sample.p, pool);
      forward(prepared, options, chunk, {&sample, 1});
      walked = end_of_walk(chunk.slots[0], chunk.tapes[0][0]);
    }
    return walked ? finish_estimate(std::move(*walked), sample.constraints, pool) : std::nullopt;
  }

  const Model& model_;
  const Rule& rule_;
  const bool framed_;
  UbgShape lanes_shape_ = {};
  const typename StartOf<Rule>::type start_;
  const LayerOptions options_;
};

}  // namespace spodnet
