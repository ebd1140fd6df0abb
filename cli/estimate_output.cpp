#include "cli/estimate_output.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/advice.hpp"
#include "cli/output.hpp"
#include "spodnet/core/error.hpp"
#include "spodnet/core/parse.hpp"
#include "spodnet/io/csv.hpp"
#include "spodnet/io/message.hpp"

namespace spodnet::cli {
namespace {

std::map<std::string, std::string> metadata(const EstimateOptions& options, double n,
                                            const Summary& summary) {
  std::map<std::string, std::string> out = {{"method", to_text(method_of(options))},
                                            {"status", std::string(to_string(summary.status))},
                                            {"residual", exact_text(summary.residual)}};
  if (n > 0) out["n"] = exact_text(n);
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

void add_notes(const std::vector<DataNote>& notes, Json& out) {
  for (const DataNote& note : notes)
    out[note.warning ? "warnings" : "notes"].push_back(
        with_option(note.text, note.advice, note.value));
}

void print_notes(const std::vector<DataNote>& notes) {
  for (const DataNote& note : notes)
    print_line((note.warning ? "  careful: " : "  note: ") +
               with_option(note.text, note.advice, note.value));
}

/// Every file that is read.
std::vector<std::filesystem::path> inputs(const EstimateOptions& options) {
  std::vector<std::filesystem::path> files = files_of(options.method);
  for (const std::filesystem::path& file : {options.input.table.file, options.constraints.forbid,
                                            std::filesystem::path(options.constraints.sign)})
    files.push_back(file);
  return files;
}

}  // namespace

void EstimateResults::put(std::size_t k, const Estimate& estimate, double seconds) {
  if (k == 0) {  // not earlier: a large matrix needs the memory
    const std::size_t count = summaries.size(), p = std::size_t(estimate.Theta.rows());
    Theta = W = MatrixBatch(count, p, p);
    if (estimate.Z) Z = Theta;
  }
  Theta[k] = estimate.Theta;
  W[k] = estimate.W;
  if (estimate.Z) Z[k] = *estimate.Z;
  summaries[k] = summarise(estimate, seconds);
  scores[k] = {estimate.score_columns, {}, estimate.scores};
}

MethodSpec method_of(const EstimateOptions& options) {
  MethodSpec spec = parse_method(options.method);
  if (options.sparsity && spec.settings.contains("sparsity"))
    throw Error("--sparsity: is given twice, --method '" + options.method +
                "' has it too: leave out one of them");
  if (options.target.empty()) return spec;
  if (spec.name != "pretrained")
    throw Error(
        "--target: is a setting of the pretrained models; leave --method out, or use "
        "--sparsity with a model file");
  if (!spec.settings.emplace("target", options.target).second)
    throw Error("--target: is given twice, --method '" + options.method +
                "' has it too: leave out one of them");
  return spec;
}

void check_estimate_outputs(const EstimateOptions& options, bool batch) {
  std::vector<std::filesystem::path> taken = inputs(options);
  check_matrix_output(options.out, batch, taken);
  taken.push_back(options.out);
  if (!options.covariance_out.empty()) check_matrix_output(options.covariance_out, batch, taken);
  taken.push_back(options.covariance_out);
  if (!options.scores.empty()) check_output(options.scores, taken);
}

void check_second_output(const EstimateOptions& options, const EstimateResults& results) {
  if (results.Z.empty() || holds_several(options.out)) return;
  std::vector<std::filesystem::path> taken = inputs(options);
  taken.insert(taken.end(), {options.covariance_out, options.scores});
  check_output(beside(options.out, "Z"), taken);
}

std::vector<std::string> write_estimates(const EstimateOptions& options,
                                         const EstimateResults& results, const Summary& summary) {
  const auto about = metadata(options, results.n, summary);
  const auto write = [&](const std::filesystem::path& path, std::vector<NamedMatrices> matrices) {
    write_matrices(path, matrices, results.batch, results.names, about);
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
    write_csv(options.scores, results.batch ? stacked(results.scores) : results.scores.front());
    written.push_back(options.scores.string());
  }
  return written;
}

void report_estimates(const EstimateOptions& options, const EstimateResults& results,
                      const Summary& summary, const std::vector<std::string>& written) {
  const std::size_t count = results.summaries.size(), p = results.Theta.rows;
  if (options.json) {
    Json out = {{"method", to_text(method_of(options))},
                {"count", count},
                {"p", p},
                {"n", results.n > 0 ? Json(results.n) : Json(nullptr)},
                {"outputs", written}};
    if (options.sparsity) out["sparsity"] = *options.sparsity;
    if (!results.device.empty()) out["device"] = results.device;
    out.update(to_json(summary));
    add_notes(results.notes, out);
    if (results.batch)
      for (const Summary& each : results.summaries) out["matrices"].push_back(to_json(each));
    return print_json(out);
  }
  print_line(fmt::format("{}: ", fmt::join(written, ", ")) +
             (results.batch ? std::to_string(count) + " matrices, " : "") +
             "p = " + std::to_string(p) + (results.n > 0 ? ", n = " + number_text(results.n) : "") +
             ", " + seconds_text(summary.seconds));
  for (const std::string& line : to_lines(summary, count)) print_line("  " + line);
  if (!results.device.empty()) print_line("  computed by " + results.device);
  print_notes(results.notes);
  if (!results.Z.empty())
    print_line(
        "  Theta is SPD but not sparse, Z is sparse (its edges are counted) but need not be "
        "SPD");
  if (!results.kept.empty()) print_line("  kept: " + results.kept);
}

}  // namespace spodnet::cli
