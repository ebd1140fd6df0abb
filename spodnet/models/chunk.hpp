#pragma once

#include <span>
#include <vector>

#include "spodnet/layer/slot.hpp"
#include "spodnet/models/model.hpp"

namespace spodnet {

/// Working memory of one thread: a few matrices, their tapes for every layer.
template <class Rule>
struct Chunk {
  std::vector<Slot> slots;
  std::vector<std::vector<LayerTape>> tapes;  ///< [layer][slot]
  std::vector<typename Rule::Tape> rule_tapes;

  Chunk(const Rule& rule, std::size_t p, int layers, std::size_t count)
      : tapes(std::size_t(layers)), rule_tapes(std::size_t(layers)) {
    for (std::size_t s = 0; s < count; ++s) slots.emplace_back(p);
    for (auto& layer : tapes)
      for (std::size_t s = 0; s < count; ++s) layer.emplace_back(p);
    for (auto& tape : rule_tapes) {
      if constexpr (SizeFreeRule<Rule>)
        rule.reserve(tape, count, p);
      else
        rule.reserve(tape, count);
    }
  }

  std::vector<const LayerTape*> tapes_of(std::size_t slot) const {
    std::vector<const LayerTape*> result;
    for (const auto& layer : tapes) result.push_back(&layer[slot]);
    return result;
  }
};

/// Loss of one matrix of a batch.
struct MatrixLoss {
  double loss = 0, nmse = 0;
  Status status = Status::ok;
  int refreshes = 0;
};

/// The parts of Network that do not depend on the rule.
void check_network_config(const ModelConfig& config, bool any_p);
void check_covariance(const MatrixRef& S, std::size_t p);  ///< p = 0: any
/// Throws unless they are for p variables.
void check_constraints(const Constraints& constraints, std::size_t p);
bool none_constrained(std::span<const Sample> batch);
/// Parameters of a learned input offset.
std::size_t network_offset_terms(const ModelConfig& config, bool any_p);
/// layers.{k}.* for each layer (one when tied), then init_offset when it is learned.
ParameterLayout network_layout(const ParameterLayout& rule, const ModelConfig& config, bool any_p);
/// The batch in consecutive parts of at most `size` matrices of one p.
std::vector<std::span<const Sample>> equal_parts(std::span<const Sample> batch, std::size_t size);
/// Mean loss; gradient = sum of the chunks' gradients in index order.
BatchLoss reduce_batch(const std::vector<std::vector<double>>& gradients,
                       std::span<const MatrixLoss> losses, std::span<double> gradient);

}  // namespace spodnet
