#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <vector>

#include "spodnet/data/dataset.hpp"

namespace spodnet::cli {

/// The options that describe synthetic data, the paper's values where not given.
struct GeneratedData {
  std::optional<std::size_t> p, n, count;
  std::string alpha, generator, signs, condition;
  bool shuffle = false;
  bool uncentred = false;
};

/// Adds --p, --n, --alpha, --generator, --count and those that go with them; returns them, to be
/// excluded elsewhere.
std::vector<CLI::Option*> add_generated_data(CLI::App& command, GeneratedData& options);

/// As the library wants them. Refuses what this machine's memory cannot hold.
DataSetOptions to_dataset_options(const GeneratedData& options, std::uint64_t seed,
                                  bool keep_samples);

}  // namespace spodnet::cli
