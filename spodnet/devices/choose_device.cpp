#include "spodnet/devices/choose_device.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "spodnet/devices/device_costs.hpp"
#include "spodnet/devices/devices.hpp"

namespace spodnet {
namespace {

const ModelCosts* costs_of(const std::string& model) {
  for (const ModelCosts& each : kModelCosts)
    if (each.model == model) return &each;
  return nullptr;
}

std::string time_text(double seconds) {
  return seconds < 1e-3  ? fmt::format("{:.2g} ms", 1e3 * seconds)
         : seconds < 0.1 ? fmt::format("{:.0f} ms", 1e3 * seconds)
                         : fmt::format("{:.2g} s", seconds);
}

/// How many matrices the busiest thread of the CPU has.
double rounds_of_cpu(const DeviceWork& work) {
  const auto threads = std::size_t(std::max(1, work.threads));
  return double((work.matrices + threads - 1) / threads);
}

/// Of learned starts, which are the CPU's in any case.
double start_seconds(const ModelCosts& costs, const DeviceWork& work) {
  return rounds_of_cpu(work) * costs.start_square * double(work.p) * double(work.p);
}

/// Why a GPU cannot do it; empty: it can.
std::string refusal(const ModelConfig& config, const DeviceWork& work, std::size_t largest) {
  if (!costs_of(config.model)) return "model " + config.model + " has no kernels for a GPU";
  if (work.constrained) return "prior knowledge is kept on the CPU";
  if (const std::size_t least = work.least_p > 0 ? work.least_p : work.p; least > largest)
    return fmt::format("p = {} is more than the {} of a GPU", least, largest);
  return "";
}

}  // namespace

double expected_cpu_seconds(const ModelConfig& config, const DeviceWork& work) {
  const ModelCosts* costs = costs_of(config.model);
  if (!costs) return 0;  // no other device can
  const double p = double(work.p), share = work.training ? 1 : kForwardShare;
  const double one = config.layers * share * p * p * (costs->cpu_square + costs->cpu_cube * p);
  return one * rounds_of_cpu(work) + start_seconds(*costs, work);
}

double expected_gpu_seconds(const ModelConfig& config, const DeviceWork& work) {
  const ModelCosts* costs = costs_of(config.model);
  if (!costs) return std::numeric_limits<double>::infinity();
  const std::size_t at_once = matrices_at_once(work.p, work.training);
  const double rounds = double((work.matrices + at_once - 1) / at_once), p = double(work.p);
  const double group = work.p > kInside ? kGroupColumn + kGroupEntry * p * p : 0;
  const double share = work.training ? 1 : kForwardShare;
  const double walk = config.layers * share * p * (costs->gpu_column + group);
  const double copies = work.training ? 0 : double(work.matrices) * p * p * kGpuMatrixEntry;
  return kGpuCall + rounds * walk + copies + start_seconds(*costs, work);
}

DeviceChoice choose_device(const std::string& asked, const ModelConfig& config,
                           const DeviceWork& work, std::size_t gpus, std::size_t largest) {
  if (asked == "cpu") return {"cpu", "as asked"};
  const bool automatic = asked == "auto";
  if (automatic && gpus == 0) return {"cpu", "no GPU here"};
  if (const std::string why = refusal(config, work, largest); !why.empty()) return {"cpu", why};
  if (!automatic) return {asked == "cuda" ? "cuda:0" : asked, "as asked"};
  const double cpu = expected_cpu_seconds(config, work), gpu = expected_gpu_seconds(config, work);
  return {gpu < cpu ? "cuda:0" : "cpu",
          fmt::format("{} {} of p = {}: {} expected on the GPU, {} on {} of the CPU", work.matrices,
                      work.matrices == 1 ? "matrix" : "matrices", work.p, time_text(gpu),
                      time_text(cpu),
                      work.threads > 1 ? std::to_string(work.threads) + " threads" : "a thread")};
}

DeviceChoice choose_device(const std::string& asked, const ModelConfig& config,
                           const DeviceWork& work) {
  return choose_device(asked, config, work, gpu_count(), largest_on_gpu());
}

}  // namespace spodnet
