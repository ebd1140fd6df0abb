#include "spodnet/train/trainer.hpp"

#include <cmath>

#include "spodnet/core/error.hpp"
#include "spodnet/core/parse.hpp"
#include "spodnet/core/stopwatch.hpp"
#include "spodnet/models/model_metadata.hpp"
#include "spodnet/train/adam.hpp"
#include "spodnet/train/check_same_run.hpp"
#include "spodnet/train/checkpoint.hpp"
#include "spodnet/train/checkpoint_clock.hpp"
#include "spodnet/train/clip_gradient.hpp"
#include "spodnet/train/epoch_samples.hpp"
#include "spodnet/train/provenance.hpp"
#include "spodnet/train/shared_gradient.hpp"
#include "spodnet/train/validation.hpp"

namespace spodnet {
namespace {

void check_options(const TrainOptions& options) {
  if (options.batch < 1) throw Error("train: batch must be at least 1");
  if (!(options.lr > 0) || !std::isfinite(options.lr))
    throw Error("train: lr must be a positive number");
  if (!(options.clip_grad >= 0)) throw Error("train: clip_grad must be >= 0 (0: no limit)");
}

/// One training: the loop's fixed parts, its scratch and its state.
class Training {
 public:
  Training(Model& model, Engine& engine, SampleSource& source, std::span<const Sample> valid,
           const TrainOptions& options, ThreadPool& pool)
      : model_(model),
        engine_(engine),
        source_(source),
        valid_(valid),
        options_(options),
        pool_(pool),
        group_(options.group ? *options.group : one_process()),
        samples_(engine, source, options, group_),
        shared_gradient_(engine, group_),
        gradient_(weights().size()) {
    begin();
  }

  TrainResult run() {
    CheckpointClock checkpoints(seconds());
    while (state_.epoch < options_.epochs && !out_of_patience()) {
      const Stopwatch waiting;
      samples_.begin(state_.epoch, state_.batch, pool_);
      data_seconds_ += waiting.seconds();
      while (state_.batch < samples_.batches()) {
        if (stopped()) return interrupted();
        if (writing() && checkpoints.due(seconds())) {
          const double before = seconds();
          checkpoint();
          checkpoints.written(before, seconds());
        }
        const Status status = step();
        if (status != Status::ok) return broken(status);
      }
      finish_epoch();
    }
    if (!state_.best.empty()) weights() = state_.best;
    return result(Status::ok, "");
  }

 private:
  std::vector<double>& weights() { return model_.parameters().values; }
  std::uint64_t steps() const { return options_.epochs * samples_.batches(); }
  double seconds() const { return earlier_ + watch_.seconds(); }
  bool asked_to_stop() const { return options_.stop && options_.stop->load(); }
  bool stopped() const {  // the processes of a group: after the same step
    return group_.size() > 1 ? shared_gradient_.stopped() : asked_to_stop();
  }
  bool out_of_patience() const {
    return options_.patience > 0 && !state_.best.empty() &&
           state_.epoch >= state_.best_epoch + options_.patience;
  }
  bool checkpointing() const { return !options_.checkpoint.empty(); }
  bool writing() const { return checkpointing() && group_.first(); }

  void begin() {
    state_.adam = AdamState(weights().size());
    state_.good = weights();
    if (checkpointing()) {
      identity_ = identity();
      if (options_.resume && std::filesystem::exists(options_.checkpoint))
        state_ = load_checkpoint(options_.checkpoint, model_, identity_);
      earlier_ = state_.seconds;
      resumed_at_ = state_.adam.step;
    }
    check_same_run(group_, identity_, state_, weights());  // all have read before one writes
  }

  TrainIdentity identity() const {
    ModelConfig settings = model_.config();
    settings.info.clear();
    TrainIdentity out = metadata_from_config(settings);
    out["batch"] = std::to_string(options_.batch);
    out["lr"] = exact_text(options_.lr);
    out["schedule"] = to_string(options_.schedule);
    out["loss"] = options_.loss->name();
    out["clip_grad"] = exact_text(options_.clip_grad);
    out["seed"] = std::to_string(options_.seed);
    if (options_.skip_bad > 0) out["skip_bad"] = std::to_string(options_.skip_bad);
    if (options_.patience > 0) out["patience"] = std::to_string(options_.patience);
    if (options_.schedule != Schedule::constant) out["epochs"] = std::to_string(options_.epochs);
    out["training data"] = source_.identity(pool_);
    out["validation data"] = data_digest(valid_, pool_);
    out["first weights"] = weights_digest(model_.parameters().values);
    return out;
  }

  BatchLoss loss_gradient(std::span<const std::uint32_t> which) {
    const double divisor = double(which.size());
    if (group_.size() == 1) return engine_.loss_gradient(which, *options_.loss, divisor, gradient_);
    return shared_gradient_(which, samples_.all(), *options_.loss, divisor, asked_to_stop(),
                            gradient_);
  }

  Status step() {
    const Stopwatch watch;
    const BatchLoss batch = loss_gradient(samples_.batch(state_.batch));
    if (batch.status != Status::ok || !std::isfinite(batch.loss) ||
        !std::isfinite(clip_gradient(gradient_, options_.clip_grad)))
      return skip() ? Status::ok : Status::not_finite;
    state_.good = weights();
    adam_step(weights(), gradient_,
              learning_rate(options_.schedule, options_.lr, state_.adam.step, steps()),
              state_.adam);
    if (!Eigen::Map<const Vector>(weights().data(), Eigen::Index(weights().size())).allFinite())
      return Status::not_finite;
    state_.loss_sum += batch.loss;
    state_.nmse_sum += batch.nmse;
    state_.refreshes += std::uint64_t(batch.refreshes);
    ++state_.batch;
    state_.step_seconds += watch.seconds();
    report(batch.loss);
    return Status::ok;
  }

  /// Goes on without the batch; false when too many were left out.
  bool skip() {
    if (state_.bad_batches == options_.skip_bad) return false;
    ++state_.bad_batches;
    ++state_.skipped;
    ++state_.batch;
    return true;
  }

  void finish_epoch() {
    EpochRow row;
    row.epoch = double(++state_.epoch);
    const double used = double(std::max<std::uint64_t>(1, samples_.batches() - state_.bad_batches));
    row.train_loss = state_.loss_sum / used;
    row.train_nmse = state_.nmse_sum / used;
    state_.loss_sum = state_.nmse_sum = 0;
    state_.batch = state_.bad_batches = 0;
    if (!valid_.empty()) validate(engine_, valid_, pool_, row, group_);
    if (row.valid_nmse < state_.best_nmse) {
      state_.best_nmse = row.valid_nmse;
      state_.best_epoch = state_.epoch;
      state_.best = weights();
    }
    row.seconds = seconds();
    state_.history.push_back(row);
    if (options_.after_epoch) options_.after_epoch(model_, state_.epoch);
  }

  void checkpoint() {
    state_.seconds = seconds();
    save_checkpoint(options_.checkpoint, model_, state_, identity_);
  }

  void report(double loss) const {
    if (!options_.progress) return;
    options_.progress({state_.adam.step, steps(), state_.epoch, options_.epochs, loss, seconds(),
                       resumed_at_, shared_gradient_.parts()});
  }

  TrainResult interrupted() {
    if (writing()) checkpoint();
    return result(Status::interrupted, "stopped on request in epoch " + epoch_text());
  }

  TrainResult broken(Status status) {
    weights() = state_.best.empty() ? state_.good : state_.best;
    return result(
        status,
        "the loss or its gradient was not finite in epoch " + epoch_text() +
            ": the last good weights were kept; try a smaller lr or clip_grad, or skip_bad");
  }

  std::string epoch_text() const {
    return std::to_string(state_.epoch + 1) + " of " + std::to_string(options_.epochs);
  }

  TrainResult result(Status status, std::string message) const {
    const bool restored = status != Status::interrupted && !state_.best.empty();
    return {status,
            std::move(message),
            state_.history,
            restored ? state_.best_epoch : 0,
            state_.adam.step,
            state_.refreshes,
            state_.skipped,
            seconds(),
            state_.step_seconds,
            watch_.seconds(),
            data_seconds_};
  }

  Model& model_;
  Engine& engine_;
  SampleSource& source_;
  const std::span<const Sample> valid_;
  const TrainOptions& options_;
  ThreadPool& pool_;
  Group& group_;
  EpochSamples samples_;
  SharedGradient shared_gradient_;
  std::vector<double> gradient_;
  TrainIdentity identity_;
  TrainState state_;
  const Stopwatch watch_;
  double earlier_ = 0, data_seconds_ = 0;
  std::uint64_t resumed_at_ = 0;
};

}  // namespace

TrainResult train(Model& model, Engine& engine, SampleSource& source, std::span<const Sample> valid,
                  const TrainOptions& options, ThreadPool& pool) {
  check_options(options);
  if (source.count() == 0) throw Error("train: there are no training samples");
  check_samples(model, valid);
  if (&engine.model() != &model) throw Error("train: the engine is another model's");
  TrainResult result = Training(model, engine, source, valid, options, pool).run();
  if (result.status != Status::interrupted)
    describe_training(source, valid.size(), options, result, model.info());
  return result;
}

TrainResult train(Model& model, std::span<const Sample> samples, std::span<const Sample> valid,
                  const TrainOptions& options, ThreadPool& pool) {
  check_samples(model, samples);
  GivenSamples source(samples);
  const auto engine = model.make_cpu_engine({.pool = &pool});
  return train(model, *engine, source, valid, options, pool);
}

}  // namespace spodnet
