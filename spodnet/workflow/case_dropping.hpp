#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <span>

#include "spodnet/metrics/centrality.hpp"
#include "spodnet/workflow/working_data.hpp"

namespace spodnet {

struct CaseDroppingOptions {
  std::vector<double> dropped = {};  ///< shares of the rows; empty: ten from 0.05 to 0.75
  std::size_t subsets = 20;          ///< of the rows that stay, for each share
  double correlation = 0.7;          ///< with the measures of all rows, at least ...
  double certainty = 0.95;           ///< ... with this probability
  std::uint64_t seed = 0;
  const std::atomic<bool>* stop = nullptr;
  std::function<void(double fraction)> progress = {};
};

struct CaseDropping {
  std::vector<double> dropped;  ///< shares of the rows
  Matrix least;                 ///< shares x 6: correlation reached with the probability asked for
  Vector stability;             ///< 6: the correlation-stability coefficients
  bool interrupted = false;
};

/// How stable the measures of the nodes are when rows are dropped (Epskamp, Borsboom and Fried
/// 2018, the correlation-stability coefficient): the largest share of rows that may be dropped such
/// that, with probability `certainty`, the measures of the rest correlate with those of all rows
/// (`value`, p x 6, over the nodes) at `correlation` or more; 0 where no share will do. Above 0.5
/// an order of the nodes may be read, below 0.25 not. A measure that is the same for all nodes
/// correlates with nothing: 0. Cost: shares * subsets estimates.
[[nodiscard]] CaseDropping drop_cases(const WorkingData& data, const Method& method,
                                      const Matrix& value, std::span<const std::size_t> community,
                                      const CaseDroppingOptions& options, ThreadPool& pool);

/// Pearson's correlation; 0 where one of them is constant.
double correlation_of(const Vector& x, const Vector& y);

}  // namespace spodnet
