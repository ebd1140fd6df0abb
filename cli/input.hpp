#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/table_input.hpp"
#include "spodnet/generate/dataset.hpp"
#include "spodnet/workflow/working_data.hpp"

namespace CLI {
class App;
}  // namespace CLI

namespace spodnet::cli {

/// What `estimate` and `evaluate` are given to work on.
struct InputOptions {
  TableInput table;  ///< or a data set (.safetensors)
  bool uncentred = false;
  std::uint64_t seed = 0;  ///< of the order of a table's rows

  RowOrder order() const { return {seed, !table.folds_in_order}; }
};

/// Adds --input, --samples-count, the preparation of tables and --uncentred.
void add_input(CLI::App& command, InputOptions& options);

/// One or many problems as a method sees them, with the names of their variables where the file has
/// any.
struct Input {
  DataSet data;
  std::vector<std::string> names;
  bool batch = false;             ///< a stack [count,p,p], as opposed to one matrix
  Vector scale;                   ///< of the standardised variables; empty: the data's units
  bool complete = true;           ///< S is the samples' covariance: no gaps, no ranks
  std::optional<Prepared> table;  ///< where the file is one
};

/// Throws Error when --uncentred would change nothing, because no covariance is computed, or does
/// not go with another option. `samples_are_read`: they are, whatever the file is.
void check_uncentred(const InputOptions& options, bool samples_are_read = false);

/// Whether the method gets standard units of a table: no when the user says so or S is uncentred;
/// models know the units they were trained in, and the shipped ones find out; all others do.
bool standardizes(const InputOptions& options, const Method& method);

/// Reads a table (csv, tsv, npy), made ready as `graph` does, or a safetensors file with `S`. A
/// table holds samples unless told otherwise; a square symmetric one is refused when nothing is
/// said. A given covariance is taken as it is.
Input read_input(const InputOptions& options, bool standardize);

/// The same of a table that was read before.
Input pose(Prepared table, const InputOptions& options, bool standardize);

}  // namespace spodnet::cli
