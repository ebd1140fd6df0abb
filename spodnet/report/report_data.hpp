#pragma once

#include <string>

#include "spodnet/metrics/layout.hpp"
#include "spodnet/workflow/answer.hpp"

namespace spodnet {

/// Beyond so many edges the page would be slow: it holds the strongest and says so.
constexpr std::size_t kReportEdges = 20'000;

/// What the page shows, as JSON: the summary, the variables and, column by column, the edges.
std::string report_data(const Answer& answer, const Points& points);

}  // namespace spodnet
