#pragma once

#include <string>

#include "spodnet/workflow/temporal.hpp"

namespace spodnet {

/// Links in fewer resamples are drawn faint.
inline constexpr double kSureShare = 0.9;

/// One page without scripts: effects on the next measurement, links within one, and how sure each
/// is.
std::string temporal_html(const Temporal& found, const std::string& title);

/// from, to, effect and its confidence: every pair, a variable with itself too.
std::string temporal_csv(const Temporal& found);
/// source, target, partial correlation and its confidence: every pair.
std::string contemporaneous_csv(const Temporal& found);
std::string temporal_json(const Temporal& found);
/// The strongest links, and the notes, for the terminal.
std::string temporal_text(const Temporal& found);

}  // namespace spodnet
