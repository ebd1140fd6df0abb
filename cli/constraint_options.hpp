#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>

#include "spodnet/estimators/method.hpp"
#include "spodnet/problem/constraints.hpp"
#include "spodnet/tables/prepare.hpp"

namespace CLI {
class App;
}  // namespace CLI

namespace spodnet::cli {

/// Prior knowledge as a user writes it.
struct ConstraintOptions {
  std::filesystem::path forbid;  ///< list of pairs without an edge; empty: none
  std::string sign;              ///< positive, negative (all edges), a list of signs, or empty
};

/// Adds --forbid and --sign.
void add_constraints(CLI::App& command, ConstraintOptions& options);

/// Nothing when neither option was given. `names` of the p variables may be empty.
std::optional<Constraints> read_constraints(const ConstraintOptions& options,
                                            std::span<const std::string> names, std::size_t p);

/// The same for prepared data: names and numbers are those of the file's columns; constraints on a
/// column that was left out have no effect.
std::optional<Constraints> read_constraints(const ConstraintOptions& options, const Prepared& data);

/// "2 pairs without an edge, 1 pair with a fixed sign"
std::string constraints_text(const Constraints& constraints);

/// Throws Error when the options ask for something the method cannot keep.
void check_honours(const Method& method, const ConstraintOptions& options);

}  // namespace spodnet::cli
