#include "cli/problems.hpp"

#include <algorithm>

#include "spodnet/core/error.hpp"
#include "spodnet/core/stopwatch.hpp"

namespace spodnet::cli {

void check_fits(const Method& method, const DataSet& data, const std::string& data_name) {
  if (method.needs_samples() && data.X.empty())
    throw Error(data_name + ": method '" + method.name() +
                "' needs the samples themselves: give a table of samples, or a data set made with "
                "'spodnet generate --samples'");
}

void check_means(const Method& method, bool uncentred) {
  if (uncentred && method.needs_samples())
    throw Error("--uncentred: method '" + method.name() +
                "' goes by the samples and removes their means itself: leave it out, or use a "
                "method that goes by the covariance (pretrained, a model file, glasso, oas)");
}

std::vector<std::filesystem::path> files_of(const std::string& method) {
  std::vector<std::filesystem::path> files;
  const auto add = [&](const std::string& text) {
    std::error_code ignored;
    if (std::filesystem::is_regular_file(text, ignored)) files.emplace_back(text);
  };
  add(method);
  for (std::size_t first = 0; first <= method.size();) {
    const std::size_t last = std::min(method.find_first_of(":=,", first), method.size());
    add(method.substr(first, last - first));
    first = last + 1;
  }
  return files;
}

Problem problem(const DataSet& data, std::size_t k, Matrix& X) {
  Problem out{data.S[k], data.n};
  if (!data.X.empty()) {
    X = data.X[k];
    out.X = &X;
  }
  return out;
}

TimedEstimate timed_estimate(const Method& method, const Problem& problem,
                             const std::string& name) {
  const Stopwatch watch;
  TimedEstimate out;
  try {
    out.estimate = method.estimate(problem);
  } catch (const Error& error) {
    throw Error(name + ": " + error.what());
  }
  out.seconds = watch.seconds();
  return out;
}

std::string problem_name(const std::string& data_name, const DataSet& data, std::size_t k) {
  return data.count() == 1 ? data_name : data_name + ": S[" + std::to_string(k) + "]";
}

}  // namespace spodnet::cli
