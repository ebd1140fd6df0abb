#include <map>
#include <memory>

#include "cli/evaluate_report.hpp"

#include <CLI/CLI.hpp>
#include "cli/device.hpp"
#include "cli/input.hpp"
#include "cli/output.hpp"
#include "cli/problems.hpp"
#include "cli/progress.hpp"
#include "cli/session.hpp"
#include "cli/test_set.hpp"
#include "spodnet/core/error.hpp"
#include "spodnet/io/message.hpp"
#include "spodnet/workflow/candidate_methods.hpp"

namespace spodnet::cli {
namespace {

constexpr const char* kEvaluateFooter =
    "Examples:\n"
    "  spodnet evaluate --data test.safetensors --method ubg.safetensors --method pnp.safetensors\n"
    "  spodnet evaluate --data test.safetensors --method ubg.safetensors --per-matrix scores.csv\n"
    "  spodnet evaluate --data measurements.csv --held-out 0.2 --method ubg.safetensors --json";

constexpr int kLouvainRestarts = 10;
constexpr std::size_t kAlone = 64,
                      kShared = 8;  // problems at a time, by one process and by several

struct EvaluateOptions {
  InputOptions input;
  std::vector<std::string> methods;
  double held_out = 0;
  std::filesystem::path per_matrix;
  int threads = 0;
  std::string device = "cpu";
  bool json = false, strict = false;
};

/// What a process sends of one estimate: status, seconds and the scores of Theta, then those of Z
/// where it has one (else NaN).
class ScoreRecord {
 public:
  static std::size_t size() { return 3 + 2 * score_fields().size(); }

  static void append(std::vector<double>& numbers, const Estimate& estimate, double seconds,
                     const MatrixScores& of_Theta, const MatrixScores& of_Z) {
    numbers.insert(numbers.end(), {double(int(estimate.status)), seconds, estimate.Z ? 1.0 : 0.0});
    for (const MatrixScores* scores : {&of_Theta, &of_Z})
      for (const ScoreField& field : score_fields()) numbers.push_back(scores->*field.member);
  }

  explicit ScoreRecord(const double* numbers) : numbers_(numbers) {}
  bool has_Z() const { return numbers_[2] != 0; }

  void put(MethodScores& out, std::size_t k, bool of_Z) const {
    const auto fields = score_fields();
    const double* next = numbers_ + 3 + (of_Z ? fields.size() : 0);
    for (const ScoreField& field : fields) out.scores[k].*field.member = *next++;
    out.status[k] = Status(int(numbers_[0]));
    out.seconds[k] = numbers_[1];
  }

 private:
  const double* numbers_;
};

/// The records of some problems of the test set.
std::vector<double> score_problems(const Method& method, const TestSet& test,
                                   const EvaluateOptions& options, ProblemRange range,
                                   ThreadPool& pool) {
  const DataSet& data = test.data;
  std::vector<Estimate> estimates;
  std::vector<double> seconds;
  estimate_problems(
      method, data, shown_path(options.input.table.file), nullptr, pool,
      [&](std::size_t, Estimate estimate, double took) {
        if (test.scale.size() > 0) to_data_units(estimate, test.scale);
        estimates.push_back(std::move(estimate));
        seconds.push_back(took);
      },
      range);
  std::vector<MatrixScores> of_Theta(estimates.size()), of_Z(estimates.size());
  pool.run(estimates.size(), [&](std::size_t e, int) {
    const std::size_t k = range.first + e;
    const Estimate& estimate = estimates[e];
    const Matrix truth = data.Theta_true.empty() ? Matrix() : Matrix(data.Theta_true[k]);
    ScoreInputs inputs{.W = &estimate.W,
                       .S_test = test.S_test.empty() ? nullptr : &test.S_test[k],
                       .louvain_restarts = kLouvainRestarts,
                       .seed = options.input.seed};
    of_Theta[e] = score(estimate.Theta, truth, inputs);
    inputs.W = nullptr;
    if (estimate.Z) of_Z[e] = score(*estimate.Z, truth, inputs);
  });
  std::vector<double> numbers;
  for (std::size_t e = 0; e < estimates.size(); ++e)
    ScoreRecord::append(numbers, estimates[e], seconds[e], of_Theta[e], of_Z[e]);
  return numbers;
}

/// Scores of Theta, and of Z for a method that has one, under the name the user gave it; in the
/// first process. The others take problems as they become free.
std::vector<MethodScores> evaluate_method(const Method& method, const std::string& label,
                                          const TestSet& test, const EvaluateOptions& options,
                                          ThreadPool& pool, Group& group) {
  static const std::atomic<bool> never = false;
  const std::size_t count = test.data.count();
  const std::size_t at_once = group.size() > 1 ? kShared : kAlone;
  Progress progress(label, group.size() > 1);
  MethodScores of_Theta(label, "Theta", count), of_Z(label, "Z", count);
  bool has_Z = false;
  std::size_t done = 0;
  ThreadPool one(1);  // the problems of a piece share the threads
  group.farm((count + at_once - 1) / at_once, one, never,
             [&](std::size_t piece, int) {
               const std::size_t first = piece * at_once;
               return score_problems(method, test, options, {first, first + at_once}, pool);
             },
             [&](std::size_t piece, std::span<const double> numbers) {
               for (std::size_t e = 0; e * ScoreRecord::size() < numbers.size(); ++e, ++done) {
                 const ScoreRecord record(numbers.data() + e * ScoreRecord::size());
                 has_Z = has_Z || record.has_Z();
                 record.put(of_Theta, piece * at_once + e, false);
                 record.put(of_Z, piece * at_once + e, true);
               }
               progress.show(double(done) / double(count));
             });
  if (!has_Z) return {of_Theta};
  return {of_Theta, of_Z};
}

void check_options(const EvaluateOptions& options) {
  std::vector<std::filesystem::path> taken = {options.input.table.file};
  for (const std::string& method : options.methods)
    for (const std::filesystem::path& file : files_of(method)) taken.push_back(file);
  if (!options.per_matrix.empty()) check_output(options.per_matrix, taken);
  const bool held_out = options.held_out > 0;
  if (held_out && options.input.table.samples_count > 0)
    throw Error("--samples-count: --held-out counts the samples that are left: leave it out");
  check_uncentred(options.input, held_out);
}

int evaluate(const EvaluateOptions& options, const ModelRegistry& models, Group& group) {
  check_options(options);
  AskedDevice device(options.device);
  std::vector<std::shared_ptr<const Method>> methods;
  for (const std::string& text : options.methods) {
    methods.push_back(make_method(text, models, device.engine()));
    check_means(*methods.back(), options.input.uncentred);
  }
  const std::string file = options.input.table.file.string();
  std::optional<Prepared> table;
  if (!holds_several(options.input.table.file)) table = read_prepared(options.input.table, 1);
  const TestSet given =
      table ? one_problem(*table, options.input, false) : TestSet{read_set(options.input), {}, {}};
  for (const auto& method : methods) check_fits(*method, !given.data.X.empty(), file);
  std::map<bool, TestSet> tests;  // in the data's units, standardised
  ThreadPool pool(options.threads);
  std::vector<MethodScores> scores;
  for (std::size_t k = 0; k < methods.size(); ++k) {
    const bool standardize =
        table && table->X.size() > 0 && standardizes(options.input, *methods[k]);
    if (!tests.contains(standardize))
      tests[standardize] =
          held_out_of(standardize ? one_problem(*table, options.input, true) : given, options.input,
                      options.held_out, table ? &*table : nullptr, standardize);
    const TestSet& test = tests[standardize];
    const auto method = test.complete ? methods[k] : fitted_to_given_covariance(methods[k]);
    for (MethodScores& each :
         evaluate_method(*method, options.methods[k], test, options, pool, group))
      scores.push_back(std::move(each));
  }
  if (!group.first()) return kDone;
  const DataSet& data = tests.begin()->second.data;
  if (!options.per_matrix.empty()) write_per_matrix(options.per_matrix, scores);
  if (options.json) {
    Json json = scores_json(file, data, scores);
    device.add_to(json);
    print_json(json);
  } else {
    print_text(scores_table(data, scores));
    if (const std::string by = device.text(); !by.empty())
      print_line("learned models computed by " + by);
  }
  for (const MethodScores& each : scores)
    if (each.failures() > 0 || (options.strict && each.replaced() > 0)) return kNumericalTrouble;
  return kDone;
}

}  // namespace

void add_evaluate(CLI::App& app, Session& session) {
  const auto options = std::make_shared<EvaluateOptions>();
  CLI::App* command =
      app.add_subcommand("evaluate", "Compare methods on a data set whose true matrices are known");
  command->footer(kEvaluateFooter);
  command
      ->add_option("--data", options->input.table.file,
                   "Data set (.safetensors with S, Theta_true, X), or a table")
      ->type_name("FILE")
      ->required();
  command
      ->add_option("--method", options->methods,
                   "Model file, or NAME:key=value,key=value; may be given several times")
      ->type_name("METHOD")
      ->required()
      ->take_all()
      ->expected(1);
  add_input(*command, options->input);
  command
      ->add_option("--held-out", options->held_out,
                   "Fraction of each problem's samples kept for the log-likelihood")
      ->check(number_from(0, 1));
  command->add_option("--per-matrix", options->per_matrix, "CSV with the scores of every matrix")
      ->type_name("FILE");
  add_seed(*command, options->input.seed);
  add_threads(*command, options->threads);
  add_device(*command, options->device);
  add_json(*command, options->json);
  add_strict(*command, options->strict);
  command->callback([options, &session] {
    session.exit_status = evaluate(*options, session.models, session.group);
  });
}

}  // namespace spodnet::cli
