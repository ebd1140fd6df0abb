#pragma once

#include <filesystem>
#include <limits>
#include <span>
#include <string>
#include <vector>

namespace spodnet {

inline constexpr double kNotMeasured = std::numeric_limits<double>::quiet_NaN();

/// What one epoch left behind. Without validation its six columns are not measured.
struct EpochRow {
  double epoch = 0;                        ///< counted from 1
  double train_loss = kNotMeasured;        ///< mean over batches, before each update
  double train_nmse = kNotMeasured;        ///< the same of the NMSE
  double valid_nmse = kNotMeasured;        ///< means over the validation set ...
  double valid_f1 = kNotMeasured;          ///<
  double valid_f1_offdiag = kNotMeasured;  ///<
  double eig_min = kNotMeasured;           ///< ... but the smallest eigenvalue of the whole set
  double condition = kNotMeasured;         ///< mean
  double density = kNotMeasured;           ///< mean
  double seconds = 0;                      ///< since the training began, resumed parts added
};

using History = std::vector<EpochRow>;

/// A number of a row with its name in files.
struct HistoryColumn {
  const char* name;
  double EpochRow::*value;
};

/// All of them but epoch and seconds: how good the model is after an epoch.
std::span<const HistoryColumn> quality_columns();

/// A row as its ten numbers, in the order of the columns, and back.
inline constexpr std::size_t kHistoryColumns = 10;
std::vector<double> to_numbers(const EpochRow& row);
EpochRow row_from_numbers(const double* numbers);

/// CSV with a header; a column that was not measured is left empty.
std::string history_csv(const History& history);
void write_history_csv(const std::filesystem::path& path, const History& history);

}  // namespace spodnet
