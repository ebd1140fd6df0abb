#pragma once

#include <cstdint>

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

/// Throws Error when --uncentred would change nothing, because no covariance is computed, or does
/// not go with another option. `samples_are_read`: they are, whatever the file is.
void check_uncentred(const InputOptions& options, bool samples_are_read = false);

/// Whether the method gets standard units of a table: no when the user says so or S is uncentred;
/// models know the units they were trained in, and the shipped ones find out; all others do.
bool standardizes(const InputOptions& options, const Method& method);

/// The covariances of a safetensors file with `S`, taken as they are, or those of its samples.
DataSet read_set(const InputOptions& options);

/// A table as a method gets it; what --uncentred does not go with: Error.
WorkingData pose_table(const Prepared& table, const InputOptions& options, bool standardize);

}  // namespace spodnet::cli
