#include "cli/problems.hpp"

#include <chrono>

#include "spodnet/core/error.hpp"

namespace spodnet::cli {

void check_fits(const Method& method, const DataSet& data, const std::string& data_name) {
  if (method.needs_samples() && data.X.empty())
    throw Error(data_name + ": method '" + method.name() +
                "' needs the samples themselves: give a table of samples, or a data set made with "
                "'spodnet generate --samples'");
}

Problem problem(const DataSet& data, std::size_t k, Matrix& X) {
  Problem out{data.S[k], data.n};
  if (!data.X.empty()) {
    X = data.X[k];
    out.X = &X;
  }
  return out;
}

TimedEstimate timed_estimate(const Method& method, const Problem& problem) {
  const auto start = std::chrono::steady_clock::now();
  TimedEstimate out{method.estimate(problem), 0};
  out.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return out;
}

}  // namespace spodnet::cli
