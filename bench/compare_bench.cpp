// Training steps (inverse of the input, forward, backward, Adam) on a problem file, for
// bench/compare_pytorch.
//   compare_bench PROBLEM THREADS SECONDS OUT [DEVICE]
// PROBLEM holds S, Theta_true [count,p,p] and param.*, metadata `model` and `layers`. Writes the
// gradients at those weights to OUT as grad.*, then times the first ten steps of the training,
// again and again from the same start. Prints one JSON object.
#include <time.h>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <nlohmann/json.hpp>

#include "spodnet/core/kernels.hpp"
#include "spodnet/devices/devices.hpp"
#include "spodnet/io/safetensors.hpp"
#include "spodnet/models/engine.hpp"
#include "spodnet/models/model.hpp"
#include "spodnet/train/adam.hpp"

namespace {

using namespace spodnet;

constexpr std::size_t kSteps = 10;
constexpr double kLr = 1e-2;

double seconds(clockid_t clock) {
  timespec now;
  clock_gettime(clock, &now);
  return double(now.tv_sec) + 1e-9 * double(now.tv_nsec);
}

/// Peak resident memory since the program began (getrusage would count the caller's, too).
double peak_mb() {
  std::ifstream status("/proc/self/status");
  double kilobytes = 0;
  for (std::string word; status >> word;)
    if (word == "VmHWM:") status >> kilobytes;
  return kilobytes / 1024;
}

/// The model of the file as the peers have it: tied, normalize, offset 1, no floor of v.
std::unique_ptr<Model> model_of(const TensorFile& file) {
  ModelConfig config;
  config.model = file.metadata.at("model");
  config.p = file.tensors.at("S").shape.at(1);
  config.layers = std::stoi(file.metadata.at("layers"));
  config.tied = true;
  config.v_min = 0;
  auto model = builtin_models().make(config);
  for (const ParameterView& view : model->parameters().layout.views())
    std::ranges::copy(file.tensors.at("param." + view.name.substr(9)).values,  // "layers.0."
                      model->parameters().view(view.name).begin());
  return model;
}

std::vector<Sample> batch_of(const TensorFile& file) {
  const Tensor &S = file.tensors.at("S"), &truth = file.tensors.at("Theta_true");
  const std::size_t p = S.shape.at(1);
  std::vector<Sample> batch;
  for (std::size_t k = 0; k < S.shape[0]; ++k)
    batch.push_back({S.values.data() + k * p * p, truth.values.data() + k * p * p, p, 0});
  return batch;
}

void write_gradient(const char* path, const Model& model, const std::vector<double>& gradient) {
  TensorFile out;
  for (const ParameterView& view : model.parameters().layout.views()) {
    const auto first = gradient.begin() + long(view.offset);
    out.tensors["grad." + view.name.substr(9)] = {view.shape, {first, first + long(view.size)}};
  }
  write_safetensors(path, out);
}

struct Times {
  std::vector<double> wall, cpu, losses;
};

Times time_steps(Model& model, Engine& engine, std::span<const std::uint32_t> which,
                 double time_limit) {
  const LossPtr mse = builtin_loss("mse");
  std::vector<double>& weights = model.parameters().values;
  const std::vector<double> start = weights;
  std::vector<double> gradient(weights.size());
  AdamState adam(weights.size());
  Times times;
  const double end = seconds(CLOCK_MONOTONIC) + time_limit;
  while (seconds(CLOCK_MONOTONIC) < end || times.wall.size() < kSteps) {
    if (times.wall.size() % kSteps == 0) {
      weights = start;
      adam = AdamState(weights.size());
    }
    const double wall = seconds(CLOCK_MONOTONIC), cpu = seconds(CLOCK_PROCESS_CPUTIME_ID);
    const BatchLoss at = engine.loss_gradient(which, *mse, double(which.size()), gradient);
    adam_step(weights, gradient, kLr, adam);
    times.wall.push_back(1e3 * (seconds(CLOCK_MONOTONIC) - wall));
    times.cpu.push_back(1e3 * (seconds(CLOCK_PROCESS_CPUTIME_ID) - cpu));
    if (times.losses.size() < kSteps) times.losses.push_back(at.loss);
  }
  return times;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 5 && argc != 6)
    return std::fprintf(stderr, "usage: compare_bench PROBLEM THREADS SECONDS OUT [DEVICE]\n"), 2;
  const TensorFile file = read_safetensors(argv[1]);
  ThreadPool pool(std::stoi(argv[2]));
  const std::vector<Sample> batch = batch_of(file);
  const auto model = model_of(file);
  const double before = peak_mb();
  std::vector<double> gradient(model->parameters().values.size());
  const auto engine = make_engine(*model, {.device = argc == 6 ? argv[5] : "cpu", .pool = &pool});
  engine->keep(batch);
  const auto which = all_of(batch.size());
  (void)engine->loss_gradient(which, *builtin_loss("mse"), double(batch.size()), gradient);
  write_gradient(argv[4], *model, gradient);

  Times times = time_steps(*model, *engine, which, std::stod(argv[3]));
  const std::size_t count = times.wall.size();
  std::ranges::nth_element(times.wall, times.wall.begin() + long(count / 2));
  const nlohmann::json out = {{"wall_ms", std::ranges::min(times.wall)},
                              {"median_ms", times.wall[count / 2]},
                              {"cpu_ms", std::ranges::min(times.cpu)},
                              {"steps", count},
                              {"losses", times.losses},
                              {"peak_mb", peak_mb()},
                              {"before_mb", before},
                              {"isa", kernels().name},
                              {"device", engine->device()}};
  std::puts(out.dump().c_str());
}
