#pragma once

#include <optional>
#include <string>
#include <vector>

#include "spodnet/generate/dataset.hpp"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace spodnet::cli {

/// The options that describe synthetic data, the paper's values where not given.
struct GeneratedData {
  std::string p, n;  ///< numbers or ranges
  std::optional<std::size_t> count;
  std::string alpha, generator, signs, condition;
  bool shuffle = false;
  bool uncentred = false;
};

/// Adds --p, --n, --alpha, --generator, --count and those that go with them; returns them, to be
/// excluded elsewhere. `ranges`: the help says that p and n may be ranges.
std::vector<CLI::Option*> add_generated_data(CLI::App& command, GeneratedData& options,
                                             bool ranges);

/// As the library wants them. Refuses what this machine's memory cannot hold, a range of p taken at
/// its mean.
DataSetOptions to_dataset_options(const GeneratedData& options, std::uint64_t seed,
                                  bool keep_samples);

}  // namespace spodnet::cli
