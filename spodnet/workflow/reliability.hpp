#pragma once

#include <string>
#include <vector>

#include "spodnet/workflow/bootstrap.hpp"
#include "spodnet/workflow/margins.hpp"
#include "spodnet/workflow/training_plan.hpp"

namespace spodnet {

/// What the resamples say for an edge: the share that has it; where all have it, 1 plus the size of
/// its partial correlation in units of its spread. `values`: one for each resample, 0 without it.
double support_of(const std::vector<double>& values);

/// Of each of the first edges that were resampled. By error, where levels are so uneven that
/// resamples of rare answers tell little of shares: 1 plus the size of the partial correlation over
/// its error (BootstrapResult) plus the median error of these edges, so that an error that is small
/// by chance makes none sure.
std::vector<double> supports_of(const BootstrapResult& result, const std::vector<EdgePlace>& edges,
                                const Matrix& partial, bool by_error);

/// How often an edge with a given support is a true one, measured where the truth is known.
struct Reliability {
  /// An edge of a synthetic data set.
  struct Observation {
    double support = 0;
    bool is_true = false;
  };
  std::vector<Observation> observations;  ///< support ascending
  std::vector<double> chance;             ///< that each is true: the increasing fit to `is_true`
  std::size_t data_sets = 0;
  std::size_t rows = 0;   ///< of each
  bool hidden = false;    ///< hidden causes are behind the data sets
  bool margins = false;   ///< their columns have the table's levels and tails
  bool by_error = false;  ///< supports go by errors (supports_of)

  /// Chance that an edge of this support is true, by interpolation; 0.5 without observations.
  double chance_at(double support) const;
};

/// Fills `chance` from the observations: the nearest sequence that never falls as the support grows
/// (pool adjacent violators), each level of it with one more observation that is half true: a few
/// true edges in a row prove little.
void fit_chances(Reliability& reliability);

struct ReliabilityOptions {
  std::size_t data_sets = 24;
  std::size_t resamples = 100;
  double density = 0;    ///< of the graph in question: synthetic graphs of about this density count
  Matrix loadings = {};  ///< of hidden causes in the synthetic data (plan_data.hpp); empty: none
  Margins margins = {};  ///< of the synthetic data
  std::uint64_t seed = 1;
  const std::atomic<bool>* stop = nullptr;
  Group* group = nullptr;  ///< processes that share the resamples
  std::function<void(double fraction)> progress = {};
};

/// What a method gives on one data set and how to refit it to resamples of its rows; both are the
/// same object for a trained model, while lambda stays at its choice for the graphical lasso.
using Refit = std::function<std::shared_ptr<const Method>(const Estimate& estimate)>;

/// Draws data sets of the plan's shape, keeps those whose estimated graphs are closest in density,
/// resamples each and notes for every edge its support and whether it is true.
[[nodiscard]] Reliability measure_reliability(const TrainingPlan& plan, const Method& method,
                                              const Refit& refit, const ReliabilityOptions& options,
                                              ThreadPool& pool);

/// The share of the false edges asked for that an analysis itself expects. Chances are measured on
/// synthetic graphs as dense as the estimate; a tree or a grid has fewer true edges than those, and
/// more of its edges are false (docs/graph_reliability.md).
inline constexpr double kCaution = 0.7;

/// The smallest support such that of the edges at or above it, taken together, at most a share `q`
/// is expected to be false; infinite when there is none.
double stable_threshold(const Reliability& reliability, const std::vector<double>& supports,
                        double q);

}  // namespace spodnet
