#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "spodnet/estimators/method.hpp"
#include "spodnet/generate/dataset.hpp"

namespace spodnet::cli {

/// Throws Error when the method needs samples and there are none.
void check_fits(const Method& method, bool samples, const std::string& data_name);

/// Throws Error when --uncentred is given to a method that removes the column means itself.
void check_means(const Method& method, bool uncentred);

/// The files that a method's text names: a model, a table of penalties.
std::vector<std::filesystem::path> files_of(const std::string& method);

/// `estimate`; an Error of it begins with the name.
Estimate named(const std::string& name, const std::function<Estimate()>& estimate);

/// Problems of a data set, from `first` up to but not including `last`.
struct ProblemRange {
  std::size_t first = 0, last = ~std::size_t{0};
};

/// Every problem of the data (of the range), estimated in batches;
/// a problem alone has all threads to itself. `done` gets the estimates in order, an Error begins
/// with the problem's name. The time of a batch is shared equally.
void estimate_problems(
    const Method& method, const DataSet& data, const std::string& data_name,
    const Constraints* constraints, ThreadPool& pool,
    const std::function<void(std::size_t k, Estimate estimate, double seconds)>& done,
    ProblemRange range = {});

}  // namespace spodnet::cli
