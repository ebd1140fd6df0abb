#include "cli/row_options.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <map>

#include "cli/output.hpp"
#include "spodnet/core/closest_word.hpp"
#include "spodnet/core/error.hpp"
#include "spodnet/core/parse.hpp"
#include "spodnet/io/csv_text.hpp"
#include "spodnet/io/message.hpp"

namespace spodnet::cli {
namespace {

/// --blocks 20: successive rows; anything else is a column.
std::size_t block_length(const RowOptions& options) {
  return std::size_t(to_count(options.blocks).value_or(0));
}

bool is_text_table(const std::filesystem::path& file) {
  return file != "-" && ending(file) != ".npy";
}

std::size_t place_of(const std::vector<std::string>& header, const std::string& column,
                     const std::string& file) {
  const auto found = std::find(header.begin(), header.end(), column);
  if (found != header.end()) return std::size_t(found - header.begin());
  const auto number = to_count(column);
  if (number && *number >= 1 && *number <= header.size()) return std::size_t(*number - 1);
  const std::string closest = closest_word(column, header);
  throw Error(
      file + ": has no column " + shown(column) + ": " +
      (closest.empty() ? "give a name of its header" : "did you mean " + shown(closest) + "?"));
}

/// The columns that say something of the rows, each with what it is.
std::vector<std::pair<std::string, std::string>> roles_of(const RowOptions& options) {
  std::vector<std::pair<std::string, std::string>> roles;
  const auto add = [&](const std::string& column, const char* role) {
    if (!column.empty()) roles.emplace_back(column, role);
  };
  for (const std::string& column : split_lists(options.adjust)) add(column, "a covariate");
  add(options.weights, "the column of weights");
  if (block_length(options) == 0) add(options.blocks, "the column of clusters");
  add(options.group, "the grouping column");
  add(options.person, "the column of persons");
  return roles;
}

}  // namespace

void add_row_options(CLI::App& command, RowOptions& options) {
  command
      .add_option("--kind", options.kind,
                  "What columns are taken for: gaussian (the numbers as they are), auto (up to 7 "
                  "different values: ordered levels; heavy tails: ranks), ordinal (polychoric "
                  "correlations), ranks (nonparanormal)")
      ->check(CLI::IsMember({"auto", "gaussian", "ordinal", "ranks"}))
      ->capture_default_str();
  command.add_option("--weights", options.weights, "Column that says how many times a row counts")
      ->type_name("COLUMN");
  command
      .add_option("--adjust", options.adjust,
                  "Columns that are regressed out of all others (age,sex)")
      ->type_name("LIST")
      ->take_all()
      ->expected(1);
  command
      .add_option("--blocks", options.blocks,
                  "Rows that depend on each other: a column that names their cluster, or a number "
                  "of successive rows (a time series)")
      ->type_name("COLUMN|N");
}

bool has_row_options(const RowOptions& options) {
  return options.kind != options.usual_kind || !options.weights.empty() ||
         !options.adjust.empty() || !options.blocks.empty();
}

std::vector<std::string> columns_of_rows(const RowOptions& options) {
  std::vector<std::string> columns;
  for (const auto& [column, role] : roles_of(options)) columns.push_back(column);
  return columns;
}

RowFacts read_row_facts(const RowOptions& options,
                        const std::function<Table(const std::vector<std::string>&)>& numbers,
                        const std::function<std::vector<std::string>(const std::string&)>& labels) {
  RowFacts facts;
  facts.columns = roles_of(options);
  if (!options.weights.empty()) facts.weight = numbers({options.weights}).values.col(0);
  const std::vector<std::string> adjust = split_lists(options.adjust);
  if (!adjust.empty()) {
    facts.covariates = numbers(adjust).values;
    if (std::size_t(facts.covariates.cols()) != adjust.size())
      throw Error(
          "--adjust: one of the columns holds text: write covariates in numbers (0 and 1 for "
          "two groups)");
  }
  facts.block_length = block_length(options);
  if (!options.blocks.empty() && facts.block_length == 1)
    throw Error("--blocks 1: says that no row depends on another: leave it out");
  if (!options.blocks.empty() && facts.block_length == 0) {
    std::vector<std::string> names;
    facts.cluster = numbered(labels(options.blocks), names);
    if (names.size() < 2) throw Error("--blocks: all rows are in one cluster");
  }
  return facts;
}

std::vector<std::string> read_labels(const std::filesystem::path& file, const std::string& column,
                                     char separator) {
  const std::string name = shown_path(file);
  if (!is_text_table(file))
    throw Error(name + ": names of groups and clusters are read from a text file with a header");
  const std::vector<TextRecord> records = read_csv_text(file, {.separator = separator});
  if (records.size() < 2) throw Error(name + ": has no rows below a header");
  std::size_t place = place_of(records[0].cells, column, name);
  if (records[1].cells.size() == records[0].cells.size() + 1) ++place;  // row names
  std::vector<std::string> labels;
  for (std::size_t k = 1; k < records.size(); ++k) {
    if (place >= records[k].cells.size())
      throw Error(name + ": line " + std::to_string(records[k].line) + " is too short");
    labels.push_back(records[k].cells[place]);
  }
  return labels;
}

bool first_column_is_label(const std::filesystem::path& file, const RowOptions& options,
                           char separator) {
  const bool cluster = !options.blocks.empty() && block_length(options) == 0;
  if ((!cluster && options.group.empty() && options.person.empty()) || !is_text_table(file))
    return false;
  const std::vector<TextRecord> records = read_csv_text(file, {.separator = separator});
  if (records.size() < 2 || records[0].cells.size() != records[1].cells.size()) return false;
  const std::string& first = records[0].cells[0];
  return (cluster && (first == options.blocks)) ||
         (!options.person.empty() && first == options.person) ||
         (!options.group.empty() && first == options.group);
}

std::vector<std::uint32_t> numbered(const std::vector<std::string>& labels,
                                    std::vector<std::string>& names) {
  std::map<std::string, std::uint32_t> number;
  for (const std::string& name : names) number.emplace(name, std::uint32_t(number.size()));
  std::vector<std::uint32_t> out;
  for (const std::string& label : labels) {
    const auto [found, fresh] = number.try_emplace(label, std::uint32_t(names.size()));
    if (fresh) names.push_back(label);
    out.push_back(found->second);
  }
  return out;
}

}  // namespace spodnet::cli
