#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "cli/row_options.hpp"
#include "spodnet/tables/prepare.hpp"

namespace CLI {
class App;
}  // namespace CLI

namespace spodnet::cli {

/// A table as it was typed, and how it is made ready: the same options in every command that reads
/// one.
struct TableInput {
  std::filesystem::path file;
  std::string kind;                    ///< samples, covariance, or empty: not said
  std::size_t samples_count = 0;       ///< behind a covariance; 0: not said
  std::optional<std::string> missing;  ///< pairwise (also where it is not said), em or drop
  std::string robust;                  ///< spearman, kendall, or empty: no ranks
  bool no_standardize = false;
  bool folds_in_order = false;  ///< rows are not shuffled before they are split
  bool link_unobserved = false;
  bool transpose = false;                             ///< samples stand in columns
  std::string header, row_names, separator, decimal;  ///< as typed; empty: not said
  std::vector<std::string> na, columns, exclude, levels;
  std::string transform;               ///< clr, clr:COLUMNS, or empty: none
  std::optional<double> pseudo_count;  ///< of the log-ratios
  RowOptions rows;
};

/// --header, --row-names, --sep, --decimal, --na, --levels, --columns, --exclude.
void add_reading(CLI::App& command, TableInput& input);

/// The reading, and --missing, --robust, --no-standardize, --folds-in-order, --link-unobserved,
/// --transform, --pseudo-count, --kind, --weights, --adjust, --blocks.
void add_preparation(CLI::App& command, TableInput& input);

/// --input and --samples-count.
void add_table_kind(CLI::App& command, TableInput& input);

/// Reads the table (- is standard input) and makes it ready; refuses what this machine's memory
/// cannot hold, and a square symmetric one whose content was not named. `least` variables
/// must be left. `rows` has the rows' groups and persons, where there are any.
Prepared read_prepared(const TableInput& input, std::size_t least = 2, ThreadPool* pool = nullptr,
                       RowFacts rows = {});

/// How the file is read, and how it is prepared, without the options about rows.
TableOptions reading_options(const TableInput& input);
PrepareOptions prepare_options(const TableInput& input, std::size_t least);

/// The separator that was typed; zero: found out.
char separator_of(const std::string& text);

/// Equal to its transpose: more likely a covariance than samples.
bool square_and_symmetric(const Matrix& A);

}  // namespace spodnet::cli
