#pragma once

#include "spodnet/workflow/analysis.hpp"
#include "spodnet/workflow/node_confidence.hpp"

namespace spodnet {

/// Theta (and W) in the data's units, partial correlations, edges, spectrum and certificate of an
/// estimate made from `working`. Zeros and positive definiteness are preserved by the scaling.
Answer answer_of(const Estimate& estimate, const Prepared& data, const WorkingData& working);

/// Louvain on |partial correlations| (on |Theta| when it was not standardised), the largest
/// community first.
void find_communities(Answer& answer, bool standardized, std::uint64_t seed);

/// The measures of the nodes of the chosen estimate.
void add_nodes(const Analysis& analysis, const Candidate& chosen, Answer& answer);

/// Their ranges over the resamples, and which of the strongest edges and variables differ.
void add_node_confidence(const NodeResamples& nodes, const BootstrapResult& edges, Answer& answer);

/// How stable the order of the nodes is when rows are dropped.
void add_order_stability(Analysis& analysis, const Method& method, Answer& answer);

}  // namespace spodnet
