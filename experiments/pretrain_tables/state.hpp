#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "spodnet/train/adam.hpp"

namespace spodnet::experiments {

/// Where a training stands between two steps: all that the rest depends on.
struct TablesState {
  std::uint64_t step = 0;       ///< done
  std::uint64_t averaged = 0;   ///< weights in the mean so far ...
  std::vector<double> average;  ///< ... and that mean
  std::vector<double> values;   ///< the weights
  AdamState adam;
};

/// Written whole or not at all, with the settings that it belongs to.
void save_state(const std::filesystem::path& path, const TablesState& state,
                const std::map<std::string, std::string>& settings);

/// Throws Error where the file is damaged or was made with other settings.
TablesState load_state(const std::filesystem::path& path,
                       const std::map<std::string, std::string>& settings, std::size_t parameters);

}  // namespace spodnet::experiments
