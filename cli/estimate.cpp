#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <optional>

#include "cli/advice.hpp"
#include "cli/config_file.hpp"
#include "cli/constraint_options.hpp"
#include "cli/estimate_report.hpp"
#include "cli/input.hpp"
#include "cli/output.hpp"
#include "cli/problems.hpp"
#include "cli/progress.hpp"
#include "cli/session.hpp"
#include "spodnet/core/error.hpp"
#include "spodnet/core/parse.hpp"
#include "spodnet/io/csv.hpp"
#include "spodnet/io/message.hpp"
#include "spodnet/selection/candidate_methods.hpp"

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

struct EstimateOptions {
  InputOptions input;
  ConstraintOptions constraints;
  std::string method = "pretrained", target;
  std::filesystem::path out, covariance_out, scores;
  std::optional<double> sparsity;
  int threads = 0;
  std::string device = "cpu";
  bool json = false;
};

/// All estimates of one run, stacked.
struct Results {
  MatrixBatch Theta, W, Z;
  std::vector<Summary> summaries;
  std::vector<Table> scores;

  /// The first one is put alone.
  void put(std::size_t k, const TimedEstimate& timed) {
    const Estimate& estimate = timed.estimate;
    if (k == 0) {  // not earlier: a large matrix needs the memory
      const std::size_t count = summaries.size(), p = std::size_t(estimate.Theta.rows());
      Theta = W = MatrixBatch(count, p, p);
      if (estimate.Z) Z = Theta;
    }
    Theta[k] = estimate.Theta;
    W[k] = estimate.W;
    if (estimate.Z) Z[k] = *estimate.Z;
    summaries[k] = summarise(timed);
    scores[k] = {estimate.score_columns, {}, estimate.scores};
  }
};

Results estimate_all(const Method& method, const Input& input, const Constraints* constraints,
                     const EstimateOptions& options) {
  const std::size_t count = input.data.count();
  const std::string name = shown_path(options.input.table.file);
  ThreadPool pool(options.threads);
  Progress progress("estimate");
  Results results;
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

/// The method as it was asked for, its target among the settings.
std::string method_text(const EstimateOptions& options) {
  if (options.target.empty()) return options.method;
  if (parse_method(options.method).name != "pretrained")
    throw Error(
        "--target: is a setting of the pretrained models; leave --method out, or use "
        "--sparsity with a model file");
  return options.method + (options.method.find(':') == std::string::npos ? ":" : ",") +
         "target=" + options.target;
}

std::map<std::string, std::string> metadata(const EstimateOptions& options, const Input& input,
                                            const Summary& summary) {
  std::map<std::string, std::string> out = {{"method", method_text(options)},
                                            {"status", std::string(to_string(summary.status))},
                                            {"residual", exact_text(summary.residual)}};
  if (input.data.n > 0) out["n"] = exact_text(input.data.n);
  if (options.sparsity) out["sparsity"] = exact_text(*options.sparsity);
  return out;
}

/// The scores of a stack's matrices under each other, behind a column with the matrix's index.
Table stacked(const std::vector<Table>& tables) {
  Table all{tables.front().columns, {}, {}};
  all.columns.insert(all.columns.begin(), "matrix");
  for (std::size_t k = 0; k < tables.size(); ++k) {
    const Matrix& values = tables[k].values;
    const Eigen::Index before = all.values.rows();
    all.values.conservativeResize(before + values.rows(), values.cols() + 1);
    all.values.bottomRows(values.rows()) << Matrix::Constant(values.rows(), 1, double(k)), values;
  }
  return all;
}

/// Writes every output asked for and returns their names.
std::vector<std::string> write_results(const EstimateOptions& options, const Input& input,
                                       const Results& results, const Summary& summary) {
  const auto about = metadata(options, input, summary);
  const auto write = [&](const std::filesystem::path& path, std::vector<NamedMatrices> matrices) {
    write_matrices(path, matrices, input.batch, input.names, about);
    return path.string();
  };
  std::vector<NamedMatrices> all = {{"Theta", &results.Theta}, {"W", &results.W}};
  if (!results.Z.empty()) all.push_back({"Z", &results.Z});
  std::vector<std::string> written = {write(options.out, all)};
  if (!results.Z.empty() && !holds_several(options.out))
    written.push_back(write(beside(options.out, "Z"), {{"Z", &results.Z}}));
  if (!options.covariance_out.empty())
    written.push_back(write(options.covariance_out, {{"W", &results.W}}));
  if (!options.scores.empty()) {
    write_csv(options.scores, input.batch ? stacked(results.scores) : results.scores.front());
    written.push_back(options.scores.string());
  }
  return written;
}

void add_notes(const PreparedData& table, Json& out) {
  for (const DataNote& note : table.notes)
    out[note.warning ? "warnings" : "notes"].push_back(with_option(note.text, note.advice));
}

void print_notes(const PreparedData& table) {
  for (const DataNote& note : table.notes)
    print_line((note.warning ? "  careful: " : "  note: ") + with_option(note.text, note.advice));
}

void report(const EstimateOptions& options, const Input& input, const Results& results,
            const Summary& summary, const std::vector<std::string>& written) {
  const std::size_t count = input.data.count();
  if (options.json) {
    Json out = {{"method", method_text(options)},
                {"count", count},
                {"p", input.data.p()},
                {"n", input.data.n > 0 ? Json(input.data.n) : Json(nullptr)},
                {"outputs", written}};
    if (options.sparsity) out["sparsity"] = *options.sparsity;
    out.update(to_json(summary));
    if (input.table) add_notes(*input.table, out);
    if (input.batch)
      for (const Summary& each : results.summaries) out["matrices"].push_back(to_json(each));
    return print_json(out);
  }
  print_line(fmt::format("{}: ", fmt::join(written, ", ")) +
             (input.batch ? std::to_string(count) + " matrices, " : "") +
             "p = " + std::to_string(input.data.p()) +
             (input.data.n > 0 ? ", n = " + number_text(input.data.n) : "") + ", " +
             seconds_text(summary.seconds));
  for (const std::string& line : to_lines(summary, count)) print_line("  " + line);
  if (input.table) print_notes(*input.table);
  if (!results.Z.empty())
    print_line(
        "  Theta is SPD but not sparse, Z is sparse (its edges are counted) but need not be "
        "SPD");
}

/// Every file that is read.
std::vector<std::filesystem::path> inputs(const EstimateOptions& options) {
  std::vector<std::filesystem::path> files = files_of(options.method);
  for (const std::filesystem::path& file : {options.input.table.file, options.constraints.forbid,
                                            std::filesystem::path(options.constraints.sign)})
    files.push_back(file);
  return files;
}

void check_outputs(const EstimateOptions& options, bool batch) {
  std::vector<std::filesystem::path> taken = inputs(options);
  check_matrix_output(options.out, batch, taken);
  taken.push_back(options.out);
  if (!options.covariance_out.empty()) check_matrix_output(options.covariance_out, batch, taken);
  taken.push_back(options.covariance_out);
  if (!options.scores.empty()) check_output(options.scores, taken);
}

/// A second matrix has a file of its own, whose name only the method's answer asks for.
void check_second_output(const EstimateOptions& options, const Results& results) {
  if (results.Z.empty() || holds_several(options.out)) return;
  std::vector<std::filesystem::path> taken = inputs(options);
  taken.insert(taken.end(), {options.covariance_out, options.scores});
  check_output(beside(options.out, "Z"), taken);
}

/// The factor of the thresholds has two places; it may stand in one of them.
void check_sparsity(const EstimateOptions& options) {
  for (const char* setting : {":sparsity=", ",sparsity="})
    if (options.sparsity && options.method.find(setting) != std::string::npos)
      throw Error("--sparsity: is given twice, --method '" + options.method +
                  "' has it too: leave out one of them");
}

/// The method with the thresholds asked for.
std::shared_ptr<const Method> make_estimator(const EstimateOptions& options,
                                             const ModelRegistry& models) {
  check_sparsity(options);
  if (!options.sparsity)
    return make_table_method(method_text(options), models, {.device = options.device});
  std::unique_ptr<Method> made =
      make_method(method_text(options), models, {.device = options.device});
  set_sparsity(*made, *options.sparsity);
  return made;
}

int estimate(const EstimateOptions& options, const ModelRegistry& models) {
  std::shared_ptr<const Method> method = make_estimator(options, models);
  check_honours(*method, options.constraints);
  check_uncentred(options.input);
  check_means(*method, options.input.uncentred);
  const Input input = read_input(options.input, standardizes(options.input, *method));
  auto constraints = input.table
                         ? read_constraints(options.constraints, *input.table)
                         : read_constraints(options.constraints, input.names, input.data.p());
  if (input.table)
    constraints = constraints_for(*input.table, constraints ? &*constraints : nullptr);
  check_outputs(options, input.batch);
  check_fits(*method, input.data, options.input.table.file.string());
  if (!input.complete) method = fitted_to_given_covariance(method);
  const Results results =
      estimate_all(*method, input, constraints ? &*constraints : nullptr, options);
  if (!options.scores.empty() && results.scores.front().columns.empty())
    throw Error("--scores: method '" + options.method + "' selects nothing and has no scores");
  check_second_output(options, results);
  const Summary summary = combine(results.summaries);
  report(options, input, results, summary, write_results(options, input, results, summary));
  if (constraints && !options.json) print_line("  kept: " + constraints_text(*constraints));
  if (summary.status == Status::ok) return kDone;
  print_note(summary.message.empty() ? std::string(to_string(summary.status)) : summary.message);
  return kNumericalTrouble;
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
  add_quiet(*command);
  add_config(*command);
  command->callback(
      [options, &session] { session.exit_status = estimate(*options, session.models); });
}

}  // namespace spodnet::cli
