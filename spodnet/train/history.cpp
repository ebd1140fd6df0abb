#include "spodnet/train/history.hpp"

#include <array>
#include <cmath>

#include "spodnet/core/parse.hpp"
#include "spodnet/io/atomic_file.hpp"

namespace spodnet {
namespace {

constexpr std::array<HistoryColumn, kHistoryColumns> kColumns = {{
    {"epoch", &EpochRow::epoch},
    {"train_loss", &EpochRow::train_loss},
    {"train_nmse", &EpochRow::train_nmse},
    {"valid_nmse", &EpochRow::valid_nmse},
    {"valid_f1", &EpochRow::valid_f1},
    {"valid_f1_offdiag", &EpochRow::valid_f1_offdiag},
    {"eig_min", &EpochRow::eig_min},
    {"condition", &EpochRow::condition},
    {"density", &EpochRow::density},
    {"seconds", &EpochRow::seconds},
}};

}  // namespace

std::span<const HistoryColumn> quality_columns() {
  return std::span(kColumns).subspan(1, kHistoryColumns - 2);
}

std::vector<double> to_numbers(const EpochRow& row) {
  std::vector<double> numbers;
  for (const HistoryColumn& column : kColumns) numbers.push_back(row.*column.value);
  return numbers;
}

EpochRow row_from_numbers(const double* numbers) {
  EpochRow row;
  for (const HistoryColumn& column : kColumns) row.*column.value = *numbers++;
  return row;
}

std::string history_csv(const History& history) {
  std::string text;
  for (const HistoryColumn& column : kColumns) {
    if (!text.empty()) text += ',';
    text += column.name;
  }
  text += '\n';
  for (const EpochRow& row : history) {
    for (const HistoryColumn& column : kColumns) {
      if (&column != kColumns.data()) text += ',';
      if (!std::isnan(row.*column.value)) text += exact_text(row.*column.value);
    }
    text += '\n';
  }
  return text;
}

void write_history_csv(const std::filesystem::path& path, const History& history) {
  write_file_atomically(path, history_csv(history));
}

}  // namespace spodnet
