#pragma once

#include <atomic>
#include <functional>
#include <vector>

#include "spodnet/data/dataset.hpp"
#include "spodnet/methods/method.hpp"

namespace spodnet::cli {

/// One estimate and how long it took.
struct TimedEstimate {
  Estimate estimate;
  double seconds = 0;
};

/// Throws Error when the method needs samples and the data have none.
void check_fits(const Method& method, const DataSet& data, const std::string& data_name);

/// Problem k of the data, as the method wants it. `X` keeps the samples it points to.
Problem problem(const DataSet& data, std::size_t k, const Method& method, Matrix& X);

/// Estimates problem k.
TimedEstimate timed_estimate(const Method& method, const Problem& problem);

}  // namespace spodnet::cli
