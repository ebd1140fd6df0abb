#pragma once

#include <string>

#include "spodnet/models/engine.hpp"

namespace spodnet {

/// Work for a device, as far as it decides who does it.
struct DeviceWork {
  std::size_t p = 0;         ///< of the largest matrices
  std::size_t least_p = 0;   ///< of the smallest ones; 0: all have p
  std::size_t matrices = 1;  ///< at a time: a batch, the resamples of a bootstrap
  bool training = false;     ///< with the backward
  int threads = 1;           ///< of the CPU
  bool constrained = false;  ///< prior knowledge: the CPU's
};

/// The device that computes, and the reason in one line.
struct DeviceChoice {
  std::string device;  ///< cpu, cuda:0, ...
  std::string why;
};

/// Seconds that the work is expected to take by the measured costs (device_costs.hpp); infinite
/// where a device cannot do it.
double expected_cpu_seconds(const ModelConfig& config, const DeviceWork& work);
double expected_gpu_seconds(const ModelConfig& config, const DeviceWork& work);

/// What `asked` means for this work. `auto`: the faster one of the CPU and GPU 0 as expected, the
/// CPU where there is no GPU. A GPU asked for by name is taken, but not for what it cannot do.
/// `gpus`: how many there are; `largest`: the largest p that they do.
DeviceChoice choose_device(const std::string& asked, const ModelConfig& config,
                           const DeviceWork& work, std::size_t gpus, std::size_t largest);
/// The same on this machine.
DeviceChoice choose_device(const std::string& asked, const ModelConfig& config,
                           const DeviceWork& work);

}  // namespace spodnet
