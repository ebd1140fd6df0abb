#pragma once

#include <string>

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

/// Problem k of the data. `X` keeps the samples it points to.
Problem problem(const DataSet& data, std::size_t k, Matrix& X);

/// What problem k is called in messages.
std::string problem_name(const std::string& data_name, const DataSet& data, std::size_t k);

/// An Error begins with the problem's name.
TimedEstimate timed_estimate(const Method& method, const Problem& problem, const std::string& name);

}  // namespace spodnet::cli
