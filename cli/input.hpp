#pragma once

#include <CLI/CLI.hpp>
#include <filesystem>
#include <string>
#include <vector>

#include "spodnet/data/dataset.hpp"

namespace spodnet::cli {

/// What `estimate` and `evaluate` are given to work on.
struct InputOptions {
  std::filesystem::path file;
  std::string kind;               ///< samples, covariance, or empty: not said
  std::size_t samples_count = 0;  ///< n behind a covariance; 0: not said
  bool uncentred = false;
};

/// Adds --input, --samples-count and --uncentred.
void add_input(CLI::App& command, InputOptions& options);

/// Throws Error when a table is square and symmetric, so that it may hold either.
void refuse_ambiguous(const Matrix& A, const std::string& name);

/// One or many problems with the names of their variables, where the file has any.
struct Input {
  DataSet data;
  std::vector<std::string> names;
  bool batch = false;  ///< a stack [count,p,p], as opposed to one matrix
};

/// Equal to its transpose: more likely a covariance than samples.
bool square_and_symmetric(const Matrix& A);

/// Throws Error when --uncentred would change nothing, because no covariance is computed.
/// `samples_are_read`: they are, whatever the file is.
void check_uncentred(const InputOptions& options, bool samples_are_read = false);

/// Reads a table (csv, tsv, npy) or a safetensors file with `S`. A table holds samples unless
/// `kind` says otherwise; a square symmetric one is refused when nothing is said.
Input read_input(const InputOptions& options);

}  // namespace spodnet::cli
