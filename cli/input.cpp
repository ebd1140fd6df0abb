#include "cli/input.hpp"

#include <CLI/CLI.hpp>

#include "cli/output.hpp"
#include "spodnet/core/error.hpp"
#include "spodnet/io/message.hpp"
#include "spodnet/tables/covariance.hpp"

namespace spodnet::cli {
namespace {

bool asks_for_preparation(const TableInput& table) {
  return table.missing || !table.robust.empty() || table.no_standardize || table.folds_in_order ||
         !table.header.empty() || !table.levels.empty() || !table.columns.empty() ||
         !table.exclude.empty() || !table.transform.empty() || has_row_options(table.rows);
}

void covariances_of_samples(const InputOptions& options, DataSet& data) {
  if (options.table.samples_count > 0)
    throw Error("--samples-count goes with --input covariance: samples are counted in the file");
  if (data.X.empty())
    throw Error(shown_path(options.table.file) +
                ": has no tensor 'X' with samples: leave out --input");
  for (std::size_t k = 0; k < data.count(); ++k)
    data.S[k] = empirical_covariance(data.X[k], {.centred = !options.uncentred});
}

void check_complete(const Prepared& table, const InputOptions& options) {
  if (options.uncentred && !table.plain())
    throw Error(
        "--uncentred: needs every value, and no ranks, levels, weights or the like: leave it out, "
        "or say --missing drop and --kind gaussian");
}

}  // namespace

DataSet read_set(const InputOptions& options) {
  const TableInput& table = options.table;
  if (asks_for_preparation(table))
    throw Error(
        "--transform, --missing, --robust, --no-standardize, --folds-in-order, --header, --levels, "
        "--columns, "
        "--exclude, --kind, --weights, --adjust and --blocks are for tables: " +
        shown_path(table.file) + " is taken as it is, leave them out");
  DataSet data = load_dataset(table.file);
  if (table.kind == "samples") covariances_of_samples(options, data);
  if (table.samples_count > 0) data.n = double(table.samples_count);
  return data;
}

void add_input(CLI::App& command, InputOptions& options) {
  add_table_kind(command, options.table);
  options.table.rows.kind = options.table.rows.usual_kind = "gaussian";  // W is that of the numbers
  add_preparation(command, options.table);
  command.add_flag("--uncentred", options.uncentred, "S = X'X/n without removing the column means");
}

void check_uncentred(const InputOptions& options, bool samples_are_read) {
  const TableInput& table = options.table;
  if (!options.uncentred || samples_are_read || table.kind == "samples") return;
  const bool tensors = holds_several(table.file);
  if (tensors || table.kind == "covariance")
    throw Error("--uncentred: the covariances of " + shown_path(table.file) +
                " are taken as they are: leave it out" +
                (tensors ? ", or say --input samples where the file has them" : ""));
}

bool standardizes(const InputOptions& options, const Method& method) {
  return !options.table.no_standardize && !options.uncentred && wants_standard_units(method);
}

WorkingData pose_table(const Prepared& table, const InputOptions& options, bool standardize) {
  check_complete(table, options);
  return pose(table, {standardize, options.uncentred, options.order()});
}

}  // namespace spodnet::cli
