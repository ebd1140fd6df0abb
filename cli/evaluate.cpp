#include <memory>

#include "cli/evaluate_report.hpp"
#include "cli/input.hpp"
#include "cli/problems.hpp"
#include "cli/progress.hpp"
#include "cli/session.hpp"
#include "spodnet/core/error.hpp"
#include "spodnet/core/parse.hpp"
#include "spodnet/data/covariance.hpp"
#include "spodnet/io/message.hpp"

namespace spodnet::cli {
namespace {

constexpr const char* kFooter =
    "Examples:\n"
    "  spodnet evaluate --data test.safetensors --method ubg.safetensors --method pnp.safetensors\n"
    "  spodnet evaluate --data test.safetensors --method ubg.safetensors --per-matrix scores.csv\n"
    "  spodnet evaluate --data measurements.csv --held-out 0.2 --method ubg.safetensors --json";

constexpr int kLouvainRestarts = 10;

struct Options {
  InputOptions input;
  std::vector<std::string> methods;
  double held_out = 0;
  std::filesystem::path per_matrix;
  std::uint64_t seed = 0;
  int threads = 0;
  bool json = false;
};

/// The data as the methods see them, and the covariances of what was held out of them.
struct TestSet {
  DataSet data;
  std::vector<Matrix> S_test;
};

/// The last samples of each problem are held out; S_test is about the mean of the others.
void hold_out(const Options& options, TestSet& test) {
  DataSet& data = test.data;
  if (data.X.empty())
    throw Error("--held-out: " + options.input.file.string() +
                " has no samples: give a table, or a data set made with --samples");
  const std::size_t n = data.X.rows, p = data.X.cols;
  const std::size_t left = n - std::size_t(std::lround(options.held_out * double(n)));
  if (left < 2 || left == n)
    throw Error("--held-out " + exact_text(options.held_out) + ": of " + std::to_string(n) +
                " samples it leaves " + std::to_string(left) + ": choose another fraction");
  MatrixBatch kept(data.count(), left, p);
  for (std::size_t k = 0; k < data.count(); ++k) {
    kept[k] = data.X[k].topRows(Eigen::Index(left));
    const Vector mean =
        options.input.uncentred ? Vector::Zero(Eigen::Index(p)).eval() : column_means(kept[k]);
    test.S_test.push_back(covariance_about(data.X[k].bottomRows(Eigen::Index(n - left)), mean));
    data.S[k] = covariance_about(kept[k], mean);
  }
  data.X = std::move(kept);
  data.n = double(left);
}

TestSet read_test_set(const Options& options) {
  TestSet test{read_input(options.input).data, {}};
  if (options.held_out > 0) hold_out(options, test);
  return test;
}

/// Scores of Theta, and of Z for a method that has one, under the name the user gave it.
std::vector<MethodScores> evaluate_method(const Method& method, const std::string& label,
                                          const TestSet& test, const Options& options,
                                          ThreadPool& pool) {
  const std::size_t count = test.data.count();
  Progress progress(label);
  MethodScores of_Theta(label, "Theta", count), of_Z(label, "Z", count);
  std::atomic<std::size_t> done = 0;
  std::atomic<bool> has_Z = false;
  const auto one = [&](std::size_t k, ThreadPool* inner) {
    Matrix X;
    Problem posed = problem(test.data, k, X);
    posed.pool = inner;
    const TimedEstimate timed =
        timed_estimate(method, posed, problem_name(shown_path(options.input.file), test.data, k));
    const Matrix truth = test.data.Theta_true.empty() ? Matrix() : Matrix(test.data.Theta_true[k]);
    ScoreInputs inputs{.W = &timed.estimate.W,
                       .S_test = test.S_test.empty() ? nullptr : &test.S_test[k],
                       .louvain_restarts = kLouvainRestarts,
                       .seed = options.seed};
    of_Theta.put(k, timed, score(timed.estimate.Theta, truth, inputs));
    inputs.W = nullptr;
    if (timed.estimate.Z) {
      has_Z = true;
      of_Z.put(k, timed, score(*timed.estimate.Z, truth, inputs));
    }
    progress.show(double(++done) / double(count));
  };
  if (count == 1)
    one(0, &pool);
  else
    pool.run(count, [&](std::size_t k, int) { one(k, nullptr); });
  if (!has_Z) return {of_Theta};
  return {of_Theta, of_Z};
}

void check_options(const Options& options) {
  std::vector<std::filesystem::path> taken = {options.input.file};
  for (const std::string& method : options.methods)
    for (const std::filesystem::path& file : files_of(method)) taken.push_back(file);
  if (!options.per_matrix.empty()) check_output(options.per_matrix, taken);
  const bool held_out = options.held_out > 0;
  if (held_out && options.input.samples_count > 0)
    throw Error("--samples-count: --held-out counts the samples that are left: leave it out");
  check_uncentred(options.input, held_out);
}

int evaluate(const Options& options, const ModelRegistry& models) {
  check_options(options);
  std::vector<std::unique_ptr<Method>> methods;
  for (const std::string& text : options.methods) {
    methods.push_back(make_method(text, models));
    check_means(*methods.back(), options.input.uncentred);
  }
  const TestSet test = read_test_set(options);
  for (const auto& method : methods) check_fits(*method, test.data, options.input.file.string());
  ThreadPool pool(options.threads);
  std::vector<MethodScores> scores;
  for (std::size_t k = 0; k < methods.size(); ++k)
    for (MethodScores& each : evaluate_method(*methods[k], options.methods[k], test, options, pool))
      scores.push_back(std::move(each));
  if (!options.per_matrix.empty()) write_per_matrix(options.per_matrix, scores);
  if (options.json)
    print_json(scores_json(options.input.file.string(), test.data, scores));
  else
    print_text(scores_table(test.data, scores));
  for (const MethodScores& each : scores)
    if (each.failures() > 0) return kNumericalTrouble;
  return kDone;
}

}  // namespace

void add_evaluate(CLI::App& app, Session& session) {
  const auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("evaluate", "Compare methods on one data set");
  command->footer(kFooter);
  command
      ->add_option("--data", options->input.file,
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
  add_seed(*command, options->seed);
  add_threads(*command, options->threads);
  add_json(*command, options->json);
  command->callback(
      [options, &session] { session.exit_status = evaluate(*options, session.models); });
}

}  // namespace spodnet::cli
