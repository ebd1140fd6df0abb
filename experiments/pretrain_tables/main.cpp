// Trains the size-free model for tables that comes with the library (docs/models.md).
//   pretrain_tables OUT.safetensors [key=value ...]
// No matrix is used twice (generate/table_problem.hpp). Each matrix's gradient is clipped before
// the mean is taken, so that none steers; the weights are the mean of those of the last tenth. The
// result depends on the settings alone, not on threads or time. Every `save` steps, and on Ctrl-C
// (exit status 130), OUT.safetensors.checkpoint is written; the same command goes on from it.
// `judge=600` scores the result on that many problems of another seed; with steps=0 that is all.

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <csignal>
#include <filesystem>
#include <numbers>
#include <string>
#include <vector>

#include "experiments/pretrain_tables/recipe.hpp"
#include "experiments/pretrain_tables/state.hpp"
#include "experiments/program.hpp"
#include "spodnet/core/error.hpp"
#include "spodnet/devices/choose_device.hpp"
#include "spodnet/devices/devices.hpp"
#include "spodnet/models/model_file.hpp"
#include "spodnet/problem/loss.hpp"
#include "spodnet/train/clip_gradient.hpp"

namespace spodnet::experiments {
namespace {

constexpr std::uint64_t kJudgeSeed = 987'654;

volatile std::sig_atomic_t stop_asked = 0;

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

class Training {
 public:
  Training(Model& model, const Loss& loss, const Recipe& recipe)
      : model_(model),
        values_(model.parameters().values),
        checkpoint_(recipe.out + ".checkpoint"),
        loss_(loss),
        recipe_(recipe),
        pool_(recipe.threads),
        engine_(make_engine(model, {.pool = &pool_})),
        matrices_(recipe.batch),
        gradients_(recipe.batch * values_.size()),
        mean_(values_.size()),
        state_{.average = std::vector<double>(values_.size()), .adam = AdamState(values_.size())} {
    if (!std::filesystem::exists(checkpoint_)) return;
    state_ = load_state(checkpoint_, model.info(), values_.size());
    values_ = state_.values;
  }

  /// False where Ctrl-C ended it.
  bool run() {
    const double begin = now();
    while (state_.step < recipe_.steps) {
      const double share = double(state_.step) / double(recipe_.steps);
      one_step(state_.step, share);
      if (share > 0.9) average();
      const std::uint64_t done = ++state_.step;
      if (stop_asked || done % recipe_.save == 0) save();
      if (done % recipe_.every == 0 || done == recipe_.steps) print(done, now() - begin);
      if (stop_asked) return false;
    }
    if (state_.averaged > 0) values_ = state_.average;
    return true;
  }

  /// The model, and with it the end of the checkpoint.
  void finish() const {
    save_model(recipe_.out, model_);
    std::filesystem::remove(checkpoint_);
  }

  /// The mean loss of `count` problems of another seed: log(Stein's loss + 0.001) and 0.05 (1 -
  /// F1).
  void judge(std::size_t count) {
    TableMix mix = recipe_.mix;
    mix.seed = kJudgeSeed, mix.together = 1;
    double sum = 0, good = 0;
    for (std::uint64_t first = 0; first < count; first += matrices_.size())
      for (const MatrixLoss& each : gradients_of(mix, first))
        if (each.status == Status::ok && std::isfinite(each.loss)) sum += each.loss, ++good;
    fmt::print("{:.0f} problems: mean loss {:.4f}\n", good, sum / good);
  }

 private:
  /// The gradient of each matrix of a batch, and their losses.
  std::vector<MatrixLoss> gradients_of(const TableMix& mix, std::uint64_t first) {
    pool_.run(matrices_.size(),
              [&](std::size_t k, int) { matrices_[k] = draw_table_problem(mix, first + k); });
    const std::vector<Sample> batch = samples(matrices_);
    const std::vector<std::uint32_t> which = all_of(batch.size());
    std::vector<Part> parts;
    for (std::size_t k = 0; k < batch.size(); ++k) parts.push_back({k, 1});
    std::vector<MatrixLoss> losses(batch.size());
    engine_->keep(batch);
    engine_->part_gradients(which, parts, loss_, 1, gradients_, losses);
    return losses;
  }

  void one_step(std::uint64_t step, double share) {
    const std::vector<MatrixLoss> losses = gradients_of(recipe_.mix, step * matrices_.size());
    const std::vector<double> weights = share_weights(losses);
    if (!take_mean(losses, weights)) return;
    const double warm = std::min(1.0, double(step + 1) / 100);
    const double lr = recipe_.lr * warm * (1 + std::cos(std::numbers::pi * share)) / 2;
    adam_step(values_, mean_, lr, state_.adam);
  }

  /// Tables drawn together count as log(mean of their losses), not as the mean of the logs: the
  /// likelihood of rows to come is a mean over tables too, and its worst ones weigh in it.
  std::vector<double> share_weights(std::span<const MatrixLoss> losses) const {
    std::vector<double> weights(losses.size(), 1.0);
    const std::size_t together = recipe_.mix.together;
    for (std::size_t first = 0; first < losses.size() && together > 1; first += together) {
      const std::size_t last = std::min(first + together, losses.size());
      double sum = 0;
      for (std::size_t k = first; k < last; ++k)
        if (std::isfinite(losses[k].loss)) sum += weights[k] = std::exp(losses[k].loss);
      for (std::size_t k = first; k < last; ++k) weights[k] *= double(last - first) / sum;
    }
    return weights;
  }

  /// The weighted mean of the clipped gradients; false where none was usable.
  bool take_mean(std::span<const MatrixLoss> losses, std::span<const double> weights) {
    std::fill(mean_.begin(), mean_.end(), 0.0);
    double good = 0;
    for (std::size_t k = 0; k < losses.size(); ++k) {
      const auto g = std::span(gradients_).subspan(k * mean_.size(), mean_.size());
      const double norm = clip_gradient(g, recipe_.clip);
      if (losses[k].status != Status::ok || !std::isfinite(norm + losses[k].loss)) {
        ++left_out_;
        continue;
      }
      ++good, ++seen_;
      loss_sum_ += losses[k].loss;
      clipped_ += norm > recipe_.clip;
      for (std::size_t j = 0; j < g.size(); ++j) mean_[j] += weights[k] * g[j];
    }
    for (double& g : mean_) g /= std::max(good, 1.0);
    return good > 0;
  }

  void average() {
    ++state_.averaged;
    for (std::size_t j = 0; j < values_.size(); ++j)
      state_.average[j] += (values_[j] - state_.average[j]) / double(state_.averaged);
  }

  void save() {
    state_.values = values_;
    save_state(checkpoint_, state_, model_.info());
  }

  void print(std::uint64_t step, double seconds) {
    fmt::print("step {} of {}, {:.0f} s: loss {:.4f}, clipped {:.2f}, left out {}\n", step,
               recipe_.steps, seconds, loss_sum_ / double(seen_), double(clipped_) / double(seen_),
               left_out_);
    std::fflush(stdout);
    loss_sum_ = 0, seen_ = clipped_ = 0;
  }

  Model& model_;
  std::vector<double>& values_;
  const std::filesystem::path checkpoint_;
  const Loss& loss_;
  const Recipe& recipe_;
  ThreadPool pool_;
  std::unique_ptr<Engine> engine_;
  MixedDataSet matrices_;
  std::vector<double> gradients_, mean_;
  TablesState state_;
  double loss_sum_ = 0;
  std::uint64_t left_out_ = 0, clipped_ = 0, seen_ = 0;
};

/// Gradients are clipped matrix by matrix, which is the CPU engine's, whatever the model.
void say_who_computes(const std::string& device, const ModelConfig& config) {
  const DeviceChoice choice = choose_device(device, config, {.training = true});
  fmt::print(stderr, "pretrain_tables: the CPU computes: {}\n",
             choice.device == "cpu" ? choice.why : "gradients are clipped matrix by matrix");
}

int run(int argc, char** argv) {
  std::signal(SIGINT, [](int) { stop_asked = 1; });
  if (argc < 2) throw Error("usage: pretrain_tables OUT.safetensors [key=value ...]");
  Options options(argc, argv);
  const Recipe recipe = recipe_from(options, argv[1]);
  ModelConfig config;
  config.model = "consistent-any";
  config.layers = int(options.number("layers", 3));
  const double width = options.number("width", 24);
  config.widths = {{"lambda", std::size_t(width)}, {"psi", std::size_t(width)}};
  const std::string init = options.text("init", "");
  const std::string device = options.text("device", "cpu");
  const auto judge = std::size_t(options.number("judge", 0));
  options.done();
  const ModelRegistry models = builtin_models();
  auto model = init.empty() ? models.make(config) : load_model(init, models);
  if (init.empty()) model->parameters().initialise(recipe.mix.seed);
  for (const auto& [key, value] : options.used())
    if (key != "threads" && key != "save" && key != "judge" && key != "every" && key != "device" &&
        !value.empty())
      model->info()["train." + key] =
          key == "init" ? std::filesystem::path(value).filename().string() : value;
  if (device != "cpu") say_who_computes(device, model->config());
  const LossPtr loss = builtin_loss("log-stein");
  Training training(*model, *loss, recipe);
  if (!training.run()) return 130;
  if (recipe.steps > 0) training.finish();
  if (judge > 0) training.judge(judge);
  return 0;
}

}  // namespace
}  // namespace spodnet::experiments

int main(int argc, char** argv) {
  using namespace spodnet::experiments;
  return run_program("pretrain_tables", run, argc, argv);
}
