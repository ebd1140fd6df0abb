#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "cli/advice.hpp"
#include "cli/graph.hpp"
#include "spodnet/io/message.hpp"
#include "spodnet/workflow/analysis.hpp"
#include "spodnet/workflow/resampler.hpp"

namespace spodnet::cli {
namespace {

constexpr std::size_t kColumnsShown = 200;
constexpr double kSecondsOfAValue = 1e-8;  // to draw a row again and to add it up, for each column
constexpr double kMethods = 100;           // so often is a value moved until one is chosen
constexpr double kSecondsToRead = 3e-7;    // a value of a text file, and to look at it

std::string cell_name(const std::string& name) {
  const std::string text = shown(name, 30);
  return text.substr(1, text.size() - 2);
}

/// A column of the file.
struct ColumnFacts {
  std::string name;
  bool used = false, values = false;
  std::size_t different = 0, missing = 0;
  double low = HUGE_VAL, high = -HUGE_VAL;
};

ColumnFacts facts_of_column(const Prepared& data, std::size_t j) {
  const auto found = std::find(data.place.begin(), data.place.end(), j);
  if (found == data.place.end()) return {.name = data.file_columns[j]};
  const auto k = Eigen::Index(found - data.place.begin());
  ColumnFacts out{.name = data.names[std::size_t(k)], .used = true, .values = data.X.size() > 0};
  if (!out.values) return out;
  std::vector<double> seen;
  for (const double x : data.X.col(k))
    if (!std::isnan(x)) seen.push_back(x);
  out.missing = std::size_t(data.X.rows()) - seen.size();
  std::sort(seen.begin(), seen.end());
  if (!seen.empty()) out.low = seen.front(), out.high = seen.back();
  out.different = std::size_t(std::unique(seen.begin(), seen.end()) - seen.begin());
  return out;
}

std::vector<std::string> column_line(const Prepared& data, std::size_t j) {
  const ColumnFacts column = facts_of_column(data, j);
  const std::string name = "  " + cell_name(column.name);
  if (!column.values) return {name, column.used ? "used" : "left out", "", "", ""};
  return {name, "used", std::to_string(column.different), std::to_string(column.missing),
          fmt::format("{:.4g} to {:.4g}", column.low, column.high)};
}

Json column_json(const Prepared& data, std::size_t j) {
  const ColumnFacts column = facts_of_column(data, j);
  Json out = {{"name", column.name}, {"used", column.used}};
  if (!column.values) return out;
  out["different"] = column.different;
  out["missing"] = column.missing;
  out["low"] = number_json(column.low);
  out["high"] = number_json(column.high);
  return out;
}

std::size_t rows_of(const Prepared& data) {
  return data.X.size() > 0 ? std::size_t(data.X.rows()) : std::size_t(data.moments.n);
}

/// Seconds of one core, fitted to runs of 25 to 240 variables on a server of 2023: choosing a
/// method grows with p^2, and so does every round of 100 resamples, of which the check of the
/// shares takes one more for each synthetic data set. Of many rows few such sets are made, and
/// rows are not drawn again (Resampler).
double expected_seconds(const Prepared& data, const GraphCommand& command, int threads) {
  const std::size_t p = data.p();
  const double at = double(p) / 100, square = at * at;
  const double values = double(rows_of(data)) * double(p);
  const double wanted = p <= 50 ? 24 : p <= 80 ? 12 : p <= 180 ? 8 : 5;
  const double sets = std::clamp(kMostSynthetic / (3 * values), 2.0, wanted);
  const double resamples = double(command.bootstrap) / 100;
  const bool checked = resamples > 0 && (command.stable || p <= 300);
  const double rounds = resamples + (checked ? sets * std::min(resamples, 1.0) : 0);
  const double training = command.train ? 10 + 40 * at : 0;
  const double dropping = command.bootstrap > 0 ? std::max(2.0, resamples) : 0;  // of rows
  const bool blocks = draws_blocks(data.X, data.moments_options(), data.rows);
  const double drawn = blocks ? 0 : 100 * (rounds + dropping);
  const double moving = kSecondsOfAValue * values * (kMethods + drawn);
  return 0.2 + kSecondsToRead * values +
         (4 * square + rounds * (0.06 + 1.3 * square) + moving + training) / std::max(1, threads);
}

}  // namespace

std::string dry_run_text(const Prepared& data, const GraphCommand& command, int threads) {
  const std::size_t columns = data.file_columns.size();
  std::string text = fmt::format(
      "{}: {} of {} column{} would be used, {} row{}\n",
      command.table.file == "-" ? "standard input" : shown_path(command.table.file), data.p(),
      columns, columns == 1 ? "" : "s", rows_of(data), data.X.rows() == 1 ? "" : "s");
  std::vector<std::vector<std::string>> rows = {
      {"  column", "", "different values", "missing", "range"}};
  for (std::size_t j = 0; j < std::min(columns, kColumnsShown); ++j)
    rows.push_back(column_line(data, j));
  text += aligned(rows);
  if (columns > kColumnsShown)
    text += fmt::format("  and {} more columns\n", columns - kColumnsShown);
  for (const DataNote& note : data.notes)
    text += (note.warning ? "careful: " : "note: ") +
            with_option(note.text, note.advice, note.value) + "\n";
  return text + "expected time: about " + seconds_text(expected_seconds(data, command, threads)) +
         "; nothing was written\n";
}

Json dry_run_json(const Prepared& data, const GraphCommand& command, int threads) {
  Json out = {{"file", command.table.file.string()},
              {"rows", rows_of(data)},
              {"variables", data.p()},
              {"columns", Json::array()},
              {"notes", Json::array()},
              {"warnings", Json::array()},
              {"expected_seconds", expected_seconds(data, command, threads)}};
  for (std::size_t j = 0; j < data.file_columns.size(); ++j)
    out["columns"].push_back(column_json(data, j));
  for (const DataNote& note : data.notes)
    out[note.warning ? "warnings" : "notes"].push_back(
        with_option(note.text, note.advice, note.value));
  return out;
}

}  // namespace spodnet::cli
