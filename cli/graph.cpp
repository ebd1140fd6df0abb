#include "cli/graph.hpp"

#include <CLI/CLI.hpp>

#include <unistd.h>

#include <fmt/format.h>

#include <memory>

#include "cli/advice.hpp"
#include "cli/config_file.hpp"
#include "cli/device.hpp"
#include "cli/open_page.hpp"
#include "cli/progress.hpp"
#include "cli/session.hpp"
#include "cli/signals.hpp"
#include "spodnet/core/error.hpp"
#include "spodnet/core/parse.hpp"
#include "spodnet/io/message.hpp"
#include "spodnet/report/exports.hpp"
#include "spodnet/report/node_styles.hpp"
#include "spodnet/workflow/analyse.hpp"
#include "spodnet/workflow/model_cache.hpp"

namespace spodnet::cli {
namespace {

constexpr const char* kGraphFooter =
    "Examples:\n"
    "  spodnet graph measurements.csv -o out\n"
    "  spodnet graph measurements.csv -o out --bootstrap 200 --stable 0.1 --open\n"
    "  spodnet graph expression.tsv.gz -o out --missing em --method glasso-ebic\n"
    "  spodnet graph measurements.csv -o out --forbid pairs.csv --sign signs.csv\n"
    "  spodnet graph items.csv -o out --kind ordinal --adjust age,sex --blocks school\n"
    "  spodnet graph S.csv -o out --input covariance --samples-count 120\n"
    "Writes edges.csv, precision.csv, partial_correlations.csv, graph.graphml, report.html and "
    "more\n"
    "(docs/graph.md). --method auto chooses among a pretrained network and graphical lassos;\n"
    "--train adds a model trained to the shape of the table, once ('spodnet cache').";

/// One bar per kind of work; a new kind begins a new bar.
class Bars {
 public:
  void show(const std::string& what, double fraction) {
    const std::lock_guard lock(mutex_);
    if (what != what_) bar_ = std::make_unique<Progress>(what);
    what_ = what;
    bar_->show(fraction);
  }

 private:
  std::mutex mutex_;
  std::string what_;
  std::unique_ptr<Progress> bar_;
};

/// The settings that only the command has.
void add_record(const GraphCommand& command, Answer& answer) {
  answer.title = command.table.file.filename().string();
  answer.settings.insert(answer.settings.begin(), {"file", command.table.file.string()});
  const auto add = [&](const char* name, const std::string& value) {
    if (!value.empty()) answer.settings.emplace_back(name, value);
  };
  add("groups", command.groups.string());
  add("forbidden edges", command.constraints.forbid.string());
  add("signs", command.constraints.sign);
}

/// --bootstrap, a number or auto.
void read_bootstrap(GraphCommand& command) {
  command.settle = command.bootstrap_text == "auto";
  command.bootstrap =
      command.settle ? kFirstSettling : std::size_t(*to_count(command.bootstrap_text));
  if (command.settle && !command.stable)
    throw Error("--bootstrap auto: takes as many resamples as --stable needs: add --stable 0.1");
}

void check_options(const GraphCommand& command) {
  if (command.out.empty() && !command.dry_run)
    throw Error("--output is required: give a folder for the results, -o FOLDER");
  const bool covariance = command.table.kind == "covariance";
  if (covariance && command.table.samples_count == 0)
    throw Error("--input covariance: how many samples are behind it? Say --samples-count N");
  if (covariance && command.bootstrap > 0)
    throw Error("--bootstrap: resamples rows, a covariance has none: give the samples");
  if (command.stable && command.bootstrap == 0)
    throw Error("--stable: needs resamples: add --bootstrap 200");
  if (command.stable && !(*command.stable > 0 && *command.stable < 1))
    throw Error(
        fmt::format("--stable {}: the share of false edges lies between 0 and 1", *command.stable));
}

int graph(const GraphCommand& command, const ModelRegistry& models, Group& group) {
  check_options(command);
  if (!command.dry_run) check_folder(command.out);
  AskedDevice device(command.device);
  ThreadPool pool(command.threads);
  const Prepared data = read_prepared(command.table, 2, &pool);
  std::vector<NodeStyle> styles;
  if (!command.groups.empty())
    styles = read_node_styles(command.groups, data.names, data.file_columns);
  const std::optional<Constraints> constraints = read_constraints(command.constraints, data);
  AnalysisOptions shape;
  shape.method = command.method;
  refuse_hopeless(data, shape);
  if (command.dry_run) {
    if (command.json)
      print_json(dry_run_json(data, command, pool.size()));
    else
      print_text(dry_run_text(data, command, pool.size()));
    return kDone;
  }
  Answer answer;
  {
    const StopOnSignal signal(kPatience);  // a single fit may take minutes
    Bars bars;
    AnalysisOptions options;
    options.method = command.method;
    options.standardize = !command.table.no_standardize;
    options.folds_in_order = command.table.folds_in_order;
    options.train = command.train;
    options.resamples = command.bootstrap;
    options.settle = command.settle;
    options.stable = command.stable;
    options.seed = command.seed;
    options.constraints = constraints ? &*constraints : nullptr;
    if (!command.no_cache) options.cache = default_cache_folder();
    answer = analyse(
        data, options,
        {.pool = pool,
         .models = models,
         .group = &group,
         .engine = device.engine(),
         .stop = &signal.flag(),
         .progress = [&](const std::string& what, double fraction) { bars.show(what, fraction); }});
  }
  if (answer.status == Status::interrupted) {
    print_note("interrupted, nothing was written");
    return kInterrupted;
  }
  if (!group.first()) return kDone;
  add_record(command, answer);
  answer.styles = std::move(styles);
  if (constraints)
    answer.notes.push_back({AnswerNote::Kind::done, "prior knowledge that holds exactly: " +
                                                        constraints_text(*constraints)});
  if (const std::string text = device.text(); !text.empty())
    answer.notes.push_back({AnswerNote::Kind::done, "learned models computed by " + text});
  for (AnswerNote& note : answer.notes) note.text = with_option(note.text, note.advice, note.value);
  const auto files = write_graph_answer(command.out, answer, {{"settings.toml", command.settings}});
  Json json = graph_result_json(answer, files);
  device.add_to(json);
  if (command.json)
    print_json(json);
  else
    print_text((command.verbose ? verbose_text(answer, files) : "") +
               graph_text(answer, command.out));
  if (command.open && !open_page(command.out / "report.html"))
    print_note("--open: xdg-open found no browser: open " +
               shown_path(command.out / "report.html") + " yourself");
  if (!is_sound(answer.status)) print_note(answer.message);  // else it stands among the notes
  return exit_status_of(answer.status, command.strict);
}

void add_options(CLI::App& app, GraphCommand& command) {
  app.add_option("INPUT", command.table.file,
                 "Table: .csv .tsv .txt (also .gz) or .npy, samples in rows")
      ->type_name("FILE")
      ->required();
  app.add_option("-o,--output", command.out, "Folder for the results; made if missing")
      ->type_name("FOLDER");
  app.add_option("--method", command.method,
                 "auto, a model file, or NAME:key=value,... as in docs/methods.md")
      ->type_name("METHOD")
      ->capture_default_str();
  app.add_option("--bootstrap", command.bootstrap_text,
                 "Number of resamples for the confidence of each edge; auto: 200, and up to 1000 "
                 "where these do not settle which edges are stable")
      ->check(integer_from(0, 1'000'000) | CLI::IsMember({"auto"}))
      ->type_name("N|auto")
      ->capture_default_str();
  app.add_option("--stable", command.stable,
                 "Mark the edges of which at most this share is expected to be false")
      ->type_name("Q");
  add_table_kind(app, command.table);
  add_preparation(app, command.table);
  add_constraints(app, command.constraints);
  add_no_cache(app, command.no_cache);
  app.add_flag("--train", command.train,
               "Let auto also train a model to the shape of the table (up to a minute)");
  app.add_option("--groups", command.groups,
                 "CSV with variable,group and perhaps label,colour: how the graph is drawn")
      ->type_name("FILE");
  app.add_flag("--dry-run", command.dry_run,
               "Say what would be done with each column and how long it takes; write nothing");
  app.add_flag("--open", command.open, "Open the report in the browser");
}

}  // namespace

void add_no_cache(CLI::App& app, bool& no_cache) {
  app.add_flag("--no-cache", no_cache, "Neither use nor keep trained models");
}

void check_folder(const std::filesystem::path& out) {
  namespace fs = std::filesystem;
  std::error_code ignored;
  if (fs::absolute(out, ignored).lexically_normal() == out.root_path() && out.has_root_path())
    throw Error(shown_path(out) + ": is the root of the file system: give a folder of its own");
  if (fs::exists(out, ignored) && !fs::is_directory(out, ignored))
    throw Error(shown_path(out) + ": is a file: give a folder for the results");
  fs::path folder = fs::absolute(out, ignored);
  while (!fs::exists(folder, ignored) && folder.has_relative_path()) folder = folder.parent_path();
  if (!fs::is_directory(folder, ignored) || ::access(folder.c_str(), W_OK | X_OK) != 0)
    throw Error(shown_path(out) + ": the folder " + shown_path(folder) +
                " cannot be written: choose another one");
}

void add_graph(CLI::App& app, Session& session) {
  const auto command = std::make_shared<GraphCommand>();
  CLI::App* sub = app.add_subcommand("graph", "From a table to the graph of direct dependencies");
  sub->footer(kGraphFooter);
  add_options(*sub, *command);
  add_seed(*sub, command->seed);
  add_threads(*sub, command->threads);
  add_device(*sub, command->device);
  add_json(*sub, command->json);
  add_quiet(*sub);
  add_strict(*sub, command->strict);
  sub->add_flag("--verbose", command->verbose, "Also print every method tried and every file");
  add_config(*sub);
  sub->callback([command, sub, &session] {
    command->settings = settings_text(*sub, SPODNET_VERSION);
    read_bootstrap(*command);
    session.exit_status = graph(*command, session.models, session.group);
  });
}

}  // namespace spodnet::cli
