#pragma once

#include <filesystem>
#include <string>
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

/// Throws Error when --uncentred is given to a method that removes the column means itself.
void check_means(const Method& method, bool uncentred);

/// The files that a method's text names: a model, a table of penalties.
std::vector<std::filesystem::path> files_of(const std::string& method);

/// Problem k of the data. `X` keeps the samples it points to.
Problem problem(const DataSet& data, std::size_t k, Matrix& X);

/// What problem k is called in messages.
std::string problem_name(const std::string& data_name, const DataSet& data, std::size_t k);

/// An Error begins with the problem's name.
TimedEstimate timed_estimate(const Method& method, const Problem& problem, const std::string& name);

}  // namespace spodnet::cli
