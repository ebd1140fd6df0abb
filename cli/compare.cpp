#include "cli/compare.hpp"

#include <CLI/CLI.hpp>

#include <memory>

#include "cli/advice.hpp"
#include "cli/config_file.hpp"
#include "cli/device.hpp"
#include "cli/graph.hpp"
#include "cli/progress.hpp"
#include "cli/session.hpp"
#include "cli/signals.hpp"
#include "spodnet/core/error.hpp"
#include "spodnet/io/atomic_file.hpp"
#include "spodnet/io/file_set.hpp"
#include "spodnet/io/message.hpp"
#include "spodnet/workflow/add_candidates.hpp"
#include "spodnet/workflow/model_cache.hpp"

namespace spodnet::cli {
namespace {

constexpr const char* kCompareFooter =
    "Examples:\n"
    "  spodnet compare measurements.csv\n"
    "  spodnet compare measurements.csv -o out --method mine.safetensors\n"
    "  spodnet compare measurements.csv --only --method glasso-cv --method glasso-ebic:gamma=0\n"
    "Compares the candidates of 'spodnet graph', pretrained, ledoit-wolf, oas, egfm and what "
    "--method\n"
    "adds; --train adds a model trained to the shape of the table ('spodnet cache'). -o writes "
    "compare.csv,\n"
    "agreement.csv and compare.html.";

struct CompareOptions {
  TableInput table;
  std::filesystem::path out;
  ConstraintOptions constraints;
  std::vector<std::string> methods;
  std::uint64_t seed = 0;
  int threads = 0;
  std::string device = "cpu";
  bool no_cache = false, train = false, json = false;
  bool only = false;
  int folds = 5;
};

/// One bar, named by what is being done.
class Bar {
 public:
  void show(const std::string& what, double fraction) {
    const bool training = !what.starts_with("comparing");
    if (!progress_ || training != training_)
      progress_ = std::make_unique<Progress>(training ? what : "comparing");
    training_ = training;
    progress_->show(fraction, training ? "" : what.substr(what.find(' ') + 1));
  }

 private:
  std::unique_ptr<Progress> progress_;
  bool training_ = false;
};

std::vector<std::filesystem::path> write_files(const std::filesystem::path& folder,
                                               const ComparedData& data) {
  FileSet files(folder);
  const auto write = [&](const std::string& name, const std::string& text) {
    write_file_atomically(files.add(name), text);
  };
  write("compare.csv", compare_csv(data.comparison));
  write("agreement.csv", agreement_csv(data.comparison));
  write("compare.html", compare_page(data));
  return files.commit();
}

Comparison run(const CompareOptions& options, const Prepared& data, const Constraints* constraints,
               const EngineOptions& engine, const ModelRegistry& models) {
  const StopOnSignal signal(kPatience);
  ThreadPool pool(options.threads);
  Bar bar;
  CompareDataOptions compare;
  compare.methods = options.methods;
  if (options.train) compare.methods.push_back(kTailored);
  compare.only_these = options.only;
  compare.folds = options.folds;
  compare.standardize = !options.table.no_standardize;
  compare.seed = options.seed;
  compare.folds_in_order = options.table.folds_in_order;
  compare.constraints = constraints;
  if (!options.no_cache) compare.cache = default_cache_folder();
  return compare_data(
      data, compare,
      {.pool = pool,
       .models = models,
       .engine = engine,
       .stop = &signal.flag(),
       .progress = [&](const std::string& what, double fraction) { bar.show(what, fraction); }});
}

int compare(const CompareOptions& options, const ModelRegistry& models) {
  const TableInput& input = options.table;
  if (options.only && options.methods.empty())
    throw Error("--only: goes with --method, which names what is compared");
  if (!options.out.empty()) check_folder(options.out);
  AskedDevice device(options.device);
  const Prepared prepared = read_prepared(input);
  if (square_and_symmetric(prepared.X))
    throw Error(shown_path(input.file) +
                ": is square and symmetric, as covariances are: compare needs the samples, one per "
                "row");
  const std::optional<Constraints> constraints = read_constraints(options.constraints, prepared);
  ComparedData data{input.file.filename().string(), prepared.names, prepared.notes, {}};
  for (DataNote& note : data.notes) note.text = with_option(note.text, note.advice, note.value);
  data.notes.push_back({false, std::to_string(options.folds) +
                                   (input.folds_in_order ? " folds of consecutive rows, "
                                                         : " folds of rows in random order, ") +
                                   (input.no_standardize ? "covariances"
                                                         : "each standardised by "
                                                           "its training rows")});
  if (constraints)
    data.notes.push_back(
        {false, "prior knowledge that holds exactly: " + constraints_text(*constraints)});
  data.comparison =
      run(options, prepared, constraints ? &*constraints : nullptr, device.engine(), models);
  if (data.comparison.interrupted) {
    print_note("interrupted, nothing was written");
    return kInterrupted;
  }
  const std::string by = device.text();
  if (!by.empty()) data.notes.push_back({false, "learned models computed by " + by});
  std::vector<std::filesystem::path> files;
  if (!options.out.empty()) files = write_files(options.out, data);
  if (options.json) {
    Json json = compare_json(data, files);
    device.add_to(json);
    print_json(json);
  } else {
    print_text(compare_text(data));
    if (!by.empty()) print_line("learned models computed by " + by);
    if (!files.empty()) print_line("page: " + files.back().string());
  }
  for (const ComparedMethod& method : data.comparison.methods)
    if (method.done) return kDone;
  return kNumericalTrouble;
}

void add_options(CLI::App& app, CompareOptions& options) {
  TableInput& input = options.table;
  app.add_option("INPUT", input.file, "Table: .csv .tsv .txt (also .gz) or .npy, samples in rows")
      ->type_name("FILE")
      ->required();
  app.add_option("-o,--output", options.out, "Folder for compare.csv, agreement.csv, compare.html")
      ->type_name("FOLDER");
  app.add_option("--method", options.methods,
                 "Model file, auto, or NAME:key=value,...; beside the common ones, may be repeated")
      ->type_name("METHOD")
      ->take_all()
      ->expected(1);
  app.add_flag("--train", options.train, "Also a model trained to the shape of the table");
  app.add_flag("--only", options.only, "Compare what --method names and nothing else");
  app.add_option("--folds", options.folds, "Parts of the rows, each held out once")
      ->check(integer_from(2, 1000))
      ->capture_default_str();
  add_preparation(app, input);
  add_constraints(app, options.constraints);
  add_no_cache(app, options.no_cache);
}

}  // namespace

void add_compare(CLI::App& app, Session& session) {
  const auto options = std::make_shared<CompareOptions>();
  options->table.kind = "samples";
  CLI::App* sub = app.add_subcommand("compare", "Compare methods on one table");
  sub->footer(kCompareFooter);
  add_options(*sub, *options);
  add_seed(*sub, options->seed);
  add_threads(*sub, options->threads);
  add_device(*sub, options->device);
  add_json(*sub, options->json);
  add_quiet(*sub);
  add_config(*sub);
  sub->callback([options, &session] { session.exit_status = compare(*options, session.models); });
}

}  // namespace spodnet::cli
