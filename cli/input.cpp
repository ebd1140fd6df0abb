#include "cli/input.hpp"

#include <cmath>

#include "cli/output.hpp"
#include "cli/session.hpp"
#include "spodnet/core/error.hpp"
#include "spodnet/core/parse.hpp"
#include "spodnet/data/covariance.hpp"
#include "spodnet/io/message.hpp"
#include "spodnet/io/safetensors.hpp"
#include "spodnet/io/table.hpp"

namespace spodnet::cli {
namespace {

void put(MatrixBatch& batch, const Matrix& A) {
  batch = MatrixBatch(1, std::size_t(A.rows()), std::size_t(A.cols()));
  batch[0] = A;
}

void refuse_count(const InputOptions& options) {
  if (options.samples_count > 0)
    throw Error("--samples-count goes with --input covariance: samples are counted in the file");
}

void check_samples(const Table& table, const InputOptions& options) {
  const std::string name = shown_path(options.file);
  refuse_count(options);
  if (table.values.rows() < (options.uncentred ? 1 : 2))
    throw Error(name + ": has " + std::to_string(table.values.rows()) +
                " sample(s), one per row: at least 2 are needed");
  for (Eigen::Index i = 0; i < table.values.rows(); ++i)
    for (Eigen::Index j = 0; j < table.values.cols(); ++j)
      if (!(std::abs(table.values(i, j)) <= kLargestValue))
        throw Error(
            name + ": sample " + std::to_string(i + 1) + ", variable " +
            (table.columns.empty() ? std::to_string(j + 1) : shown(table.columns[std::size_t(j)])) +
            (std::isfinite(table.values(i, j))
                 ? ": " + exact_text(table.values(i, j)) +
                       " has no square within the range of numbers: rescale the variable"
                 : ": is missing or not finite: drop or fill missing values first"));
}

Input samples_input(Table table, const InputOptions& options) {
  check_samples(table, options);
  Input input;
  put(input.data.S, empirical_covariance(table.values, {.centred = !options.uncentred}));
  put(input.data.X, table.values);
  input.data.n = double(table.values.rows());
  input.names = std::move(table.columns);
  return input;
}

Input covariance_input(Table table, const InputOptions& options) {
  Input input;
  check_symmetric(table.values, shown_path(options.file));
  symmetrise(table.values);
  put(input.data.S, table.values);
  input.data.n = double(options.samples_count);
  input.names = table.columns.empty() ? std::move(table.rows) : std::move(table.columns);
  return input;
}

Input table_input(const InputOptions& options) {
  Table table = read_table(options.file);
  if (options.kind == "covariance") return covariance_input(std::move(table), options);
  if (options.kind.empty()) refuse_ambiguous(table.values, shown_path(options.file));
  return samples_input(std::move(table), options);
}

void covariances_of_samples(const InputOptions& options, DataSet& data) {
  refuse_count(options);
  if (data.X.empty())
    throw Error(shown_path(options.file) + ": has no tensor 'X' with samples: leave out --input");
  for (std::size_t k = 0; k < data.count(); ++k)
    data.S[k] = empirical_covariance(data.X[k], {.centred = !options.uncentred});
}

Input tensor_input(const InputOptions& options) {
  Input input;
  input.data = load_dataset(options.file);
  input.batch = read_safetensors_header(options.file).tensors.at("S").shape.size() == 3;
  if (options.kind == "samples") covariances_of_samples(options, input.data);
  if (options.samples_count > 0) input.data.n = double(options.samples_count);
  return input;
}

}  // namespace

void add_input(CLI::App& command, InputOptions& options) {
  command
      .add_option("--input", options.kind,
                  "What a table holds: samples (one per row, the default) or a covariance")
      ->check(CLI::IsMember({"samples", "covariance"}));
  command
      .add_option("--samples-count", options.samples_count, "Number of samples behind a covariance")
      ->check(integer_from(1));
  command.add_flag("--uncentred", options.uncentred, "S = X'X/n without removing the column means");
}

bool square_and_symmetric(const Matrix& A) {
  return A.size() > 0 && A.rows() == A.cols() && A.allFinite() &&
         (A - A.transpose()).cwiseAbs().maxCoeff() <= 1e-6 * A.cwiseAbs().maxCoeff();
}

void refuse_ambiguous(const Matrix& A, const std::string& name) {
  if (square_and_symmetric(A))
    throw Error(
        name +
        ": is square and symmetric: does it hold samples (one per row) or a covariance? Say "
        "--input samples or --input covariance");
}

void check_uncentred(const InputOptions& options, bool samples_are_read) {
  if (!options.uncentred || samples_are_read || options.kind == "samples") return;
  const bool tensors = holds_several(options.file);
  if (tensors || options.kind == "covariance")
    throw Error("--uncentred: the covariances of " + shown_path(options.file) +
                " are taken as they are: leave it out" +
                (tensors ? ", or say --input samples where the file has them" : ""));
}

Input read_input(const InputOptions& options) {
  return holds_several(options.file) ? tensor_input(options) : table_input(options);
}

}  // namespace spodnet::cli
