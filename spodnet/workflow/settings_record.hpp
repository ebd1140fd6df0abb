#pragma once

#include <string>
#include <utility>
#include <vector>

#include "spodnet/workflow/analyse.hpp"

namespace spodnet {

/// The settings of an analysis in words, for the record of its answer: how the table was made
/// ready, the method, resamples and seed, and which columns say something of the rows.
std::vector<std::pair<std::string, std::string>> settings_record(const Prepared& data,
                                                                 const AnalysisOptions& options);

}  // namespace spodnet
