#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "cli/constraint_options.hpp"
#include "cli/report.hpp"
#include "cli/table_input.hpp"
#include "spodnet/workflow/answer.hpp"

namespace CLI {
class App;
}  // namespace CLI

namespace spodnet::cli {

constexpr unsigned kPatience = 2;  ///< seconds from Ctrl-C to the end, at most

/// `spodnet graph` as it was typed.
struct GraphCommand {
  TableInput table;
  std::filesystem::path out;
  std::string method = "auto";
  bool no_cache = false, train = false, open = false, json = false;
  bool dry_run = false, verbose = false, strict = false;
  std::filesystem::path groups;      ///< of variables, with colours and labels; empty: none
  std::string settings;              ///< what was typed, as a file that repeats it
  std::string bootstrap_text = "0";  ///< as typed: a number or auto
  std::size_t bootstrap = 0;         ///< ... and how many that is at first
  bool settle = false;               ///< more of them where they do not settle what is stable
  std::optional<double> stable;
  ConstraintOptions constraints;
  std::uint64_t seed = 0;
  int threads = 0;
  std::string device = "cpu";
};

/// Throws Error unless the folder for the results can be written: found before the work begins.
void check_folder(const std::filesystem::path& out);

/// --no-cache.
void add_no_cache(CLI::App& app, bool& no_cache);

/// --dry-run: what would be done with each column, and how long it will take.
std::string dry_run_text(const Prepared& data, const GraphCommand& command, int threads);
Json dry_run_json(const Prepared& data, const GraphCommand& command, int threads);

/// --verbose: every method that was tried, with its scores and its time, and the files written.
std::string verbose_text(const Answer& answer, const std::vector<std::filesystem::path>& files);

/// What a person reads at the end: where the report is, the strongest edges, the warnings.
std::string graph_text(const Answer& answer, const std::filesystem::path& folder);
Json graph_result_json(const Answer& answer, const std::vector<std::filesystem::path>& files);

}  // namespace spodnet::cli
