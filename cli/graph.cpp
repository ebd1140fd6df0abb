#include "cli/graph.hpp"

#include <unistd.h>

#include <fmt/format.h>

#include <memory>

#include "cli/open_page.hpp"
#include "cli/progress.hpp"
#include "cli/session.hpp"
#include "cli/signals.hpp"
#include "spodnet/analysis/analyse.hpp"
#include "spodnet/analysis/model_cache.hpp"
#include "spodnet/core/error.hpp"
#include "spodnet/graph/exports.hpp"
#include "spodnet/io/message.hpp"

namespace spodnet::cli {
namespace {

constexpr const char* kFooter =
    "Examples:\n"
    "  spodnet graph measurements.csv -o out\n"
    "  spodnet graph measurements.csv -o out --bootstrap 200 --stable 0.1 --open\n"
    "  spodnet graph expression.tsv.gz -o out --missing em --method glasso-ebic\n"
    "  spodnet graph measurements.csv -o out --forbid pairs.csv --sign signs.csv\n"
    "  spodnet graph S.csv -o out --input covariance --samples-count 120\n"
    "Writes edges.csv, precision.csv, partial_correlations.csv, graph.graphml, report.html and "
    "more\n"
    "(docs/graph.md). --method auto trains a model to the shape of the table, once; 'spodnet "
    "cache'\n"
    "shows what was kept.";

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

void add_record(const GraphCommand& command, GraphAnswer& answer) {
  const auto yes = [](bool value) { return std::string(value ? "yes" : "no"); };
  answer.title = command.file.filename().string();
  answer.settings = {{"file", command.file.string()},
                     {"method", command.method},
                     {"input", command.input == "covariance"
                                   ? fmt::format("covariance of {} samples", command.samples_count)
                                   : "samples"},
                     {"standardised", yes(!command.no_standardize)},
                     {"missing values", command.missing},
                     {"robust", command.robust.empty() ? "no" : command.robust},
                     {"bootstrap", std::to_string(command.bootstrap)},
                     {"communities", command.no_standardize ? "Louvain on |Theta|"
                                                            : "Louvain on |partial correlations|"},
                     {"seed", std::to_string(command.seed)}};
  if (!command.constraints.forbid.empty())
    answer.settings.push_back({"forbidden edges", command.constraints.forbid.string()});
  if (!command.constraints.sign.empty())
    answer.settings.push_back({"signs", command.constraints.sign});
  if (command.stable) answer.settings.push_back({"stable", fmt::format("{:g}", *command.stable)});
}

int graph(const GraphCommand& command, const ModelRegistry& models) {
  check_folder(command);
  const PreparedData data = read_graph_input(command);
  const std::optional<Constraints> constraints = read_constraints(command.constraints, data);
  ThreadPool pool(command.threads);
  AnalysisResult result;
  {
    const StopOnSignal signal(kPatience);  // a single fit may take minutes
    Bars bars;
    AnalysisOptions options;
    options.method = command.method;
    options.standardize = !command.no_standardize;
    options.resamples = command.bootstrap;
    options.stable = command.stable;
    options.seed = command.seed;
    options.constraints = constraints ? &*constraints : nullptr;
    if (!command.no_cache) options.cache = default_cache_folder();
    options.stop = &signal.flag();
    options.progress = [&](const std::string& what, double fraction) { bars.show(what, fraction); };
    result = analyse(data, options, models, pool);
  }
  if (result.status == Status::interrupted) {
    print_note("interrupted, nothing was written");
    return kInterrupted;
  }
  add_record(command, result.answer);
  if (constraints)
    result.answer.notes.push_back({AnswerNote::Kind::done, "prior knowledge that holds exactly: " +
                                                               constraints_text(*constraints)});
  const auto files = write_graph_answer(command.out, result.answer);
  if (command.json)
    print_json(graph_result_json(result.answer, files));
  else
    print_text(graph_text(result.answer, command.out));
  if (command.open && !open_page(command.out / "report.html"))
    print_note("--open: xdg-open found no browser: open " +
               shown_path(command.out / "report.html") + " yourself");
  if (result.status == Status::ok) return kDone;
  print_note(result.message);
  return kNumericalTrouble;
}

void add_options(CLI::App& app, GraphCommand& command) {
  app.add_option("INPUT", command.file, "Table: .csv .tsv .txt (also .gz) or .npy, samples in rows")
      ->type_name("FILE")
      ->required();
  app.add_option("-o,--output", command.out, "Folder for the results; made where missing")
      ->type_name("FOLDER")
      ->required();
  app.add_option("--method", command.method,
                 "auto, a model file, or NAME:key=value,... as in docs/methods.md")
      ->type_name("METHOD")
      ->capture_default_str();
  app.add_option("--bootstrap", command.bootstrap, "Resamples behind the confidence of each edge")
      ->check(integer_from(0, 1'000'000))
      ->capture_default_str();
  app.add_option("--stable", command.stable,
                 "Mark the edges of which at most this share is expected to be false")
      ->type_name("Q");
  app.add_option("--input", command.input, "What the table holds: samples or a covariance")
      ->check(CLI::IsMember({"samples", "covariance"}));
  app.add_option("--samples-count", command.samples_count, "Number of samples behind a covariance")
      ->check(integer_from(1));
  add_table_options(app, command);
  app.add_flag("--open", command.open, "Open the report in the browser");
}

}  // namespace

void add_table_options(CLI::App& app, GraphCommand& command) {
  app.add_flag("--no-standardize", command.no_standardize,
               "Estimate from covariances, not correlations");
  app.add_option("--missing", command.missing,
                 "Missing values (empty, NA, NaN, ?): pairwise covariances, em, or drop their rows")
      ->check(CLI::IsMember({"pairwise", "em", "drop"}))
      ->capture_default_str();
  app.add_option("--robust", command.robust, "Correlations from ranks: spearman or kendall")
      ->check(CLI::IsMember({"spearman", "kendall"}));
  add_constraints(app, command.constraints);
  app.add_flag("--no-cache", command.no_cache, "Neither use nor keep trained models");
}

void check_folder(const GraphCommand& command) {
  namespace fs = std::filesystem;
  std::error_code ignored;
  if (fs::exists(command.out, ignored) && !fs::is_directory(command.out, ignored))
    throw Error(shown_path(command.out) + ": is a file: give a folder for the results");
  fs::path folder = fs::absolute(command.out, ignored);
  while (!fs::exists(folder, ignored) && folder.has_relative_path()) folder = folder.parent_path();
  if (!fs::is_directory(folder, ignored) || ::access(folder.c_str(), W_OK | X_OK) != 0)
    throw Error(shown_path(command.out) + ": the folder " + shown_path(folder) +
                " cannot be written: choose another one");
}

void add_graph(CLI::App& app, Session& session) {
  const auto command = std::make_shared<GraphCommand>();
  CLI::App* sub = app.add_subcommand("graph", "From a table to the graph of direct dependencies");
  sub->footer(kFooter);
  add_options(*sub, *command);
  add_seed(*sub, command->seed);
  add_threads(*sub, command->threads);
  add_json(*sub, command->json);
  sub->callback([command, sub, &session] {
    command->missing_given = sub->count("--missing") > 0;
    session.exit_status = graph(*command, session.models);
  });
}

}  // namespace spodnet::cli
