#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "spodnet/io/table.hpp"
#include "spodnet/tables/row_blocks.hpp"

namespace CLI {
class App;
}  // namespace CLI

namespace spodnet::cli {

/// Options about columns and rows.
struct RowOptions {
  std::string usual_kind = "auto";  ///< the command's default
  std::string kind = usual_kind;
  std::string weights, blocks;      ///< a column; blocks also a number of rows
  std::vector<std::string> adjust;  ///< columns
  std::string group, person;        ///< columns, in `difference`
};

/// --kind, --weights, --adjust, --blocks.
void add_row_options(CLI::App& command, RowOptions& options);

/// Whether any option about rows was given.
bool has_row_options(const RowOptions& options);

/// The columns that are no variables then, as they are written for --exclude.
std::vector<std::string> columns_of_rows(const RowOptions& options);

/// Reads the options about rows: `numbers` reads columns as numbers, `labels` one as text.
RowFacts read_row_facts(const RowOptions& options,
                        const std::function<Table(const std::vector<std::string>&)>& numbers,
                        const std::function<std::vector<std::string>(const std::string&)>& labels);

/// The cells of a column of a text table below its header, by its name or its number from 1; a
/// table without header, or without that column: Error.
std::vector<std::string> read_labels(const std::filesystem::path& file, const std::string& column,
                                     char separator);

/// Whether the first column, whose text would be taken for names of rows, says clusters or groups.
bool first_column_is_label(const std::filesystem::path& file, const RowOptions& options,
                           char separator);

/// Equal labels get equal numbers 0, 1, ... in the order in which they are first seen; `names` are
/// the different ones; those of earlier calls keep their numbers.
std::vector<std::uint32_t> numbered(const std::vector<std::string>& labels,
                                    std::vector<std::string>& names);

}  // namespace spodnet::cli
