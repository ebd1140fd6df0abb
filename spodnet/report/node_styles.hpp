#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "spodnet/workflow/answer.hpp"

namespace spodnet {

/// Reads how variables are to be shown from a table of text: `variable`, `group` and, if they are
/// there, `label` and `colour` (#rrggbb), by a header or in this order. Returns one style for each
/// of `names`; what the file does not list has none. Lines about `others` (columns of the data that
/// are not in the graph) are passed over; an unknown variable, one listed twice, a colour that is
/// none: Error with file and line.
std::vector<NodeStyle> read_node_styles(const std::filesystem::path& path,
                                        std::span<const std::string> names,
                                        std::span<const std::string> others = {});

}  // namespace spodnet
