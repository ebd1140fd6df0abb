#include <fmt/format.h>

#include <cmath>
#include <set>

#include "cli/advice.hpp"
#include "cli/graph.hpp"
#include "spodnet/io/message.hpp"

namespace spodnet::cli {
namespace {

constexpr std::size_t kColumnsShown = 200;

std::string cell_name(const std::string& name) {
  const std::string text = shown(name, 30);
  return text.substr(1, text.size() - 2);
}

std::vector<std::string> column_line(const Prepared& data, std::size_t j) {
  const auto found = std::find(data.place.begin(), data.place.end(), j);
  if (found == data.place.end())
    return {"  " + cell_name(data.file_columns[j]), "left out", "", "", ""};
  const auto k = Eigen::Index(found - data.place.begin());
  const std::string& name = data.names[std::size_t(k)];
  if (data.X.size() == 0) return {"  " + cell_name(name), "used", "", "", ""};
  std::set<double> different;
  std::size_t missing = 0;
  double low = HUGE_VAL, high = -HUGE_VAL;
  for (const double x : data.X.col(k)) {
    if (std::isnan(x)) {
      ++missing;
      continue;
    }
    different.insert(x);
    low = std::min(low, x), high = std::max(high, x);
  }
  return {"  " + cell_name(name), "used", std::to_string(different.size()), std::to_string(missing),
          fmt::format("{:.4g} to {:.4g}", low, high)};
}

/// Seconds of one core, fitted to runs of 25 to 240 variables on a server of 2023: choosing a
/// method grows with p^2, and so does every round of 100 resamples, of which the check of the
/// shares takes one more for each synthetic data set.
double expected_seconds(std::size_t p, const GraphCommand& command, int threads) {
  const double at = double(p) / 100, square = at * at;
  const double sets = p <= 50 ? 24 : p <= 80 ? 12 : p <= 180 ? 8 : 5;
  const double resamples = double(command.bootstrap) / 100;
  const bool checked = resamples > 0 && (command.stable || p <= 300);
  const double rounds = resamples + (checked ? sets * std::min(resamples, 1.0) : 0);
  const double training = command.train ? 10 + 40 * at : 0;
  return 0.2 + (4 * square + rounds * (0.06 + 1.3 * square) + training) / std::max(1, threads);
}

}  // namespace

std::string dry_run_text(const Prepared& data, const GraphCommand& command, int threads) {
  const std::size_t columns = data.file_columns.size();
  std::string text =
      fmt::format("{}: {} of {} column{} would be used, {} row{}\n",
                  command.table.file == "-" ? "standard input" : shown_path(command.table.file),
                  data.p(), columns, columns == 1 ? "" : "s",
                  data.X.size() > 0 ? data.X.rows() : Eigen::Index(data.moments.n),
                  data.X.rows() == 1 ? "" : "s");
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
  return text + "expected time: about " +
         seconds_text(expected_seconds(data.p(), command, threads)) + "; nothing was written\n";
}

}  // namespace spodnet::cli
