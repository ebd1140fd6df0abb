#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "spodnet/metrics/layout.hpp"
#include "spodnet/workflow/answer.hpp"

namespace spodnet {

/// Of so many variables pairs.csv has a line for each pair (half a million); of more it is not
/// written.
constexpr std::size_t kPairsVariables = 1000;

/// A file that the caller adds: its name and its text.
using NamedText = std::pair<std::string, std::string>;

/// The layout of an answer: by its strongest edges (four per variable) and those without which
/// the graph would fall apart; the mass of weak ones would pull everything into one heap.
Points answer_layout(const Answer& answer, const LayoutOptions& options = {});

/// Writes the answer into the folder `dir` (made where missing) as edges.csv, pairs.csv,
/// precision.csv, .npy and .mtx, partial_correlations.csv, covariance.csv, communities.csv,
/// nodes.csv and, after a bootstrap, edge_differences.csv and node_differences.csv,
/// graph.graphml, graph.dot, graph.json, graph.svg, graph.pdf, graph.png, summary.json,
/// read_results.py and .R, those of `more`, and report.html (docs/formats.md) and returns their
/// paths in this order. All of them appear, or none and earlier ones stay as they were. The same
/// answer gives the same bytes. An answer that contradicts itself or is not finite, and every
/// failure to write: Error. Of an earlier answer in
/// the folder those of these files that the new one does not have are removed.
std::vector<std::filesystem::path> write_graph_answer(const std::filesystem::path& dir,
                                                      const Answer& answer,
                                                      const std::vector<NamedText>& more = {});

/// Throws Error, its line starting with `where`, unless the sizes agree, every edge joins i < j <
/// p, the strongest first, and the numbers of Theta, its partial correlations and the edges are
/// finite.
void check_answer(const Answer& answer, const std::string& where);

/// The text of each file. Variables are numbered from 1 in the CSV files as in the Matrix Market
/// file, from 0 in the others; communities from 1 everywhere, the largest first.
std::string edges_csv(const Answer& answer);
std::string pairs_csv(const Answer& answer);
std::string communities_csv(const Answer& answer);
std::string nodes_csv(const Answer& answer);
std::string edge_differences_csv(const Answer& answer);
std::string node_differences_csv(const Answer& answer);
std::string summary_json(const Answer& answer);
std::string graphml(const Answer& answer, const Points& points);  ///< one point per variable
std::string graph_dot(const Answer& answer, const Points& points);
std::string graph_json(const Answer& answer, const Points& points);
std::string report_html(const Answer& answer, const Points& points);

}  // namespace spodnet
