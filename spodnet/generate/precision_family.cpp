#include "spodnet/generate/precision_family.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "spodnet/core/error.hpp"
#include "spodnet/generate/graph_precision.hpp"
#include "spodnet/generate/latent_precision.hpp"
#include "spodnet/generate/sparse_precision.hpp"

namespace spodnet {
namespace {

constexpr std::ptrdiff_t kSparse = 7;    // families of `mix`
constexpr LogRange kConditions{3, 300};  // of the graph families, where none are asked for
constexpr LogRange kLatentConditions{10, 30'000};
constexpr double kSlowest = 0.5, kFastest = 1;  // decay of power_law: exponents 3 to 2
constexpr double kLatentShare = 0.5;  // of the condition's logarithm, of the graph behind latent

bool has_own_order(PrecisionFamily family) {
  return family == PrecisionFamily::small_world || family == PrecisionFamily::bands ||
         family == PrecisionFamily::blocks || family == PrecisionFamily::grid;
}

Matrix shuffled(const Matrix& A, RandomStream& random) {
  std::vector<std::uint32_t> order(std::size_t(A.rows()));
  std::iota(order.begin(), order.end(), 0u);
  random.shuffle(order);
  return A(order, order);
}

Matrix draw_couplings(const PrecisionDraw& kind, std::size_t p, double density,
                      RandomStream& random) {
  const auto on = [&](const Edges& edges) { return graph_couplings(p, edges, kind.signs, random); };
  switch (kind.family) {
    case PrecisionFamily::erdos_renyi:
    case PrecisionFamily::latent:
      return on(erdos_renyi_graph(p, density, random));
    case PrecisionFamily::scale_free:
      return on(scale_free_graph(p, density, random));
    case PrecisionFamily::power_law:
      return on(scale_free_graph(p, density, random, random.uniform(kSlowest, kFastest)));
    case PrecisionFamily::small_world:
      return on(small_world_graph(p, density, random));
    case PrecisionFamily::hubs:
      return on(hub_graph(p, density, random));
    case PrecisionFamily::blocks:
      return on(block_graph(p, density, random));
    case PrecisionFamily::grid:
      return on(grid_graph(p, density, random));
    case PrecisionFamily::plane:
      return on(plane_graph(p, density, random));
    case PrecisionFamily::tree:
      return on(tree_graph(p, density, random));
    default:
      return band_couplings(p, draw_bandwidth(p, density, random), kind.signs, random);
  }
}

std::string joined(const std::vector<PrecisionFamily>& families) {
  std::string text;
  for (const PrecisionFamily family : families)
    text += (text.empty() ? "" : ",") + to_string(family);
  return text;
}

Matrix make_from_factor(const PrecisionDraw& kind, std::size_t p, double alpha,
                        RandomStream& random) {
  SparsePrecisionOptions options{.p = p, .alpha = alpha, .signs = kind.signs};
  if (!kind.condition) return make_sparse_precision(options, random);
  options.diagonal_shift = 0;
  return shift_to_condition(make_sparse_precision(options, random), *kind.condition);
}

}  // namespace

const std::vector<PrecisionFamily>& all_families() {
  using enum PrecisionFamily;
  static const std::vector<PrecisionFamily> all = {
      sparse_cholesky, erdos_renyi, scale_free, small_world, hubs,  bands,
      blocks,          power_law,   latent,     grid,        plane, tree};
  return all;
}

const std::vector<PrecisionFamily>& sparse_families() {
  static const std::vector<PrecisionFamily> sparse(all_families().begin(),
                                                   all_families().begin() + kSparse);
  return sparse;
}

std::string to_string(PrecisionFamily family) {
  switch (family) {
    case PrecisionFamily::sparse_cholesky:
      return "sparse-cholesky";
    case PrecisionFamily::erdos_renyi:
      return "erdos-renyi";
    case PrecisionFamily::scale_free:
      return "scale-free";
    case PrecisionFamily::small_world:
      return "small-world";
    case PrecisionFamily::hubs:
      return "hubs";
    case PrecisionFamily::bands:
      return "bands";
    case PrecisionFamily::blocks:
      return "blocks";
    case PrecisionFamily::power_law:
      return "power-law";
    case PrecisionFamily::grid:
      return "grid";
    case PrecisionFamily::plane:
      return "plane";
    case PrecisionFamily::tree:
      return "tree";
    case PrecisionFamily::latent:
      break;
  }
  return "latent";
}

std::vector<PrecisionFamily> families_from(const std::string& text) {
  if (text == "mix") return sparse_families();
  std::vector<PrecisionFamily> families;
  for (std::size_t first = 0; first <= text.size();) {
    const std::size_t last = std::min(text.find(',', first), text.size());
    const std::string name = text.substr(first, last - first);
    const auto found = std::find_if(all_families().begin(), all_families().end(),
                                    [&](PrecisionFamily f) { return to_string(f) == name; });
    if (found == all_families().end())
      throw Error("generator '" + name + "' is not known: it is mix, or some of " +
                  joined(all_families()) + " with commas between");
    families.push_back(*found);
    first = last + 1;
  }
  return families;
}

std::string to_string(const std::vector<PrecisionFamily>& families) {
  return families == sparse_families() ? "mix" : joined(families);
}

void check_mix(const PrecisionMix& mix) {
  if (mix.families.empty()) throw Error("generator: no family of precision matrices is given");
  if (mix.condition && !(mix.condition->low > 1 && mix.condition->low <= mix.condition->high))
    throw Error("condition number " + to_string(*mix.condition) +
                ": it must lie above 1; a range is low:high");
}

PrecisionDraw draw_precision_kind(const PrecisionMix& mix, RandomStream& random) {
  constexpr Signs any[] = {Signs::positive, Signs::negative, Signs::mixed};
  const double family = random.uniform(), signs = random.uniform(), condition = random.uniform();
  PrecisionDraw kind;
  kind.family = mix.families[std::size_t(family * double(mix.families.size()))];
  const bool paper = kind.family == PrecisionFamily::sparse_cholesky;
  kind.signs = mix.signs.value_or(paper ? Signs::positive : any[std::size_t(signs * 3)]);
  const LogRange usual = kind.family == PrecisionFamily::latent ? kLatentConditions : kConditions;
  if (mix.condition || !paper) kind.condition = mix.condition.value_or(usual).at(condition);
  kind.shuffle = mix.shuffle;
  return kind;
}

Matrix make_precision(const PrecisionDraw& kind, std::size_t p, double alpha,
                      RandomStream& random) {
  if (kind.family == PrecisionFamily::sparse_cholesky)
    return make_from_factor(kind, p, alpha, random);
  const Matrix B = draw_couplings(kind, p, 1 - alpha, random);
  if (kind.family == PrecisionFamily::latent) {
    const double condition = std::pow(kind.condition.value(), kLatentShare);
    const Matrix Theta_g = precision_from_couplings(B, condition, random);
    return latent_precision(Theta_g, kind.condition.value(), kind.signs, random);
  }
  const Matrix Theta = precision_from_couplings(B, kind.condition.value(), random);
  return kind.shuffle || !has_own_order(kind.family) ? shuffled(Theta, random) : Theta;
}

}  // namespace spodnet
