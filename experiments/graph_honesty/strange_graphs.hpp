#pragma once

#include <string>
#include <vector>

#include "spodnet/core/random.hpp"
#include "spodnet/core/types.hpp"

namespace spodnet::experiments {

// Graphs and rows that no model of this project was trained on.

/// grid (2-D), plane (nearest neighbours of points), tree, bipartite, cliques (a chain of them),
/// wheels (hubs with rims).
const std::vector<std::string>& strange_graphs();

/// Theta of such a graph, p x p: entries uniform in +-[0.5, 1] on the edges, the diagonal such that
/// the condition number is log-uniform in [5, 50], then scaled to unit variances. `none`: I.
Matrix strange_precision(const std::string& graph, std::size_t p, RandomStream& random);

/// gaussian, t4 (one factor per row), ordinal (5 levels, their cut points drawn for each variable),
/// factor (a hidden variable behind all carries 30 to 50 % of the variance), skew2, skew3 and skew4
/// (levels of which 90, 90 and 95 % are the first), null (gaussian, of graph none), spread (a third
/// of the rows have three times the standard deviation), lognormal (exp of a Gaussian variable).
const std::vector<std::string>& strange_laws();

/// n rows whose direct links are those of Theta (given the factor, where there is one).
Matrix strange_rows(const Matrix& Theta, std::size_t n, const std::string& law,
                    RandomStream& random);

}  // namespace spodnet::experiments
