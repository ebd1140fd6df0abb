#pragma once

#include <memory>

#include "spodnet/estimators/method.hpp"

namespace spodnet {

/// pretrained:factors=given|included, for variables that are a sparse graph given a few factors
/// that were not measured (estimators/factor_graph.hpp), with the pretrained model for the graph.
/// given: Theta is the precision given the factors, sparse and SPD; its graph has the direct links.
/// included: Theta is the precision of what was measured, sparse less low rank; it predicts.
/// The number of factors is chosen by BIC, or set by count=K; it stands in the estimate
/// (`factors`). Unless they are set, the form is `standardized`, which has the best graphs here,
/// and the target f1 (nmse for `included`). Constraints hold in `given`.
std::unique_ptr<Method> make_factor_graph_method(const MethodSpec& spec,
                                                 const EngineOptions& engine);

/// Such a method with the number of factors of its estimate, for resamples; any other as it is.
std::shared_ptr<const Method> with_factors_of(const Estimate& estimate,
                                              std::shared_ptr<const Method> method);

}  // namespace spodnet
