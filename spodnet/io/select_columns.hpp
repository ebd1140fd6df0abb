#pragma once

#include <string>

#include "spodnet/io/table.hpp"

namespace spodnet {

/// Keeps the columns that options.columns name (all where it names none) without those that
/// options.exclude names. What goes is listed in table.left_out with line 0; text columns count,
/// too. A column is written by its name or, unless one has that name, by its number in the file
/// from 1, or as a range 3-7. One that does not exist, or none left: Error, its line beginning with
/// `where`.
void select_columns(Table& table, const TableOptions& options, const std::string& where);

}  // namespace spodnet
