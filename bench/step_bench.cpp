// Time of one training step (inverse of the input, forward, backward, Adam) without any driver.
//   step_bench MODEL P BATCH THREADS [SECONDS [DEVICE]]        MODEL: a name, or a model file
#include <sys/resource.h>
#include <time.h>

#include <cstdio>
#include <string>

#include "spodnet/core/kernels.hpp"
#include "spodnet/devices/devices.hpp"
#include "spodnet/generate/dataset.hpp"
#include "spodnet/models/engine.hpp"
#include "spodnet/models/model.hpp"
#include "spodnet/models/model_file.hpp"
#include "spodnet/train/adam.hpp"

int main(int argc, char** argv) {
  using namespace spodnet;
  const auto arg = [&](int k, const char* usual) {
    return std::string(k < argc ? argv[k] : usual);
  };
  ModelConfig config;
  config.model = arg(1, "ubg");
  config.p = std::stoul(arg(2, "100"));
  const std::size_t batch = std::stoul(arg(3, "10"));
  ThreadPool pool(std::stoi(arg(4, "1")));
  const double budget = std::stod(arg(5, "2"));

  const DataSet data = generate_dataset({.p = config.p, .n = 100, .count = batch}, pool);
  const std::vector<Sample> batch_samples = samples(data);
  const bool is_file = config.model.ends_with(".safetensors");
  const auto model =
      is_file ? load_model(config.model, builtin_models()) : builtin_models().make(config);
  if (!is_file) model->parameters().initialise(0);
  const auto engine = make_engine(*model, {.device = arg(6, "cpu"), .pool = &pool});
  engine->keep(batch_samples);
  const auto which = all_of(batch);
  const LossPtr mse = builtin_loss("mse");
  std::vector<double>& weights = model->parameters().values;
  std::vector<double> gradient(weights.size());
  AdamState adam(weights.size());

  const auto clock_seconds = [](clockid_t clock) {
    timespec now;
    clock_gettime(clock, &now);
    return double(now.tv_sec) + 1e-9 * double(now.tv_nsec);
  };
  const auto seconds = [&] { return clock_seconds(CLOCK_MONOTONIC); };
  const auto cpu_seconds = [&] { return clock_seconds(CLOCK_PROCESS_CPUTIME_ID); };
  double best = 1e9, best_cpu = 1e9;
  BatchLoss loss;
  int refreshes = 0;
  const double start = seconds();
  std::size_t steps = 0;
  for (; seconds() - start < budget || steps < 3; ++steps) {
    const double t0 = seconds(), c0 = cpu_seconds();
    loss = engine->loss_gradient(which, *mse, double(batch), gradient);
    refreshes += loss.refreshes;
    adam_step(weights, gradient, 1e-3, adam);
    best = std::min(best, seconds() - t0);
    best_cpu = std::min(best_cpu, cpu_seconds() - c0);
  }
  rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  std::printf(
      "%s p=%zu batch=%zu threads=%d isa=%s best=%.4f ms cpu=%.4f ms mean=%.4f ms rss=%.1f MB "
      "loss=%.3g "
      "refreshes=%d\n",
      config.model.c_str(), config.p, batch, pool.size(), kernels().name, best * 1e3,
      best_cpu * 1e3, (seconds() - start) / double(steps) * 1e3, double(usage.ru_maxrss) / 1024,
      loss.loss, refreshes);
}
