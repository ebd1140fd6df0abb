#pragma once

#include "spodnet/workflow/analysis.hpp"

namespace spodnet {

/// A candidate of `auto`, under the name by which it can be asked for.
inline constexpr const char* kPretrainedRefitted = "pretrained:target=precision,refit=true";
/// The graph given hidden factors, and the same factors in a prediction of rows.
inline constexpr const char* kGivenFactors = "pretrained:factors=given";
inline constexpr const char* kIncludedFactors = "pretrained:factors=included";
/// A model trained to the shape of the data, in `graph` and `compare`.
inline constexpr const char* kTailored = "tailored";

/// Adds the methods to be considered; with `train` also a model trained to the shape of the data.
void add_candidates(Analysis& analysis);

/// One method by its name or file; it is left out when it needs samples and there are none.
/// A `reference` is only compared with.
void add_candidate(Analysis& analysis, const std::string& text, bool reference = false);

/// A model trained to the shape of the data, now or earlier (cache).
void add_tailored(Analysis& analysis);

}  // namespace spodnet
