#include "cli/problems.hpp"

#include <algorithm>

#include "spodnet/core/advice.hpp"
#include "spodnet/core/stopwatch.hpp"

namespace spodnet::cli {
namespace {

constexpr std::size_t kBatch = 64;

/// What problem k is called in messages.
std::string problem_name(const std::string& data_name, const DataSet& data, std::size_t k) {
  return data.count() == 1 ? data_name : data_name + ": S[" + std::to_string(k) + "]";
}

/// Some problems of a data set, with the samples they point to.
class Batch {
 public:
  Batch(const DataSet& data, std::size_t first, std::size_t count, const Constraints* constraints)
      : first_(first) {
    if (!data.X.empty())
      for (std::size_t k = 0; k < count; ++k) X_.push_back(data.X[first + k]);
    for (std::size_t k = 0; k < count; ++k)
      problems_.push_back({.S = data.S[first + k],
                           .n = data.n,
                           .X = X_.empty() ? nullptr : &X_[k],
                           .pool = nullptr,
                           .constraints = constraints});
  }

  std::vector<Estimate> estimate(const Method& method, const DataSet& data,
                                 const std::string& data_name, ThreadPool& pool) {
    try {
      if (problems_.size() > 1) return method.estimate_all(problems_, &pool);
    } catch (const Error&) {  // of which one? They are tried one by one
    }
    std::vector<Estimate> out;
    for (std::size_t k = 0; k < problems_.size(); ++k) {
      problems_[k].pool = &pool;
      out.push_back(named(problem_name(data_name, data, first_ + k),
                          [&] { return method.estimate(problems_[k]); }));
    }
    return out;
  }

 private:
  std::size_t first_;
  std::vector<Matrix> X_;
  std::vector<Problem> problems_;
};

}  // namespace

void check_fits(const Method& method, bool samples, const std::string& data_name) {
  if (method.needs_samples() && !samples)
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

Estimate named(const std::string& name, const std::function<Estimate()>& estimate) {
  try {
    return estimate();
  } catch (const AdvisedError& error) {
    throw AdvisedError(name + ": " + error.what(), error.advice());
  } catch (const Error& error) {
    throw Error(name + ": " + error.what());
  }
}

void estimate_problems(const Method& method, const DataSet& data, const std::string& data_name,
                       const Constraints* constraints, ThreadPool& pool,
                       const std::function<void(std::size_t, Estimate, double)>& done,
                       ProblemRange range) {
  const std::size_t last = std::min(range.last, data.count());
  for (std::size_t first = range.first; first < last; first += kBatch) {
    Batch batch(data, first, std::min(kBatch, last - first), constraints);
    const Stopwatch watch;
    std::vector<Estimate> estimates = batch.estimate(method, data, data_name, pool);
    const double seconds = watch.seconds() / double(estimates.size());
    for (std::size_t k = 0; k < estimates.size(); ++k)
      done(first + k, std::move(estimates[k]), seconds);
  }
}

}  // namespace spodnet::cli
