#include "cli/constraint_options.hpp"

#include <CLI/CLI.hpp>

#include <filesystem>

#include "spodnet/core/error.hpp"
#include "spodnet/io/message.hpp"
#include "spodnet/tables/constraints_file.hpp"

namespace spodnet::cli {
namespace {

bool given(const ConstraintOptions& options) {
  return !options.forbid.empty() || !options.sign.empty();
}

}  // namespace

void add_constraints(CLI::App& command, ConstraintOptions& options) {
  command
      .add_option("--forbid", options.forbid,
                  "CSV of pairs without an edge: source,target (names or numbers from 1)")
      ->type_name("FILE");
  command
      .add_option("--sign", options.sign,
                  "Sign of the partial correlations: positive, negative (all of them), or a CSV "
                  "source,target,sign")
      ->type_name("SIGN|FILE");
}

std::optional<Constraints> read_constraints(const ConstraintOptions& options,
                                            std::span<const std::string> names, std::size_t p) {
  if (!given(options)) return std::nullopt;
  Constraints constraints(p);
  if (options.sign == "positive")
    constraints.narrow_all(PairRule::not_negative);
  else if (options.sign == "negative")
    constraints.narrow_all(PairRule::not_positive);
  else if (!options.sign.empty() && !std::filesystem::exists(options.sign))
    throw Error("--sign " + shown(options.sign) +
                ": is neither positive, negative nor a file source,target,sign");
  else if (!options.sign.empty())
    fix_signs(options.sign, names, constraints);
  if (!options.forbid.empty()) forbid_pairs(options.forbid, names, constraints);
  return constraints;
}

std::optional<Constraints> read_constraints(const ConstraintOptions& options,
                                            const Prepared& data) {
  const auto all = read_constraints(options, data.file_columns, data.file_columns.size());
  if (!all) return std::nullopt;
  return all->among(data.place);
}

void check_honours(const Method& method, const ConstraintOptions& options) {
  if (!given(options) || method.honours_constraints()) return;
  const Constraints any(1);
  Problem problem;
  problem.constraints = &any;
  refuse_constraints(problem, method.name());
}

std::string constraints_text(const Constraints& constraints) {
  std::size_t forbidden = 0, signs = 0;
  for (std::size_t i = 0; i < constraints.p(); ++i)
    for (std::size_t j = 0; j < i; ++j) {
      const PairRule rule = constraints(i, j);
      forbidden += rule == PairRule::zero;
      signs += rule == PairRule::not_negative || rule == PairRule::not_positive;
    }
  const auto counted = [](std::size_t count, const char* what) {
    return std::to_string(count) + (count == 1 ? " pair " : " pairs ") + what;
  };
  return counted(forbidden, "without an edge") + ", " + counted(signs, "with a fixed sign");
}

}  // namespace spodnet::cli
