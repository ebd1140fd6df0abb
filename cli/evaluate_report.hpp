#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "cli/problems.hpp"
#include "cli/report.hpp"
#include "spodnet/metrics/scores.hpp"

namespace spodnet::cli {

/// What one method did on every problem of the test set.
struct MethodScores {
  std::string method, matrix;
  std::vector<MatrixScores> scores;
  std::vector<Status> status;
  std::vector<double> seconds;

  MethodScores(std::string method_, std::string matrix_, std::size_t count)
      : method(std::move(method_)),
        matrix(std::move(matrix_)),
        scores(count),
        status(count),
        seconds(count) {}

  std::size_t failures() const;
  std::size_t replaced() const;  ///< by the judge of learned estimates
  double mean_seconds() const;
};

/// One column per method, one row per score that was measured; means over the set.
std::string scores_table(const DataSet& data, const std::vector<MethodScores>& all);
Json scores_json(const std::string& data_name, const DataSet& data,
                 const std::vector<MethodScores>& all);
/// Columns: method, matrix (Theta or Z), index, status, seconds, then every score.
void write_per_matrix(const std::filesystem::path& path, const std::vector<MethodScores>& all);

}  // namespace spodnet::cli
