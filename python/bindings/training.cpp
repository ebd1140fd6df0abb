#include <nanobind/stl/function.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/vector.h>

#include <atomic>
#include <chrono>
#include <cmath>
#include <functional>

#include "python/bindings/arrays.hpp"
#include "python/bindings/bindings.hpp"
#include "python/bindings/core_model.hpp"
#include "python/bindings/gil.hpp"
#include "python/bindings/watched.hpp"
#include "spodnet/core/error.hpp"
#include "spodnet/generate/dataset.hpp"
#include "spodnet/generate/log_range.hpp"
#include "spodnet/generate/mixed_dataset.hpp"
#include "spodnet/train/trainer.hpp"

namespace nb = nanobind;
using nb::literals::operator""_a;

namespace spodnet {
namespace {

nb::dict generate(std::size_t p, std::size_t n, const std::string& alpha, std::size_t count,
                  std::uint64_t seed, const std::string& generator, bool samples, bool centred,
                  int threads) {
  DataSet data;
  std::atomic<bool> stop = false;
  run_watched(nb::none(), stop, [&](const Report&) {
    ThreadPool pool(threads);
    data = generate_dataset({.p = p,
                             .n = n,
                             .alpha = sparsity_levels_from(alpha),
                             .generator = {.families = families_from(generator)},
                             .count = count,
                             .seed = seed,
                             .centred = centred,
                             .keep_samples = samples},
                            pool);
  });
  nb::dict out;
  out["S"] = array_of(std::move(data.S));
  out["Theta_true"] = array_of(std::move(data.Theta_true));
  if (samples) out["X"] = array_of(std::move(data.X));
  return out;
}

std::vector<Sample> samples_of(const BatchIn& S, const BatchIn& Theta_true,
                               const std::vector<double>& n) {
  const std::size_t count = S.shape(0), p = S.shape(1);
  if (S.shape(2) != p || Theta_true.shape(0) != count || Theta_true.shape(1) != p ||
      Theta_true.shape(2) != p || n.size() != count)
    throw Error("train: S and Theta_true are count x p x p, and n has one number for each matrix");
  std::vector<Sample> samples(count);
  for (std::size_t k = 0; k < count; ++k)
    samples[k] = {S.data() + k * p * p, Theta_true.data() + k * p * p, p, n[k], nullptr};
  return samples;
}

/// Hands progress to Python at most ten times a second, and looks for Ctrl-C; `stop` ends it.
class Watcher {
 public:
  Watcher(nb::object callback, std::atomic<bool>& stop)
      : callback_(std::move(callback)), stop_(stop) {}

  void operator()(const TrainProgress& at) {
    const auto now = std::chrono::steady_clock::now();
    if (raised_ || (now - last_ < std::chrono::milliseconds(100) && at.step < at.steps)) return;
    last_ = now;
    const HeldGil held;
    if (PyErr_CheckSignals() != 0) {  // raised again when the training has stopped
      stop_ = true;
      raised_ = true;
      return;
    }
    if (callback_.is_none()) return;
    try {
      if (!goes_on(callback_(at.step, at.steps, at.epoch, at.loss))) stop_ = true;
    } catch (nb::python_error& error) {
      error.restore();
      stop_ = raised_ = true;
    }
  }

  bool raised() const { return raised_; }

 private:
  nb::object callback_;
  std::atomic<bool>& stop_;
  bool raised_ = false;
  std::chrono::steady_clock::time_point last_{};
};

TrainOptions options_from(const nb::dict& settings, const std::string& loss,
                          const std::string& schedule) {
  TrainOptions options;
  options.loss = builtin_loss(loss);
  options.schedule = schedule_from(schedule);
  for (const auto& [word, value] : settings) {
    const std::string key = nb::cast<std::string>(word);
    const auto count = [&value = value] { return nb::cast<std::uint64_t>(value); };
    if (key == "epochs")
      options.epochs = count();
    else if (key == "batch")
      options.batch = std::size_t(count());
    else if (key == "lr")
      options.lr = nb::cast<double>(value);
    else if (key == "clip_grad")
      options.clip_grad = nb::cast<double>(value);
    else if (key == "patience")
      options.patience = count();
    else if (key == "skip_bad")
      options.skip_bad = count();
    else if (key == "seed")
      options.seed = count();
    else
      throw Error("train: does not know the setting '" + key + "'");
  }
  return options;
}

/// Trains while Python watches.
nb::dict watched_training(const std::function<TrainResult(TrainOptions&, ThreadPool&)>& run,
                          TrainOptions options, int threads, nb::object callback) {
  std::atomic<bool> stop = false;
  Watcher watcher(std::move(callback), stop);
  options.stop = &stop;
  options.progress = [&](const TrainProgress& at) { watcher(at); };
  TrainResult result;
  {
    const ReleasedGil released;
    ThreadPool pool(threads);
    result = run(options, pool);
  }
  if (watcher.raised()) throw nb::python_error();
  nb::dict out;
  out["status"] = std::string(to_string(result.status));
  out["message"] = result.message;
  out["steps"] = result.steps;
  out["best_epoch"] = result.best_epoch;
  out["seconds"] = result.seconds;
  nb::list history;
  for (const EpochRow& row : result.history) history.append(to_numbers(row));
  out["history"] = history;
  return out;
}

nb::dict run_training(CoreModel& model, const BatchIn& S, const BatchIn& Theta_true,
                      const std::vector<double>& n, double valid, const nb::dict& settings,
                      const std::string& loss, const std::string& schedule, int threads,
                      nb::object callback) {
  const TrainOptions options = options_from(settings, loss, schedule);
  const TrainValid split = split_validation(samples_of(S, Theta_true, n), valid, options.seed);
  return watched_training(
      [&](TrainOptions& now, ThreadPool& pool) {
        return train(model.model(), split.train, split.valid, now, pool);
      },
      options, threads, std::move(callback));
}

/// On new matrices in every epoch; p and n are numbers or ranges, as the command has them.
nb::dict run_fresh_training(CoreModel& model, const std::string& p, const std::string& n,
                            const std::string& alpha, std::size_t count,
                            const std::string& generator, double valid, const nb::dict& settings,
                            const std::string& loss, const std::string& schedule, int threads,
                            nb::object callback) {
  const TrainOptions options = options_from(settings, loss, schedule);
  const DataSetOptions data{.p = size_range_from(p, "p"),
                            .n = size_range_from(n, "n"),
                            .alpha = sparsity_levels_from(alpha),
                            .generator = {.families = families_from(generator)},
                            .count = count,
                            .seed = options.seed};
  if (model.model().config().p > 0 && (data.p.low != model.model().config().p || !data.p.single()))
    throw Error("train: the model is for p = " + std::to_string(model.model().config().p) +
                ", not for p = " + p);
  return watched_training(
      [&](TrainOptions& now, ThreadPool& pool) {
        constexpr std::uint64_t kFirstValidation = std::uint64_t{1} << 62;  // beside the others
        DataSetOptions apart = data;
        apart.count = std::size_t(std::ceil(valid * double(count)));
        apart.first_index = kFirstValidation;
        MixedDataSet made;
        if (apart.count > 0) made = generate_mixed(apart, pool);
        const std::vector<Sample> set_apart =
            apart.count > 0 ? samples(made) : std::vector<Sample>();
        FreshSamples source(data);
        const auto engine = model.model().make_cpu_engine({.pool = &pool});
        return train(model.model(), *engine, source, set_apart, now, pool);
      },
      options, threads, std::move(callback));
}

}  // namespace

void bind_training(nb::module_& m) {
  m.def("generate", &generate, "p"_a, "n"_a, "alpha"_a, "count"_a, "seed"_a, "generator"_a,
        "samples"_a, "centred"_a, "threads"_a);
  m.def("loss_names", [] { return builtin_losses().names(); });
  m.def("train", &run_training, "model"_a, "S"_a.noconvert(), "Theta_true"_a.noconvert(), "n"_a,
        "valid"_a, "numbers"_a, "loss"_a, "schedule"_a, "threads"_a, "callback"_a.none());
  m.def("train_fresh", &run_fresh_training, "model"_a, "p"_a, "n"_a, "alpha"_a, "count"_a,
        "generator"_a, "valid"_a, "numbers"_a, "loss"_a, "schedule"_a, "threads"_a,
        "callback"_a.none());
}

}  // namespace spodnet
