#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>

#include "spodnet/models/model.hpp"

namespace spodnet::cli {

/// Exit statuses of every command.
inline constexpr int kDone = 0, kNumericalTrouble = 1, kBadInput = 2, kInterrupted = 130;

/// What the commands share: the models they know, and how they ended.
struct Session {
  const ModelRegistry& models;
  int exit_status = kDone;
};

/// Checks for an integer from 1 to `largest`, and says so.
CLI::Validator at_least_one(std::uint64_t largest = 1'000'000'000);
/// Checks for a finite number above 0, or at least 0.
CLI::Validator finite_number(bool positive);

/// Options that stand in several commands.
void add_threads(CLI::App& command, int& threads);
void add_json(CLI::App& command, bool& json);
void add_seed(CLI::App& command, std::uint64_t& seed);

// One per command; each adds a subcommand whose callback sets `session.exit_status`.
void add_graph(CLI::App& app, Session& session);
void add_compare(CLI::App& app, Session& session);
void add_cache(CLI::App& app, Session& session);
void add_generate(CLI::App& app, Session& session);
void add_train(CLI::App& app, Session& session);
void add_estimate(CLI::App& app, Session& session);
void add_evaluate(CLI::App& app, Session& session);
void add_info(CLI::App& app, Session& session);
void add_reproduce(CLI::App& app, Session& session);

}  // namespace spodnet::cli
