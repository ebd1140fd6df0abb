// Training steps of GLAD (forward, backward, Adam) on one thread, for bench/compare_glad.py.
//   glad_bench FILE SECONDS
// FILE holds S, Theta_true [count,p,p] and param.*, metadata `layers`. Prints one JSON object: loss
// and gradients at the given weights, then the least wall and processor time of a step.
#include <time.h>

#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "spodnet/core/kernels.hpp"
#include "spodnet/io/safetensors.hpp"
#include "spodnet/models/engine.hpp"
#include "spodnet/models/model.hpp"
#include "spodnet/train/adam.hpp"

namespace {

using namespace spodnet;

double seconds(clockid_t clock) {
  timespec now;
  clock_gettime(clock, &now);
  return double(now.tv_sec) + 1e-9 * double(now.tv_nsec);
}

std::unique_ptr<Model> model_of(const TensorFile& file) {
  ModelConfig config;
  config.model = "glad";
  config.p = file.tensors.at("S").shape.at(1);
  config.layers = std::stoi(file.metadata.at("layers"));
  auto model = builtin_models().make(config);
  for (const ParameterView& view : model->parameters().layout.views())
    std::ranges::copy(file.tensors.at("param." + view.name).values,
                      model->parameters().view(view.name).begin());
  return model;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return std::fprintf(stderr, "usage: glad_bench FILE SECONDS\n"), 2;
  const TensorFile file = read_safetensors(argv[1]);
  const Tensor &S = file.tensors.at("S"), &truth = file.tensors.at("Theta_true");
  const std::size_t p = S.shape.at(1);
  std::vector<Sample> batch;
  for (std::size_t k = 0; k < S.shape[0]; ++k)
    batch.push_back({S.values.data() + k * p * p, truth.values.data() + k * p * p, p, 0});
  const auto model = model_of(file);
  const auto engine = model->make_cpu_engine({});
  engine->keep(batch);
  const auto which = all_of(batch.size());
  const LossPtr mse = builtin_loss("mse");
  const auto step = [&](std::vector<double>& out) {
    return engine->loss_gradient(which, *mse, double(which.size()), out);
  };
  std::vector<double>& weights = model->parameters().values;
  std::vector<double> gradient(weights.size());
  AdamState adam(weights.size());

  nlohmann::json out;
  out["loss"] = step(gradient).loss;
  for (const ParameterView& view : model->parameters().layout.views())
    out["grad"][view.name] = std::vector<double>(gradient.begin() + long(view.offset),
                                                 gradient.begin() + long(view.offset + view.size));
  double wall = 1e9, cpu = 1e9;
  for (const double end = seconds(CLOCK_MONOTONIC) + std::stod(argv[2]);;) {
    const double wall_0 = seconds(CLOCK_MONOTONIC), cpu_0 = seconds(CLOCK_PROCESS_CPUTIME_ID);
    (void)step(gradient);
    adam_step(weights, gradient, 1e-3, adam);
    wall = std::min(wall, seconds(CLOCK_MONOTONIC) - wall_0);
    cpu = std::min(cpu, seconds(CLOCK_PROCESS_CPUTIME_ID) - cpu_0);
    if (seconds(CLOCK_MONOTONIC) > end) break;
  }
  out["wall_ms"] = 1e3 * wall;
  out["cpu_ms"] = 1e3 * cpu;
  out["isa"] = kernels().name;
  std::puts(out.dump().c_str());
}
