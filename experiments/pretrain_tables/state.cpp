#include "experiments/pretrain_tables/state.hpp"

#include <fmt/format.h>

#include "spodnet/core/error.hpp"
#include "spodnet/io/safetensors.hpp"

namespace spodnet::experiments {

void save_state(const std::filesystem::path& path, const TablesState& state,
                const std::map<std::string, std::string>& settings) {
  TensorFile file{settings, {}};
  const auto put = [&](const std::string& name, const std::vector<double>& values) {
    file.tensors[name] = {{values.size()}, values};
  };
  put("values", state.values), put("average", state.average);
  put("m", state.adam.m), put("v", state.adam.v);
  put("steps", {double(state.step), double(state.averaged), double(state.adam.step)});
  write_safetensors(path, file);
}

TablesState load_state(const std::filesystem::path& path,
                       const std::map<std::string, std::string>& settings, std::size_t parameters) {
  const TensorFile file = read_safetensors(path);
  if (file.metadata != settings)
    throw Error(fmt::format(
        "{}: belongs to a training with other settings; remove it to start again", path.string()));
  const auto get = [&](const std::string& name, std::size_t size) {
    const auto found = file.tensors.find(name);
    if (found == file.tensors.end() || found->second.values.size() != size)
      throw Error(
          fmt::format("{}: is no checkpoint of this training ({}); remove it to start again",
                      path.string(), name));
    return found->second.values;
  };
  TablesState state;
  state.values = get("values", parameters), state.average = get("average", parameters);
  state.adam.m = get("m", parameters), state.adam.v = get("v", parameters);
  const std::vector<double> steps = get("steps", 3);
  state.step = std::uint64_t(steps[0]), state.averaged = std::uint64_t(steps[1]);
  state.adam.step = std::uint64_t(steps[2]);
  return state;
}

}  // namespace spodnet::experiments
