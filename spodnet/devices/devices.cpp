#include "spodnet/devices/devices.hpp"

#include <charconv>

#include "spodnet/core/error.hpp"
#ifdef SPODNET_CUDA
#include "spodnet/cuda/cuda_engine.hpp"
#endif

namespace spodnet {
namespace {

const std::string kCuda = "cuda";

/// Descriptions of the GPUs that this program can use.
std::vector<std::string> gpus() {
#ifdef SPODNET_CUDA
  return cuda_devices();
#else
  return {};
#endif
}

/// N of cuda:N, 0 of cuda; negative for what is no such name.
int gpu_number(std::string_view device) {
  if (!device.starts_with(kCuda)) return -1;
  device.remove_prefix(kCuda.size());
  if (device.empty()) return 0;
  if (!device.starts_with(':')) return -1;
  int number = -1;
  const auto [end, error] =
      std::from_chars(device.data() + 1, device.data() + device.size(), number);
  return error == std::errc() && end == device.data() + device.size() ? number : -1;
}

/// N of a GPU that is there; Error otherwise.
int checked_number(const std::string& device) {
  const int number = gpu_number(device);
  if (number < 0) throw Error("device " + device + ": it is cpu, cuda, cuda:N or auto");
#ifndef SPODNET_CUDA
  throw Error("device " + device +
              ": this program was built without CUDA (cmake -D SPODNET_CUDA=ON)");
#endif
  const std::size_t count = gpu_count();
  if (count == 0) throw Error("device " + device + ": this machine has no usable NVIDIA GPU");
  if (std::size_t(number) >= count)
    throw Error("device " + device + ": this machine has " + std::to_string(count) +
                (count == 1 ? " GPU, cuda:0" : " GPUs, cuda:0 and on"));
  return number;
}

std::unique_ptr<Engine> make_gpu_engine([[maybe_unused]] const Model& model,
                                        [[maybe_unused]] const EngineOptions& options,
                                        [[maybe_unused]] int number) {
#ifdef SPODNET_CUDA
  return make_cuda_engine(model, options, number);
#else
  return nullptr;
#endif
}

}  // namespace

std::vector<Device> list_devices() {
  std::vector<Device> devices = {{"cpu", std::to_string(ThreadPool(0).size()) + " cores"}};
  for (const std::string& gpu : gpus())
    devices.push_back({"cuda:" + std::to_string(devices.size() - 1), gpu});
  return devices;
}

std::size_t gpu_count() {
#ifdef SPODNET_CUDA
  static const std::size_t count =
      cuda_device_count();  // the driver takes its time where it is not
  return count;
#else
  return 0;
#endif
}

std::size_t largest_on_gpu() {
#ifdef SPODNET_CUDA
  return cuda_largest_p();
#else
  return 0;
#endif
}

std::string device_of_process(const std::string& device, int rank, std::size_t count) {
  if (count == 0 || (device != kCuda && device != "auto")) return device;
  return "cuda:" + std::to_string(std::size_t(rank) % count);
}

void check_device(const std::string& device) {
  if (device != "cpu" && device != "auto") (void)checked_number(device);
}

std::unique_ptr<Engine> make_engine(const Model& model, const EngineOptions& options) {
  if (options.device == "cpu") return model.make_cpu_engine(options);
  if (options.device == "auto")
    return gpu_count() == 0
               ? model.make_cpu_engine(options)
               : make_engine(model,
                             {.device = "cuda", .threads = options.threads, .pool = options.pool});
  const int number = checked_number(options.device);
  std::unique_ptr<Engine> engine = make_gpu_engine(model, options, number);
  return engine ? std::move(engine) : model.make_cpu_engine(options);
}

}  // namespace spodnet
