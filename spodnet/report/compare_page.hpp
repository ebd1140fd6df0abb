#pragma once

#include <string>
#include <vector>

#include "spodnet/workflow/compare_data.hpp"

namespace spodnet {

/// A comparison with what its reports say of the data.
struct ComparedData {
  std::string title;               ///< the file's name
  std::vector<std::string> names;  ///< of the variables
  std::vector<DataNote> notes;     ///< what was done to the data, and how they were compared
  Comparison comparison;
};

/// compare.html: one page without any other file.
std::string compare_page(const ComparedData& data);

/// A graph with an edge in every pair, or nearly.
bool is_dense(const ComparedMethod& method);

/// Its note, beginning with its name.
std::string named_note(const ComparedMethod& method);

/// A name as it may stand on a line of the terminal, cut to 40 bytes.
std::string plain_name(const std::string& name);

}  // namespace spodnet
