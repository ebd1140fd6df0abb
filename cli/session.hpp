#pragma once

#include <cmath>
#include <cstdint>
#include <string>

#include "spodnet/core/group.hpp"
#include "spodnet/core/status.hpp"
#include "spodnet/models/model.hpp"
#include "spodnet/problem/loss.hpp"

namespace CLI {
class App;
class Validator;
}  // namespace CLI

namespace spodnet::cli {

/// Exit statuses of every command.
inline constexpr int kDone = 0, kNumericalTrouble = 1, kBadInput = 2, kInterrupted = 130;

/// What the commands share: the models they know, the processes that share the work, and how they
/// ended.
struct Session {
  const ModelRegistry& models;
  const LossRegistry& losses;
  Group& group = one_process();
  int exit_status = kDone;
};

/// Parses the words and runs what the callbacks of `app` do; every failure becomes one line on
/// standard error and an exit status.
int parse_and_run(CLI::App& app, int argc, char** argv, Session& session);

/// Checks of an option's value that say what it must be. Numbers are finite.
CLI::Validator integer_from(std::uint64_t smallest, std::uint64_t largest = 1'000'000'000);
CLI::Validator number_from(double smallest, double largest = HUGE_VAL);
CLI::Validator positive_number();

/// The command of that name; null: none.
const CLI::App* find_command(const CLI::App& app, const std::string& name);

/// Options that stand in several commands.
void add_threads(CLI::App& command, int& threads);
/// --device cpu, cuda, cuda:N or auto.
void add_device(CLI::App& command, std::string& device);
void add_json(CLI::App& command, bool& json);
void add_seed(CLI::App& command, std::uint64_t& seed);
/// The group of options that --help-all shows and --help does not.
inline constexpr const char* kRare = "Rarely needed";
/// --quiet, for commands whose results are files.
void add_quiet(CLI::App& command);
/// --strict, for commands whose estimates may be replaced.
void add_strict(CLI::App& command, bool& strict);
/// What the status of an estimate means for the command: one that was replaced is trouble only when
/// asked.
constexpr int exit_status_of(Status status, bool strict) {
  return is_sound(status) && !(strict && status == Status::replaced) ? kDone : kNumericalTrouble;
}

// One per command; each adds a subcommand whose callback sets `session.exit_status`.
void add_graph(CLI::App& app, Session& session);
void add_compare(CLI::App& app, Session& session);
void add_difference(CLI::App& app, Session& session);
void add_temporal(CLI::App& app, Session& session);
void add_cache(CLI::App& app, Session& session);
void add_generate(CLI::App& app, Session& session);
void add_train(CLI::App& app, Session& session);
void add_estimate(CLI::App& app, Session& session);
void add_evaluate(CLI::App& app, Session& session);
void add_info(CLI::App& app, Session& session);

}  // namespace spodnet::cli
