#pragma once

#include <optional>
#include <string>
#include <vector>

#include "spodnet/core/random.hpp"
#include "spodnet/core/types.hpp"
#include "spodnet/generate/log_range.hpp"
#include "spodnet/generate/signs.hpp"

namespace spodnet {

/// Where true precision matrices come from: the paper's sparse Cholesky factor, or a random graph
/// (random_graph.hpp) with couplings on its edges (graph_precision.hpp). power_law is scale_free
/// with exponents from 2 to 3, latent an Erdos-Renyi graph given hidden causes
/// (latent_precision.hpp); grid, plane and tree are for evaluation: no shipped model has seen them.
enum class PrecisionFamily {
  sparse_cholesky,
  erdos_renyi,
  scale_free,
  small_world,
  hubs,
  bands,
  blocks,
  power_law,
  latent,
  grid,
  plane,
  tree
};

const std::vector<PrecisionFamily>& all_families();
const std::vector<PrecisionFamily>& sparse_families();  ///< the first seven: what `mix` stands for
std::string to_string(PrecisionFamily family);          ///< `sparse-cholesky`, `erdos-renyi`, ...

/// The families of a data set and how their matrices vary.
struct PrecisionMix {
  std::vector<PrecisionFamily> families = {PrecisionFamily::sparse_cholesky};
  /// Empty: positive for sparse_cholesky (the paper's), drawn for each matrix for the others.
  std::optional<Signs> signs = {};
  /// Empty: not adjusted for sparse_cholesky (the paper's), 3:300 for the others, 10:30000
  /// for latent.
  std::optional<LogRange> condition = {};
  /// Random order of the variables. sparse_cholesky, scale_free, power_law and hubs always have
  /// one; small_world, bands, blocks and grid otherwise keep their own.
  bool shuffle = false;
};

/// Reads one name, a list `hubs,bands`, or `mix` (the sparse seven), and back; throws Error on
/// anything else.
std::vector<PrecisionFamily> families_from(const std::string& text);
std::string to_string(const std::vector<PrecisionFamily>& families);

/// Throws Error unless there is a family and the condition number lies above 1.
void check_mix(const PrecisionMix& mix);

/// What was drawn for one matrix.
struct PrecisionDraw {
  PrecisionFamily family = PrecisionFamily::sparse_cholesky;
  Signs signs = Signs::positive;
  std::optional<double> condition = {};
  bool shuffle = false;
};

/// Family (all equally likely), signs and condition number (log-uniform): always three numbers
/// from the stream, so that a change of one setting leaves the others' draws alone.
PrecisionDraw draw_precision_kind(const PrecisionMix& mix, RandomStream& random);

/// An SPD matrix, p x p, exactly symmetric, of this kind. 1 - alpha is the expected share of pairs
/// of variables that are edges; for sparse_cholesky, of entries of the factor; for latent, of pairs
/// that are edges given the hidden causes. Cost O(p^3).
Matrix make_precision(const PrecisionDraw& kind, std::size_t p, double alpha, RandomStream& random);

}  // namespace spodnet
