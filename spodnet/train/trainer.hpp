#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <string>

#include "spodnet/core/group.hpp"
#include "spodnet/models/engine.hpp"
#include "spodnet/train/history.hpp"
#include "spodnet/train/sample_source.hpp"
#include "spodnet/train/schedule.hpp"

namespace spodnet {

/// How far a training is; reported after every step.
struct TrainProgress {
  std::uint64_t step = 0, steps = 0;    ///< done, and in the whole training
  std::uint64_t epoch = 0, epochs = 0;  ///< the same in epochs
  double loss = 0;                      ///< of the last batch
  double seconds = 0;                   ///< of the whole training so far
  std::uint64_t resumed_at = 0;         ///< steps that an earlier run had done
  std::size_t parts = 0;                ///< of the last batch, shared by processes; 0: one process
};

struct TrainOptions {
  std::uint64_t epochs = 100;
  std::size_t batch = 10;
  double lr = 1e-2;
  Schedule schedule = Schedule::constant;
  LossPtr loss = builtin_loss("mse");
  double clip_grad = 0;        ///< largest norm of a gradient; 0: no limit
  std::uint64_t patience = 0;  ///< ends after this many epochs without a better one; 0: never
  std::uint64_t skip_bad = 0;  ///< batches of an epoch that may be left out, see below
  std::uint64_t seed = 0;
  std::filesystem::path checkpoint = {};  ///< empty: none is written
  bool resume = false;                    ///< go on from the checkpoint, where there is one
  const std::atomic<bool>* stop = nullptr;
  Group* group = nullptr;  ///< processes that train together, see below; null: this one alone
  std::function<void(const TrainProgress&)> progress = {};
  /// Sees the weights that each epoch left (epochs counted from 1), before any checkpoint that
  /// has them: an epoch after the last checkpoint is seen again when resumed.
  std::function<void(const Model&, std::uint64_t epoch)> after_epoch = {};
};

struct TrainResult {
  Status status = Status::ok;  ///< ok, not_finite or interrupted
  std::string message;         ///< one line when status is not ok
  History history;
  std::uint64_t best_epoch = 0;  ///< whose weights the model has; 0: those of the last step
  std::uint64_t steps = 0;
  std::uint64_t refreshes = 0;
  std::uint64_t skipped = 0;  ///< batches left out because they were not finite
  double seconds = 0;         ///< all of it, earlier runs included
  double step_seconds = 0;    ///< without validation and checkpoints
  double run_seconds = 0;     ///< of this run alone ...
  double data_seconds = 0;    ///< ... of which steps waited for an epoch's data, made or copied
};

/// Minimises the mean of options.loss as the engine of this model computes it, by Adam over
/// mini-batches, shuffled for each epoch by the stream (seed, epoch), starting from the
/// model's weights. With a validation set the model ends with the weights of the epoch of smallest
/// valid_nmse, else with the last ones; only with one does `patience` count.
///
/// The matrices may be of different sizes where the model is for any (model.config().p is 0).
/// A batch whose loss or gradient is not finite is left out, up to `skip_bad` of them in an epoch;
/// the next one ends the training with that status and the last good weights. Checkpoints cost less
/// than 2 % of the time: one at most every 0.1 s, every 5 % of the time so far and 50 times its own
/// cost, at least every minute, and one when `stop` is set (then: interrupted). Resumed, the
/// training goes on bit for bit as if it had never stopped, which needs the same first weights,
/// settings and data: others are refused. The result is the same bit for bit for any pool size.
///
/// The processes of a group compute whole parts of each batch (SharedGradient) and of the
/// validation set; the weights, which all of them have, are the same bit for bit for any number of
/// processes. Each must be given the same model, data and options. The first writes the
/// checkpoints, from which any number of processes can go on; when `stop` is set in one of them all
/// stop after the same step.
///
/// The model's info says afterwards how it was trained (train.*) and how well it does (final.*).
/// `pool` makes the data.
[[nodiscard]] TrainResult train(Model& model, Engine& engine, SampleSource& source,
                                std::span<const Sample> valid, const TrainOptions& options,
                                ThreadPool& pool);

/// The same on the CPU, on the same samples in every epoch.
[[nodiscard]] TrainResult train(Model& model, std::span<const Sample> samples,
                                std::span<const Sample> valid, const TrainOptions& options,
                                ThreadPool& pool);

}  // namespace spodnet
