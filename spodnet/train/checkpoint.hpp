#pragma once

#include <cstdint>
#include <filesystem>
#include <limits>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "spodnet/core/parallel.hpp"
#include "spodnet/models/model.hpp"
#include "spodnet/problem/sample.hpp"
#include "spodnet/train/adam.hpp"
#include "spodnet/train/history.hpp"

namespace spodnet {

/// Where a training stands between two steps; with the weights, all that the rest depends on.
/// The shuffle needs no state of its own: epoch e is shuffled by the stream (seed, e).
struct TrainState {
  std::uint64_t epoch = 0;            ///< complete epochs
  std::uint64_t batch = 0;            ///< batches done of the next one ...
  std::uint64_t bad_batches = 0;      ///< ... those of them left out ...
  double loss_sum = 0, nmse_sum = 0;  ///< ... and the sums over the others
  AdamState adam;
  std::vector<double> good;  ///< the last weights whose loss and gradient were finite
  std::vector<double> best;  ///< the weights of the best epoch; empty before the first
  double best_nmse = std::numeric_limits<double>::infinity();
  std::uint64_t best_epoch = 0;
  std::uint64_t refreshes = 0, skipped = 0;  ///< of W; batches, in all
  History history;
  double seconds = 0;       ///< of the whole training so far
  double step_seconds = 0;  ///< of the steps alone
};

/// What must be the same for a training to go on: settings, data and first weights, as text.
using TrainIdentity = std::map<std::string, std::string>;

/// 64-bit digest of every number of the samples, in order.
std::string data_digest(std::span<const Sample> samples, ThreadPool& pool);

/// The same of weights.
std::string weights_digest(std::span<const double> weights);

/// Writes weights, moments, best weights, history and identity; doubles are kept exactly and the
/// file appears whole or not at all.
void save_checkpoint(const std::filesystem::path& path, const Model& model, const TrainState& state,
                     const TrainIdentity& identity);

/// Restores `model`'s weights and returns the state. A file that is no checkpoint, is damaged or
/// belongs to another training throws Error naming the file, what differs and the remedy.
TrainState load_checkpoint(const std::filesystem::path& path, Model& model,
                           const TrainIdentity& identity);

}  // namespace spodnet
