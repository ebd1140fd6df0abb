#include "spodnet/workflow/difference.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "cli/advice.hpp"
#include "cli/graph.hpp"
#include "cli/progress.hpp"
#include "cli/row_options.hpp"
#include "cli/session.hpp"
#include "cli/signals.hpp"
#include "spodnet/core/error.hpp"
#include "spodnet/io/atomic_file.hpp"
#include "spodnet/io/csv.hpp"
#include "spodnet/io/file_set.hpp"
#include "spodnet/io/message.hpp"
#include "spodnet/report/difference_page.hpp"
#include "spodnet/report/export_text.hpp"
#include "spodnet/workflow/groups.hpp"

namespace spodnet::cli {
namespace {

constexpr const char* kDifferenceFooter =
    "Examples:\n"
    "  spodnet difference women.csv men.csv -o out\n"
    "  spodnet difference survey.csv --group country -o out --permutations 2000\n"
    "  spodnet difference survey.csv --group treated --adjust age,sex -o out\n"
    "  spodnet difference before.csv after.csv --paired person -o out\n"
    "Writes differences.csv (every pair, with p-values), difference.json, the partial correlations "
    "of\n"
    "each group and difference.html: all graphs in one layout (docs/graph_statistics.md).";

struct DifferenceCommand {
  TableInput table;
  std::vector<std::filesystem::path> files;
  std::string group, paired;
  std::filesystem::path out;
  std::string method = "glasso-ebic";
  std::size_t permutations = 1000;
  std::uint64_t seed = 0;
  int threads = 0;
  bool json = false;
};

/// The data of all groups together, and the groups' names.
struct Grouped {
  Prepared data;
  std::vector<std::string> names;
  std::string title;
};

/// Whose row each row of a file is; `names` has the persons of the files before.
std::vector<std::uint32_t> persons_of(const DifferenceCommand& command,
                                      const std::filesystem::path& file,
                                      std::vector<std::string>& names) {
  return numbered(read_labels(file, command.paired, separator_of(command.table.separator)), names);
}

Grouped read_one(const DifferenceCommand& command, ThreadPool& pool) {
  Grouped out;
  std::vector<std::string> names_of_persons;
  TableInput input = command.table;
  input.file = command.files[0];
  input.kind = "samples";
  std::vector<std::uint32_t> group =
      numbered(read_labels(input.file, command.group, separator_of(input.separator)), out.names);
  if (out.names.size() > 20)
    throw Error(fmt::format("--group {}: has {} different values: groups are few", command.group,
                            out.names.size()));
  input.rows.group = command.group;
  RowFacts rows{.group = std::move(group)};
  if (!command.paired.empty()) rows.person = persons_of(command, input.file, names_of_persons);
  out.data = read_prepared(input, 2, &pool, std::move(rows));
  out.title = input.file.filename().string() + " by " + command.group;
  return out;
}

Grouped read_several(const DifferenceCommand& command, ThreadPool& pool) {
  if (!command.table.rows.weights.empty() || !command.table.rows.adjust.empty() ||
      !command.table.rows.blocks.empty())
    throw Error(
        "--weights, --adjust and --blocks go with one table and --group: put the groups into one "
        "file");
  Grouped out;
  std::vector<std::string> names_of_persons;
  std::vector<Table> tables;
  PrepareOptions options = prepare_options(command.table, 2);
  options.pool = &pool;
  for (const auto& file : command.files) {
    TableInput input = command.table;
    input.file = file;
    tables.push_back(read_table(file, reading_options(input)));
    const std::string name = file.stem().string();
    out.names.push_back(name);
    options.rows.group.insert(options.rows.group.end(), std::size_t(tables.back().values.rows()),
                              std::uint32_t(out.names.size() - 1));
    if (!command.paired.empty())
      for (const std::uint32_t person : persons_of(command, file, names_of_persons))
        options.rows.person.push_back(person);
    out.title += (out.title.empty() ? "" : " and ") + file.filename().string();
  }
  std::vector<std::string> shown_names;
  for (const auto& file : command.files) shown_names.push_back(shown_path(file));
  out.data = prepare_samples(stacked(tables, shown_names), options, out.title);
  return out;
}

std::vector<std::filesystem::path> write_difference(const std::filesystem::path& folder,
                                                    const Difference& found,
                                                    const std::string& title) {
  FileSet files(folder);
  write_file_atomically(files.add("differences.csv"), differences_csv(found));
  write_file_atomically(files.add("difference.json"), difference_json(found));
  for (std::size_t g = 0; g < found.groups.size(); ++g) {
    std::vector<std::string> names;
    for (const std::string& name : found.names) names.push_back(clean_text(name));
    write_csv(files.add(fmt::format("partial_correlations_{}.csv", g + 1)),
              {names, names, found.groups[g].partial.array() + 0.0});
  }
  write_file_atomically(files.add("difference.html"), difference_html(found, title));
  return files.commit();
}

std::string test_text(const Difference& found, const GroupPair& pair) {
  std::string text =
      fmt::format("{} and {}: {} ({} permutations)\n", shown(found.groups[pair.a].name),
                  shown(found.groups[pair.b].name), verdict(found, pair), pair.test.done);
  std::size_t count = 0;
  for (const DifferentEdge& edge : different_edges(found, pair)) {
    if (++count > 10) continue;
    text += fmt::format("  {} - {}: {:+.2f} and {:+.2f}, p = {:.3g} (corrected)\n",
                        shown(found.names[edge.i], 30), shown(found.names[edge.j], 30), edge.a,
                        edge.b, edge.p);
  }
  if (count == 0) text += fmt::format("  no edge differs at {:g} (corrected)\n", found.level);
  if (count > 10) text += fmt::format("  and {} more\n", count - 10);
  return text;
}

int run_difference(DifferenceCommand command, const ModelRegistry& models) {
  command.table.rows.person = command.paired;
  if (command.files.size() == 1 && command.group.empty())
    throw Error("one table: say --group COLUMN, or give a second table");
  if (command.files.size() > 1 && !command.group.empty())
    throw Error("--group: goes with one table, which holds all groups");
  if (!command.paired.empty() && !command.table.rows.blocks.empty())
    throw Error("--paired: a person's rows are all that depend on each other: leave out --blocks");
  check_folder(command.out);
  ThreadPool pool(command.threads);
  const Grouped grouped =
      command.group.empty() ? read_several(command, pool) : read_one(command, pool);
  Difference found;
  {
    const StopOnSignal signal(kPatience);
    Progress bar("permuting");
    DifferenceOptions options;
    options.method = command.method;
    options.permutations = command.permutations;
    options.seed = command.seed;
    found =
        difference(grouped.data, grouped.names, options,
                   {.pool = pool,
                    .models = models,
                    .stop = &signal.flag(),
                    .progress = [&](const std::string&, double fraction) { bar.show(fraction); }});
  }
  if (found.interrupted) {
    print_note("interrupted, nothing was written");
    return kInterrupted;
  }
  for (AnswerNote& note : found.notes) note.text = with_option(note.text, note.advice, note.value);
  const auto files = write_difference(command.out, found, grouped.title);
  if (command.json) {
    print_text(difference_json(found));
    return kDone;
  }
  for (const GroupGraph& group : found.groups)
    print_text(
        fmt::format("{}: {:.0f} rows, {} edges\n", shown(group.name), group.rows, group.edges));
  for (const GroupPair& pair : found.pairs) print_text(test_text(found, pair));
  for (const AnswerNote& note : found.notes)
    print_text((note.kind == AnswerNote::Kind::warning ? "careful: " : "note: ") + note.text +
               "\n");
  print_line("page: " + shown_path(files.back()));
  return kDone;
}

}  // namespace

void add_difference(CLI::App& app, Session& session) {
  const auto command = std::make_shared<DifferenceCommand>();
  CLI::App* sub = app.add_subcommand("difference", "How the graphs of two or more groups differ");
  sub->footer(kDifferenceFooter);
  sub->add_option("INPUT", command->files, "One table with --group, or a table for each group")
      ->type_name("FILE")
      ->required();
  sub->add_option("--group", command->group, "Column that says which group a row belongs to")
      ->type_name("COLUMN");
  sub->add_option("--paired", command->paired,
                  "Column with the person of each row, where the groups are the same people: each "
                  "person's rows are exchanged, not those of different people")
      ->type_name("COLUMN");
  sub->add_option("-o,--output", command->out, "Folder for the results; made if missing")
      ->type_name("FOLDER")
      ->required();
  sub->add_option("--method", command->method,
                  "NAME:key=value,... or a model file that needs the covariance alone")
      ->type_name("METHOD")
      ->capture_default_str();
  sub->add_option("--permutations", command->permutations, "Times that rows are dealt to groups")
      ->check(integer_from(19, 1'000'000))
      ->capture_default_str();
  add_preparation(*sub, command->table);
  add_seed(*sub, command->seed);
  add_threads(*sub, command->threads);
  add_json(*sub, command->json);
  add_quiet(*sub);
  sub->callback(
      [command, &session] { session.exit_status = run_difference(*command, session.models); });
}

}  // namespace spodnet::cli
