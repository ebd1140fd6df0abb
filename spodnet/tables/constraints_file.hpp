#pragma once

#include <filesystem>
#include <span>
#include <string>

#include "spodnet/problem/constraints.hpp"

namespace spodnet {

// Lists of pairs (.csv, .tsv, .txt, plain or .gz). A variable is written by its name or, unless a
// variable has that name, by its number, counted from 1. A first line with the cells `source` and
// `target` (or from/to, node1/node2; the case does not matter) is a header: other columns are then
// ignored. Without a header a line has nothing but the columns asked for. An unknown or ambiguous
// name, a variable paired with itself, an empty list: Error naming file, line and remedy.

/// Forbids the pairs of a file with the columns source, target. `names` may be empty (numbers only)
/// or hold constraints.p() names.
void forbid_pairs(const std::filesystem::path& path, std::span<const std::string> names,
                  Constraints& constraints);

/// Fixes the signs of the partial correlations of a file with the columns source, target, sign
/// (positive, negative, +, -, +1, 1, -1). A pair with both signs: Error.
void fix_signs(const std::filesystem::path& path, std::span<const std::string> names,
               Constraints& constraints);

}  // namespace spodnet
