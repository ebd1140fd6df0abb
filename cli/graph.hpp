#pragma once

#include <CLI/CLI.hpp>
#include <filesystem>
#include <optional>
#include <string>

#include "cli/constraint_options.hpp"
#include "cli/report.hpp"
#include "spodnet/data/prepare.hpp"
#include "spodnet/graph/answer.hpp"

namespace spodnet::cli {

constexpr unsigned kPatience = 2;  ///< seconds from Ctrl-C to the end, at most

/// `spodnet graph` as it was typed.
struct GraphCommand {
  std::filesystem::path file, out;
  std::string method = "auto";
  std::string input;              ///< samples, covariance, or empty: not said
  std::size_t samples_count = 0;  ///< behind a covariance; 0: not said
  bool no_standardize = false, no_cache = false, open = false, json = false;
  std::string missing = "pairwise", robust;
  bool missing_given = false;
  std::size_t bootstrap = 0;
  std::optional<double> stable;
  ConstraintOptions constraints;
  std::uint64_t seed = 0;
  int threads = 0;
};

/// Adds --no-standardize, --missing, --robust, --forbid, --sign and --no-cache, as `graph` and
/// `compare` have them.
void add_table_options(CLI::App& app, GraphCommand& command);

/// Throws Error unless the folder for the results can be written: found before the work begins.
void check_folder(const GraphCommand& command);

/// Reads the table and makes it ready; refuses what this machine's memory cannot hold.
PreparedData read_graph_input(const GraphCommand& command);

/// What a person reads at the end: where the report is, the strongest edges, the warnings.
std::string graph_text(const GraphAnswer& answer, const std::filesystem::path& folder);
Json graph_result_json(const GraphAnswer& answer, const std::vector<std::filesystem::path>& files);

}  // namespace spodnet::cli
