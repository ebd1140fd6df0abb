#include <CLI/CLI.hpp>
#include <memory>

#include "cli/config_file.hpp"
#include "cli/device.hpp"
#include "cli/estimate_output.hpp"
#include "cli/output.hpp"
#include "cli/progress.hpp"
#include "cli/session.hpp"
#include "spodnet/core/error.hpp"
#include "spodnet/io/message.hpp"
#include "spodnet/workflow/candidate_methods.hpp"

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

EstimateResults estimate_all(const Method& method, const Input& input,
                             const Constraints* constraints, const EstimateOptions& options) {
  const std::size_t count = input.data.count();
  const std::string name = shown_path(options.input.table.file);
  ThreadPool pool(options.threads);
  Progress progress("estimate");
  EstimateResults results;
  results.summaries.resize(count);
  results.scores.resize(count);
  estimate_problems(method, input.data, name, constraints, pool,
                    [&](std::size_t k, TimedEstimate timed) {
                      if (input.scale.size() > 0) to_data_units(timed.estimate, input.scale);
                      results.put(k, timed);
                      progress.show(double(k + 1) / double(count));
                    });
  return results;
}

/// The method with the thresholds asked for.
std::shared_ptr<const Method> make_estimator(const EstimateOptions& options,
                                             const EngineOptions& engine,
                                             const ModelRegistry& models) {
  const MethodSpec spec = method_of(options);
  if (!options.sparsity) return make_table_method(spec, models, engine);
  std::unique_ptr<Method> made = make_method(spec, models, engine);
  set_sparsity(*made, *options.sparsity);
  return made;
}

int estimate(const EstimateOptions& options, const ModelRegistry& models) {
  AskedDevice device(options.device);
  std::shared_ptr<const Method> method = make_estimator(options, device.engine(), models);
  check_honours(*method, options.constraints);
  check_uncentred(options.input);
  check_means(*method, options.input.uncentred);
  const Input input = read_input(options.input, standardizes(options.input, *method));
  auto constraints = input.table
                         ? read_constraints(options.constraints, *input.table)
                         : read_constraints(options.constraints, input.names, input.data.p());
  if (input.table)
    constraints = constraints_for(*input.table, constraints ? &*constraints : nullptr);
  check_estimate_outputs(options, input.batch);
  check_fits(*method, input.data, options.input.table.file.string());
  if (!input.complete) method = fitted_to_given_covariance(method);
  EstimateResults results =
      estimate_all(*method, input, constraints ? &*constraints : nullptr, options);
  results.device = device.text();
  if (!options.scores.empty() && results.scores.front().columns.empty())
    throw Error("--scores: method '" + options.method + "' selects nothing and has no scores");
  check_second_output(options, results);
  const Summary summary = combine(results.summaries);
  report_estimates(options, input, results, summary,
                   write_estimates(options, input, results, summary));
  if (constraints && !options.json) print_line("  kept: " + constraints_text(*constraints));
  if (summary.status != Status::ok)
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
