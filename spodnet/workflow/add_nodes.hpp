#pragma once

#include "spodnet/workflow/analysis.hpp"
#include "spodnet/workflow/node_confidence.hpp"

namespace spodnet {

/// The measures of the nodes of the chosen estimate.
void add_nodes(const Analysis& analysis, const Candidate& chosen, Answer& answer);

/// Their ranges over the resamples, and which of the strongest edges and variables differ.
void add_node_confidence(const NodeResamples& nodes, const BootstrapResult& edges, Answer& answer);

/// How stable the order of the nodes is when rows are dropped.
void add_order_stability(Analysis& analysis, const Method& method, Answer& answer);

}  // namespace spodnet
