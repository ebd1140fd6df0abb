#include "cli/table_input.hpp"

#include <CLI/CLI.hpp>

#include <unistd.h>

#include <iostream>
#include <iterator>

#include "cli/report.hpp"
#include "cli/session.hpp"
#include "spodnet/core/error.hpp"
#include "spodnet/core/parse.hpp"
#include "spodnet/io/message.hpp"
#include "spodnet/tables/log_ratio.hpp"

namespace spodnet::cli {
namespace {

constexpr double kMatrices = 12;  // of p x p that an analysis holds at once

void check_memory(const Table& table, const std::string& name) {
  const double p = double(table.values.cols());
  const double needed = 8 * (kMatrices * p * p + 4 * double(table.values.size()));
  const double present = double(sysconf(_SC_PHYS_PAGES)) * double(sysconf(_SC_PAGESIZE));
  if (needed > present)
    throw Error(name + ": a graph of " + std::to_string(table.values.cols()) +
                " variables needs about " + bytes_text(needed) + " of memory, this machine has " +
                bytes_text(present) + ": choose fewer columns");
}

void refuse_ambiguous(const Matrix& A, const std::string& name) {
  if (square_and_symmetric(A))
    throw Error(
        name +
        ": is square and symmetric: does it hold samples (one per row) or a covariance? Say "
        "--input samples or --input covariance");
}

void check_covariance(const TableInput& input, const Table& table, const std::string& name) {
  if (!input.robust.empty())
    throw Error("--robust: goes by ranks of samples, a covariance has none");
  if (has_row_options(input.rows))
    throw Error(
        "--kind, --weights, --adjust and --blocks: are about columns and rows of samples, a "
        "covariance has none: leave them out");
  if (!input.transform.empty())
    throw Error("--transform: is of samples, a covariance has none: leave it out");
  if (input.missing)
    throw Error("--missing: is about values of samples, a covariance has none: leave it out");
  for (const TextColumn& column : table.left_out)
    if (column.line > 0)
      throw Error(name + ": line " + std::to_string(column.line) + " has " + shown(column.text) +
                  ": a covariance holds numbers alone");
}

Choice choice_of(const std::string& text) {
  return text.empty() ? Choice::automatic : text == "yes" ? Choice::yes : Choice::no;
}

std::vector<LevelScale> scales_of(const std::vector<std::string>& texts) {
  std::vector<LevelScale> scales;
  for (const std::string& text : texts) scales.push_back(level_scale_from(text));
  return scales;
}

std::string standard_input() {
  return {std::istreambuf_iterator<char>(std::cin), std::istreambuf_iterator<char>()};
}

/// The file as `options` say; standard input, which can be read once, from `text`.
Table read_columns(const TableInput& input, const TableOptions& options, const std::string& text,
                   const std::string& name) {
  return input.file == "-" ? parse_table(text, name, options) : read_table(input.file, options);
}

/// The options about rows, read from the file once more.
RowFacts facts_of(const TableInput& input, const std::string& text, const std::string& name) {
  const auto numbers = [&](const std::vector<std::string>& columns) {
    TableOptions options = reading_options(input);
    options.columns = columns;
    options.exclude.clear();
    return read_columns(input, options, text, name);
  };
  const auto labels = [&](const std::string& column) {
    return read_labels(input.file, column, separator_of(input.separator));
  };
  return read_row_facts(input.rows, numbers, labels);
}

/// Samples and variables change places, with their names.
Table transposed(const Table& table, const std::string& name) {
  if (!table.left_out.empty())
    throw Error(name + ": --transpose: column " + shown(table.left_out.front().name) +
                " holds text, and a variable has numbers alone: leave it out with --exclude");
  Table out;
  out.columns = table.rows;
  out.rows = table.columns;
  out.values = table.values.transpose();
  out.remarks = table.remarks;
  return out;
}

}  // namespace

char separator_of(const std::string& text) {
  if (text == "tab" || text == "\\t") return '\t';
  if (text == "space" || text == "blank") return ' ';
  return text.empty() ? '\0' : text[0];
}

TableOptions reading_options(const TableInput& input) {
  std::vector<std::string> excluded = split_lists(input.exclude);
  for (const std::string& column : columns_of_rows(input.rows)) excluded.push_back(column);
  const bool label = input.row_names.empty() &&
                     first_column_is_label(input.file, input.rows, separator_of(input.separator));
  return {.leave_out_text = true,
          .header = choice_of(input.header),
          .row_names = label ? Choice::no : choice_of(input.row_names),
          .separator = separator_of(input.separator),
          .decimal = input.decimal.empty() ? '\0' : input.decimal[0],
          .missing = split_lists(input.na),
          .levels = scales_of(input.levels),
          .columns = split_lists(input.columns),
          .exclude = excluded};
}

PrepareOptions prepare_options(const TableInput& input, std::size_t least) {
  PrepareOptions options;
  options.missing = missing_from(input.missing.value_or("pairwise"));
  options.least_variables = least;
  options.link_unobserved = input.link_unobserved;
  if (!input.robust.empty()) options.ranks = rank_correlation_from(input.robust);
  options.kind = table_kind_from(input.rows.kind);
  options.composition = composition_from(input.transform);
  options.composition.pseudo_count = input.pseudo_count;
  if (input.pseudo_count && input.transform.empty())
    throw Error("--pseudo-count: goes with --transform clr: say both or leave it out");
  if (options.ranks && options.kind == TableKind::ordinal)
    throw Error("--kind ordinal: takes columns for levels, --robust for ranks: use one of them");
  if (options.ranks && options.missing == Missing::em)
    throw Error("--missing em: is for Gaussian data, --robust goes by ranks: use pairwise or drop");
  return options;
}

void add_reading(CLI::App& command, TableInput& input) {
  const auto yes_or_no = [&](const char* name, std::string& value, const char* help) {
    command.add_option(name, value, help)->check(CLI::IsMember({"yes", "no"}));
  };
  yes_or_no("--header", input.header, "Whether line 1 names the columns; else detected");
  yes_or_no("--row-names", input.row_names, "Whether column 1 names the rows; else detected");
  command.add_option("--sep", input.separator, "What separates columns; else detected")
      ->check(CLI::IsMember({",", ";", "|", "tab", "space"}));
  command.add_option("--decimal", input.decimal, "Decimal sign")->check(CLI::IsMember({".", ","}));
  const auto list = [&](const char* name, std::vector<std::string>& values, const char* help) {
    command.add_option(name, values, help)->type_name("LIST")->take_all()->expected(1);
  };
  list("--na", input.na, "Words for a missing value beside NA, N/A, NULL, ... (a,b,c)");
  list("--levels", input.levels,
       "Ordered categories, from low to high: low<medium<high, or COLUMN=low<medium<high");
  list("--columns", input.columns, "Columns to use: names, numbers from 1, or 3-7 (a,b,c)");
  list("--exclude", input.exclude, "Columns to leave out, written in the same way");
}

void add_preparation(CLI::App& command, TableInput& input) {
  add_reading(command, input);
  command.add_flag("--transpose", input.transpose,
                   "Samples stand in columns and variables in rows of the table");
  command.add_flag("--no-standardize", input.no_standardize,
                   "Estimate from covariances, not correlations");
  command
      .add_option("--missing", input.missing,
                  "Missing values (empty, NA, NaN, ?): pairwise covariances, em, or drop their "
                  "rows")
      ->check(CLI::IsMember({"pairwise", "em", "drop"}))
      ->default_str("pairwise");
  command.add_option("--robust", input.robust, "Correlations from ranks: spearman or kendall")
      ->check(CLI::IsMember({"spearman", "kendall"}));
  command
      .add_flag("--link-unobserved", input.link_unobserved,
                "Allow edges between variables that are hardly ever observed together")
      ->group(kRare);
  command.add_flag("--folds-in-order", input.folds_in_order,
                   "Split the rows in their order (a time series), not shuffled by the seed");
  command
      .add_option("--transform", input.transform,
                  "clr: columns are parts of a whole (counts of species, shares), each becomes its "
                  "centred log-ratio; clr:COLUMNS: these (names, numbers from 1, or 3-7)")
      ->type_name("clr[:LIST]");
  command
      .add_option("--pseudo-count", input.pseudo_count,
                  "Added to every part; else, where one is 0, 1 to counts and half of the smallest "
                  "value to others")
      ->check(number_from(0))
      ->type_name("NUMBER");
  add_row_options(command, input.rows);
}

void add_table_kind(CLI::App& command, TableInput& input) {
  command
      .add_option("--input", input.kind,
                  "What a table holds: samples (one per row, the default) or a covariance")
      ->check(CLI::IsMember({"samples", "covariance"}));
  command
      .add_option("--samples-count", input.samples_count, "Number of samples behind a covariance")
      ->check(integer_from(1));
}

bool square_and_symmetric(const Matrix& A) {
  return A.size() > 0 && A.rows() == A.cols() && A.allFinite() &&
         (A - A.transpose()).cwiseAbs().maxCoeff() <= 1e-6 * A.cwiseAbs().maxCoeff();
}

Prepared read_prepared(const TableInput& input, std::size_t least, ThreadPool* pool,
                       RowFacts rows) {
  const std::string name = input.file == "-" ? "standard input" : shown_path(input.file);
  PrepareOptions options = prepare_options(input, least);
  const std::string text = input.file == "-" ? standard_input() : "";
  Table table = read_columns(input, reading_options(input), text, name);
  check_memory(table, name);
  if (input.transpose) table = transposed(table, name);
  if (input.kind != "covariance" && input.samples_count > 0)
    throw Error("--samples-count goes with --input covariance: samples are counted in the file");
  if (input.kind == "covariance") {
    check_covariance(input, table, name);
    options.covariance_of = double(input.samples_count);
    return prepare(std::move(table), options, name);
  }
  if (input.kind.empty()) refuse_ambiguous(table.values, name);
  options.rows = facts_of(input, text, name);
  options.rows.group = std::move(rows.group);
  options.rows.person = std::move(rows.person);
  options.pool = pool;
  return prepare(std::move(table), options, name);
}

}  // namespace spodnet::cli
