#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "cli/constraint_options.hpp"
#include "cli/estimate_report.hpp"
#include "cli/input.hpp"
#include "cli/problems.hpp"

namespace spodnet::cli {

struct EstimateOptions {
  InputOptions input;
  ConstraintOptions constraints;
  std::string method = "pretrained", target;
  std::filesystem::path out, covariance_out, scores;
  std::optional<double> sparsity;
  int threads = 0;
  std::string device = "cpu";
  bool json = false, strict = false;
};

/// All estimates of one run, stacked, and what they are of.
struct EstimateResults {
  explicit EstimateResults(std::size_t count) : summaries(count), scores(count) {}

  MatrixBatch Theta, W, Z;
  std::vector<Summary> summaries;
  std::vector<Table> scores;
  std::string device;              ///< who computed, and why; empty: the CPU, as asked
  double n = 0;                    ///< number of samples; 0: not known
  bool batch = false;              ///< a stack [count,p,p], as opposed to one matrix
  std::vector<std::string> names;  ///< of the variables; empty: none
  std::vector<DataNote> notes;     ///< of the table's preparation
  std::string kept;                ///< the prior knowledge that holds, in words; empty: none

  /// Call with k = 0 first: it allocates.
  void put(std::size_t k, const Estimate& estimate, double seconds);
};

/// The method that was asked for, its target among the settings. Error for what is given twice.
MethodSpec method_of(const EstimateOptions& options);

void check_estimate_outputs(const EstimateOptions& options, bool batch);

/// A second matrix has a file of its own, whose name only the method's answer asks for.
void check_second_output(const EstimateOptions& options, const EstimateResults& results);

/// Writes every output asked for and returns their names.
std::vector<std::string> write_estimates(const EstimateOptions& options,
                                         const EstimateResults& results, const Summary& summary);

void report_estimates(const EstimateOptions& options, const EstimateResults& results,
                      const Summary& summary, const std::vector<std::string>& written);

}  // namespace spodnet::cli
