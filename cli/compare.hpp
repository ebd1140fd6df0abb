#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "cli/report.hpp"
#include "spodnet/report/compare_page.hpp"

namespace spodnet::cli {

/// What the terminal shows: one line a method, then the Jaccard agreement of the graphs.
std::string compare_text(const ComparedData& data);
Json compare_json(const ComparedData& data, const std::vector<std::filesystem::path>& files);

/// compare.csv: one line a method, with the score of every fold.
std::string compare_csv(const Comparison& comparison);
/// agreement.csv: one line a pair of methods.
std::string agreement_csv(const Comparison& comparison);

}  // namespace spodnet::cli
