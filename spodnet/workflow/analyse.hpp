#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "spodnet/problem/constraints.hpp"
#include "spodnet/tables/prepare.hpp"
#include "spodnet/workflow/answer.hpp"
#include "spodnet/workflow/run_context.hpp"

namespace spodnet {

/// Beyond these `auto` takes the graphical lasso with EBIC instead of a learned model.
constexpr std::size_t kAutoVariables = 300;
constexpr double kAutoSamples = 3;
/// From so many variables on, fewer than one sample for kHopelessRatio of them are refused by
/// `auto`.
constexpr std::size_t kHopelessVariables = 1000;
constexpr std::size_t kHopelessRatio = 20;
/// What AnalysisOptions::settle begins with and where it ends.
constexpr std::size_t kFirstSettling = 200, kMostSettling = 1000;

struct AnalysisOptions {
  std::string method = "auto";  ///< auto, tailored, a model file, or name:key=value,...
  bool train = false;           ///< auto: also a model trained to the shape of the data
  bool standardize = true;      ///< estimate from correlations, transform back
  std::size_t resamples = 0;    ///< bootstrap; 0: none
  bool settle = false;  ///< as many more resamples (up to kMostSettling) as decide which edges are
                        ///< stable
  std::optional<double> stable = {};  ///< largest expected share of false ones among stable edges
  std::uint64_t seed = 0;             ///< of folds, resamples and communities
  bool folds_in_order = false;        ///< folds of consecutive rows, not of shuffled ones
  const Constraints* constraints = nullptr;  ///< prior knowledge that holds in the answer
  std::filesystem::path cache = {};  ///< folder of trained models; empty: none is read or kept
};

/// Throws where `auto` would take hours for hardly any result: Error with the remedy.
void refuse_hopeless(const Prepared& data, const AnalysisOptions& options);

/// From prepared data to a graph with its certificate: chooses or takes the method, estimates,
/// finds communities, resamples, and says what to be careful about. `title` and those settings of
/// the record that only the caller knows are left to it. The result is the same for any pool size,
/// but for the seconds. What the method refuses: Error.
[[nodiscard]] Answer analyse(const Prepared& data, const AnalysisOptions& options,
                             const RunContext& run);

}  // namespace spodnet
