#include "spodnet/workflow/temporal.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "cli/graph.hpp"
#include "cli/progress.hpp"
#include "cli/session.hpp"
#include "cli/signals.hpp"
#include "spodnet/core/error.hpp"
#include "spodnet/core/parse.hpp"
#include "spodnet/io/atomic_file.hpp"
#include "spodnet/io/file_set.hpp"
#include "spodnet/io/message.hpp"
#include "spodnet/report/temporal_page.hpp"

namespace spodnet::cli {
namespace {

constexpr const char* kTemporalFooter =
    "Examples:\n"
    "  spodnet temporal diary.csv --person id --day day --beep beep -o out\n"
    "  spodnet temporal diary.csv --person id --beep hour --columns sad,tired,active -o out\n"
    "  spodnet temporal one_person.csv --beep beep --bootstrap 500 -o out\n"
    "Writes temporal.csv (effects on the next beep), contemporaneous.csv (links at one beep), "
    "temporal.json\n"
    "and temporal.html with both graphs (docs/temporal.md).";

struct TemporalCommand {
  TableInput table;
  std::string person, day, beep;
  std::filesystem::path out;
  TemporalOptions options{};
  int threads = 0;
  bool json = false;
};

std::vector<std::string> words_of(const TemporalCommand& command, const std::string& column) {
  return read_labels(command.table.file, column, separator_of(command.table.separator));
}

/// Equal words get equal numbers.
std::vector<std::uint32_t> labels_of(const TemporalCommand& command, const std::string& column) {
  std::vector<std::string> names;
  return numbered(words_of(command, column), names);
}

/// The beeps as numbers, or the numbers of the rows.
Vector beeps_of(const TemporalCommand& command, std::size_t rows) {
  if (command.beep.empty()) return Vector::LinSpaced(Eigen::Index(rows), 1, double(rows));
  const std::vector<std::string> words = words_of(command, command.beep);
  Vector beeps(Eigen::Index(words.size()));
  for (std::size_t i = 0; i < words.size(); ++i) {
    const auto number = to_double(words[i]);
    if (!number)
      throw Error(
          fmt::format("--beep {}: row {} has {}, which is no number: write 1, 2, 3, ... or "
                      "hours",
                      command.beep, i + 1, shown(words[i])));
    beeps[Eigen::Index(i)] = *number;
  }
  return beeps;
}

Table read_variables(const TemporalCommand& command) {
  TableInput input = command.table;
  for (const std::string& column : {command.day, command.beep})
    if (!column.empty()) input.exclude.push_back(column);
  input.rows.person = command.person;
  Table table = read_table(input.file, reading_options(input));
  if (table.values.cols() < 2)
    throw Error(shown_path(input.file) + ": has fewer than two columns of numbers beside " +
                "persons, days and beeps");
  if (table.columns.empty())
    for (Eigen::Index j = 0; j < table.values.cols(); ++j)
      table.columns.push_back(fmt::format("x{}", j + 1));
  return table;
}

Occasions occasions_of(const TemporalCommand& command, std::size_t rows) {
  Occasions at;
  at.person = command.person.empty() ? std::vector<std::uint32_t>(rows, 0)
                                     : labels_of(command, command.person);
  if (!command.day.empty()) at.day = labels_of(command, command.day);
  at.beep = beeps_of(command, rows);
  if (at.person.size() != rows || std::size_t(at.beep.size()) != rows ||
      (!at.day.empty() && at.day.size() != rows))
    throw Error(shown_path(command.table.file) +
                ": has other rows of persons, days or beeps than of numbers");
  return at;
}

void note_text(const Table& table, LaggedRows& rows) {
  for (const TextColumn& column : table.left_out)
    if (column.line > 0)
      rows.notes.push_back(
          {true, fmt::format("{} is not numeric (line {} has {}): left out", shown(column.name),
                             column.line, shown(column.text, 30))});
}

std::vector<std::filesystem::path> write_temporal(const std::filesystem::path& folder,
                                                  const Temporal& found, const std::string& title) {
  FileSet files(folder);
  write_file_atomically(files.add("temporal.csv"), temporal_csv(found));
  write_file_atomically(files.add("contemporaneous.csv"), contemporaneous_csv(found));
  write_file_atomically(files.add("temporal.json"), temporal_json(found));
  write_file_atomically(files.add("temporal.html"), temporal_html(found, title));
  return files.commit();
}

int run_temporal(const TemporalCommand& command, const ModelRegistry& models) {
  check_folder(command.out);
  const Table table = read_variables(command);
  const Occasions at = occasions_of(command, std::size_t(table.values.rows()));
  LaggedRows rows = lagged_rows(table.values, table.columns, at, shown_path(command.table.file));
  note_text(table, rows);
  ThreadPool pool(command.threads);
  Temporal found;
  {
    const StopOnSignal signal(kPatience);
    Progress bar("resampling");
    found = temporal(rows, command.options,
                     {.pool = pool,
                      .models = models,
                      .stop = &signal.flag(),
                      .progress = [&](const std::string&, double part) { bar.show(part); }});
  }
  if (found.interrupted) {
    print_note("interrupted, nothing was written");
    return kInterrupted;
  }
  const auto files = write_temporal(command.out, found, command.table.file.filename().string());
  if (command.json) {
    print_text(temporal_json(found));
    return kDone;
  }
  print_text(temporal_text(found));
  print_line("page: " + shown_path(files.back()));
  return kDone;
}

}  // namespace

void add_temporal(CLI::App& app, Session& session) {
  const auto command = std::make_shared<TemporalCommand>();
  CLI::App* sub = app.add_subcommand(
      "temporal", "Networks over time: effects on the next measurement, and links within one");
  sub->footer(kTemporalFooter);
  sub->add_option("INPUT", command->table.file,
                  "Table with a row for each measurement of each person (.csv .tsv)")
      ->type_name("FILE")
      ->required();
  const auto column = [&](const char* name, std::string& value, const char* help) {
    sub->add_option(name, value, help)->type_name("COLUMN");
  };
  column("--person", command->person,
         "Column with the person of each row; without it all rows are of one person");
  column("--beep", command->beep,
         "Column with the number or time of a measurement; else rows are in their order");
  column("--day", command->day, "Column of days: the first beep of a day follows none");
  sub->add_option("-o,--output", command->out, "Folder for the results; made if missing")
      ->type_name("FOLDER")
      ->required();
  sub->add_option("--method", command->options.method,
                  "Of the graph at one time: NAME:key=value,... that needs the covariance alone")
      ->type_name("METHOD")
      ->capture_default_str();
  sub->add_option("--gamma", command->options.gamma,
                  "Of the extended BIC that chooses the effects; larger: fewer")
      ->check(number_from(0))
      ->capture_default_str();
  sub->add_option("--bootstrap", command->options.resamples, "Resamples; 0: no confidence")
      ->check(integer_from(0, 1'000'000))
      ->capture_default_str();
  add_reading(*sub, command->table);
  add_seed(*sub, command->options.seed);
  add_threads(*sub, command->threads);
  add_json(*sub, command->json);
  add_quiet(*sub);
  sub->callback(
      [command, &session] { session.exit_status = run_temporal(*command, session.models); });
}

}  // namespace spodnet::cli
