#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "cli/report.hpp"
#include "spodnet/workflow/compare_data.hpp"

namespace spodnet::cli {

/// A comparison with what its reports say of the data.
struct ComparedData {
  std::string title;               ///< the file's name
  std::vector<std::string> names;  ///< of the variables
  std::vector<DataNote> notes;     ///< what was done to the data, and how they were compared
  Comparison comparison;
};

/// What the terminal shows: one line a method, then the Jaccard agreement of the graphs.
std::string compare_text(const ComparedData& data);
Json compare_json(const ComparedData& data, const std::vector<std::filesystem::path>& files);

/// compare.csv: one line a method, with the score of every fold.
std::string compare_csv(const Comparison& comparison);
/// agreement.csv: one line a pair of methods.
std::string agreement_csv(const Comparison& comparison);
/// compare.html: one page without any other file.
std::string compare_page(const ComparedData& data);

/// A graph with an edge in every pair, or nearly.
bool is_dense(const ComparedMethod& method);

/// Its note, beginning with its name.
std::string named_note(const ComparedMethod& method);

}  // namespace spodnet::cli
