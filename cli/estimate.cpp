#include <CLI/CLI.hpp>
#include <memory>

#include "cli/config_file.hpp"
#include "cli/device.hpp"
#include "cli/estimate_output.hpp"
#include "cli/output.hpp"
#include "cli/progress.hpp"
#include "cli/session.hpp"
#include "spodnet/core/error.hpp"
#include "spodnet/core/stopwatch.hpp"
#include "spodnet/io/message.hpp"
#include "spodnet/io/safetensors.hpp"

namespace spodnet::cli {
namespace {

constexpr const char* kEstimateFooter =
    "Examples:\n"
    "  spodnet estimate measurements.csv -o precision.csv\n"
    "  spodnet estimate measurements.csv --target precision -o surer.csv\n"
    "  spodnet estimate measurements.csv --method ubg.safetensors -o precision.csv\n"
    "  spodnet estimate S.npy --input covariance --samples-count 100 --method ubg.safetensors \\\n"
    "      -o precision.mtx --covariance-out covariance.npy\n"
    "  spodnet estimate measurements.csv --method glasso-cv --forbid pairs.csv --sign positive \\\n"
    "      -o precision.csv\n"
    "  spodnet estimate test.safetensors --method ubg.safetensors -o estimates.safetensors\n"
    "A .safetensors output holds Theta and W; any other holds Theta. --forbid and --sign hold "
    "exactly\n"
    "in the result of models and glasso; other methods refuse them.";

/// Every problem of a data set.
EstimateResults estimate_set(const Method& method, const EstimateOptions& options,
                             ThreadPool& pool) {
  const std::filesystem::path& file = options.input.table.file;
  const DataSet data = read_set(options.input);
  const auto constraints = read_constraints(options.constraints, {}, data.p());
  EstimateResults results(data.count());
  results.n = data.n;
  results.batch = read_safetensors_header(file).tensors.at("S").shape.size() == 3;
  if (constraints) results.kept = constraints_text(*constraints);
  check_estimate_outputs(options, results.batch);
  check_fits(method, !data.X.empty(), file.string());
  Progress progress("estimate");
  estimate_problems(method, data, shown_path(file), constraints ? &*constraints : nullptr, pool,
                    [&](std::size_t k, const Estimate& estimate, double seconds) {
                      results.put(k, estimate, seconds);
                      progress.show(double(k + 1) / double(data.count()));
                    });
  return results;
}

/// The table, made ready as `graph` does.
EstimateResults estimate_one(std::shared_ptr<const Method> method, const EstimateOptions& options,
                             ThreadPool& pool) {
  const std::filesystem::path& file = options.input.table.file;
  Prepared table = read_prepared(options.input.table, 1);
  WorkingData data = pose_table(table, options.input, standardizes(options.input, *method));
  if (table.X.size() == 0) table.S = table.moments.R = Matrix();  // large ones need the memory
  const auto given = read_constraints(options.constraints, table);
  const auto constraints = constraints_for(table, given ? &*given : nullptr);
  EstimateResults results(1);
  results.n = data.all.n;
  if (table.named) results.names = table.names;
  results.notes = table.notes;
  if (constraints) results.kept = constraints_text(*constraints);
  check_estimate_outputs(options, false);
  check_fits(*method, data.all.X.size() > 0, file.string());
  const Stopwatch watch;
  const Estimate estimate = named(shown_path(file), [&] {
    return estimate_table(std::move(data), method, constraints ? &*constraints : nullptr, &pool);
  });
  results.put(0, estimate, watch.seconds());
  return results;
}

/// The method with the thresholds asked for.
std::shared_ptr<const Method> make_estimator(const EstimateOptions& options,
                                             const EngineOptions& engine,
                                             const ModelRegistry& models) {
  std::unique_ptr<Method> made = make_method(method_of(options), models, engine);
  if (options.sparsity) set_sparsity(*made, *options.sparsity);
  return made;
}

int estimate(const EstimateOptions& options, const ModelRegistry& models) {
  AskedDevice device(options.device);
  const auto method = make_estimator(options, device.engine(), models);
  check_honours(*method, options.constraints);
  check_uncentred(options.input);
  check_means(*method, options.input.uncentred);
  ThreadPool pool(options.threads);
  EstimateResults results = holds_several(options.input.table.file)
                                ? estimate_set(*method, options, pool)
                                : estimate_one(method, options, pool);
  results.device = device.text();
  if (!options.scores.empty() && results.scores.front().columns.empty())
    throw Error("--scores: method '" + options.method + "' selects nothing and has no scores");
  check_second_output(options, results);
  const Summary summary = combine(results.summaries);
  report_estimates(options, results, summary, write_estimates(options, results, summary));
  if (summary.status != Status::ok || !summary.message.empty())
    print_note(summary.message.empty() ? std::string(to_string(summary.status)) : summary.message);
  return exit_status_of(summary.status, options.strict);
}

}  // namespace

void add_estimate(CLI::App& app, Session& session) {
  const auto options = std::make_shared<EstimateOptions>();
  CLI::App* command =
      app.add_subcommand("estimate", "Estimate the precision matrix behind samples or covariances");
  command->footer(kEstimateFooter);
  command
      ->add_option("INPUT", options->input.table.file,
                   "Table (.csv .tsv .npy) or .safetensors with S [p,p] or [count,p,p]")
      ->type_name("FILE")
      ->required();
  command
      ->add_option(
          "--method", options->method,
          "Model file, or NAME:key=value,key=value. pretrained are the models that come with "
          "the program, for any number of variables")
      ->type_name("METHOD")
      ->capture_default_str();
  command
      ->add_option("--target", options->target,
                   "Goal of the pretrained models: nmse, the smallest error; f1, the best graph; "
                   "precision, fewer false edges")
      ->check(CLI::IsMember({"nmse", "f1", "precision"}))
      ->default_str("nmse");
  command
      ->add_option("--sparsity", options->sparsity,
                   "Factor on the thresholds of a model; above 1: fewer edges")
      ->check(number_from(0))
      ->default_str("1");
  add_input(*command, options->input);
  add_constraints(*command, options->constraints);
  command
      ->add_option("-o,--output", options->out,
                   "Precision matrix: .npy, .csv, .tsv, .mtx or .safetensors")
      ->type_name("FILE")
      ->required();
  command
      ->add_option("--covariance-out", options->covariance_out,
                   "Its inverse W, in one of the same formats")
      ->type_name("FILE");
  command->add_option("--scores", options->scores, "CSV with the scores of a model selection")
      ->type_name("FILE");
  add_seed(*command, options->input.seed);
  add_threads(*command, options->threads);
  add_device(*command, options->device);
  add_json(*command, options->json);
  add_strict(*command, options->strict);
  add_quiet(*command);
  add_config(*command);
  command->callback(
      [options, &session] { session.exit_status = estimate(*options, session.models); });
}

}  // namespace spodnet::cli
