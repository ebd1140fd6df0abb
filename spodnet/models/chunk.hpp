#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "spodnet/layer/matrix_workspace.hpp"
#include "spodnet/models/engine.hpp"

namespace spodnet {

/// A rule whose network begins with a learned matrix instead of S + a I (SpectralStart).
template <class Rule>
concept HasStart = requires {
  typename Rule::Start;
};

/// What the others have in its place.
struct NoStart {
  struct Tape {};
};

template <class Rule>
struct StartOf {
  using type = NoStart;
};
template <HasStart Rule>
struct StartOf<Rule> {
  using type = typename Rule::Start;
};

/// Working memory of one thread: a few matrices, their tapes for every layer.
template <class Rule>
struct Chunk {
  std::vector<MatrixWorkspace> slots;
  std::vector<std::vector<LayerTape>> tapes;  ///< [layer][slot]
  std::vector<typename Rule::Tape> rule_tapes;
  std::vector<typename StartOf<Rule>::type::Tape> starts;  ///< of each slot
  ThreadPool* pool = nullptr;                              ///< inside one matrix
  bool one_way = false;                                    ///< nothing goes back

  Chunk(const Rule& rule, std::size_t p, int layers, std::size_t count)
      : tapes(std::size_t(layers)), rule_tapes(std::size_t(layers)), starts(count) {
    for (std::size_t s = 0; s < count; ++s) slots.emplace_back(p);
    for (auto& layer : tapes)
      for (std::size_t s = 0; s < count; ++s) layer.emplace_back(p);
    reserve(rule, count, p);
  }

  /// Of one matrix without a way back: one tape for all layers, 3 p^2 numbers in all.
  Chunk(const Rule& rule, std::size_t p, ThreadPool* team)
      : tapes(1), rule_tapes(1), starts(1), pool(team), one_way(true) {
    slots.push_back(MatrixWorkspace::forward_only(p, team));
    tapes[0].push_back(LayerTape::forward_only(p));
    if constexpr (requires { rule.reserve_one_way(rule_tapes[0], p); })
      rule.reserve_one_way(rule_tapes[0], p);
    else
      reserve(rule, 1, p);
  }

  std::size_t tape_of(int layer) const { return std::min(std::size_t(layer), tapes.size() - 1); }

  std::vector<const LayerTape*> tapes_of(std::size_t slot) const {
    std::vector<const LayerTape*> result;
    for (const auto& layer : tapes) result.push_back(&layer[slot]);
    return result;
  }

 private:
  void reserve(const Rule& rule, std::size_t count, std::size_t p) {
    for (auto& tape : rule_tapes) {
      if constexpr (SizeFreeRule<Rule>)
        rule.reserve(tape, count, p);
      else
        rule.reserve(tape, count);
    }
  }
};

// The parts of Network and its engine that do not depend on the rule.

void check_network_config(const ModelConfig& config, bool any_p);
/// The settings that a network with a learned start always has: correlations, a summary, scaling
/// relative to theta_22, no input offset.
ModelConfig started_config(ModelConfig config);
/// Throws Error for a covariance that the model cannot take; `needs_n`: nor without its n.
void check_sample(const Sample& sample, const Model& model, bool needs_n);
/// Parameters of a learned input offset.
std::size_t network_offset_terms(const ModelConfig& config, bool any_p);
/// layers.{k}.* for each layer (one when tied), then init_offset when it is learned.
ParameterLayout network_layout(const ParameterLayout& rule, const ModelConfig& config, bool any_p);
/// A list of kept samples in consecutive parts of at most `size` matrices of one p.
std::vector<Part> equal_parts(std::span<const Sample> kept, std::span<const std::uint32_t> which,
                              std::size_t size);

struct LossOfOutput {
  double loss = 0, nmse = 0;
};
/// Any loss of an output, and weight times its gradient as the adjoint's G.
LossOfOutput evaluate_loss(const Loss& loss, const Matrix& Theta, const ConstMatrixMap& Theta_true,
                           double weight, AdjointState& adjoint);

}  // namespace spodnet
