// Measures the constants of spodnet/devices/device_costs.hpp on this machine, in the form in which
// they stand there; then what `--device auto` would expect and what came out.
//   device_costs_bench [SECONDS]      per measurement; a GPU and a program built for it
#include <cstdio>
#include <functional>
#include <string>

#include "spodnet/core/stopwatch.hpp"
#include "spodnet/devices/choose_device.hpp"
#include "spodnet/devices/device_costs.hpp"
#include "spodnet/devices/devices.hpp"
#include "spodnet/generate/dataset.hpp"
#include "spodnet/models/engine.hpp"

namespace {

using namespace spodnet;

double least(double budget, const std::function<void()>& work) {
  work();
  double best = 1e9;
  const Stopwatch all;
  for (int k = 0; k < 2 || all.seconds() < budget; ++k) {
    const Stopwatch one;
    work();
    best = std::min(best, one.seconds());
  }
  return best;
}

/// One model, its data and its engine on a device.
struct Measured {
  std::unique_ptr<Model> model;
  DataSet data;
  std::vector<Sample> list;
  std::unique_ptr<Engine> engine;
  double budget;

  Measured(const std::string& name, std::size_t p, std::size_t count, const std::string& device,
           double seconds)
      : budget(seconds) {
    ThreadPool pool(0);
    model = builtin_models().make({.model = name, .p = p, .scaling = Scaling::clip});
    model->parameters().initialise(1);
    data = generate_dataset({.p = p, .n = 100, .count = count}, pool);
    list = samples(data);
    engine = make_engine(*model, {.device = device});
  }
  double step() {
    engine->keep(list);
    const auto which = all_of(list.size());
    const LossPtr loss = builtin_loss("nmse");
    std::vector<double> gradient(model->parameters().values.size());
    return least(budget,
                 [&] { (void)engine->loss_gradient(which, *loss, double(list.size()), gradient); });
  }
  double estimates() {
    return least(budget, [&] { (void)engine->estimate(list, {}); });
  }
};

}  // namespace

int main(int argc, char** argv) {
  const double budget = argc > 1 ? std::stod(argv[1]) : 0.3;
  const bool gpu = gpu_count() > 0;
  if (!gpu) std::puts("no GPU here, or built without SPODNET_CUDA: the CPU's constants alone");
  std::puts("// model, cpu_square, cpu_cube, gpu_column");
  for (const ModelCosts& each : kModelCosts) {
    const std::string name(each.model);
    const double small = Measured(name, 20, 8, "cpu", budget).step() / 8;
    const double large = Measured(name, 100, 2, "cpu", budget).step() / 2;
    const double cube = std::max(0.0, (large - 25 * small) / (1e6 - 25 * 8e3));
    const double square = (large - 1e6 * cube) / 1e4;
    const double column =
        gpu ? (Measured(name, 100, 100, "cuda", budget).step() - kGpuCall) / 100 : each.gpu_column;
    std::printf("    {\"%s\", %.2g, %.2g, %.3g},\n", name.c_str(), square, cube, column);
  }
  if (!gpu) return 0;
  std::printf("kGpuCall %.3g\n", Measured("ubg", 1, 1, "cuda", budget).step());
  std::printf("kForwardShare %.2g (CPU), %.2g (GPU)\n",
              Measured("pnp-any", 60, 16, "cpu", budget).estimates() /
                  Measured("pnp-any", 60, 16, "cpu", budget).step(),
              Measured("pnp-any", 60, 16, "cuda", budget).estimates() /
                  Measured("pnp-any", 60, 16, "cuda", budget).step());
  const double many = Measured("ubg", 100, 1000, "cuda", budget).estimates();
  const double walks = Measured("ubg", 100, 1000, "cuda", budget).step() * kForwardShare;
  std::printf("kGpuMatrixEntry %.3g\n", std::max(0.0, many - walks) / 1e7);
  std::puts("model p matrices: expected and measured ms, CPU (one thread) then GPU");
  for (const char* name : {"ubg", "pnp-any"})
    for (const std::size_t p : {10, 33, 100})
      for (const std::size_t count : {1, 16, 256})
        for (const bool training : {false, true}) {
          const DeviceWork work{.p = p, .matrices = count, .training = training};
          const ModelConfig config{.model = name};
          Measured cpu(name, p, count, "cpu", budget / 3),
              device(name, p, count, "cuda", budget / 3);
          std::printf("%-8s %4zu %5zu %-9s %8.3f %8.3f   %8.3f %8.3f\n", name, p, count,
                      training ? "step" : "estimates", 1e3 * expected_cpu_seconds(config, work),
                      1e3 * (training ? cpu.step() : cpu.estimates()),
                      1e3 * expected_gpu_seconds(config, work),
                      1e3 * (training ? device.step() : device.estimates()));
          std::fflush(stdout);
        }
}
