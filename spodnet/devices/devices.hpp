#pragma once

#include <memory>
#include <string>
#include <vector>

#include "spodnet/models/engine.hpp"

namespace spodnet {

/// A device that engines can be made for.
struct Device {
  std::string name;         ///< as in EngineOptions::device
  std::string description;  ///< for people
};

/// The CPU first, then what else this machine has and the library was built for.
std::vector<Device> list_devices();

/// GPUs of this machine that the library was built for.
std::size_t gpu_count();

/// The largest p that they compute with; larger matrices are the CPU's. 0 without GPUs.
std::size_t largest_on_gpu();

/// The device of one of several processes: where they ask for a GPU without saying which (cuda,
/// auto with `gpus` > 0), process r takes cuda:r mod gpus; else as it is.
std::string device_of_process(const std::string& device, int rank, std::size_t gpus);

/// Error with the reason unless this is the name of a device that is there.
void check_device(const std::string& device);

/// The engine of a model on a device; the model must outlive it. `auto` takes a GPU where there is
/// one (choose_device knows whether that pays). Error for a device that is not there, with the
/// reason. A model that a device has no kernels for (GLAD, users' rules) gets the CPU's engine:
/// Engine::device() says so.
std::unique_ptr<Engine> make_engine(const Model& model, const EngineOptions& options = {});

}  // namespace spodnet
