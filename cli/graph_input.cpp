#include <unistd.h>

#include "cli/graph.hpp"
#include "cli/input.hpp"
#include "spodnet/core/error.hpp"
#include "spodnet/io/message.hpp"

namespace spodnet::cli {
namespace {

constexpr double kMatrices = 12;  // of p x p that an analysis holds at once

void check_memory(const Table& table, const std::string& name) {
  const double p = double(table.values.cols());
  const double needed = 8 * (kMatrices * p * p + 4 * double(table.values.size()));
  const double present = double(sysconf(_SC_PHYS_PAGES)) * double(sysconf(_SC_PAGESIZE));
  if (needed > present)
    throw Error(name + ": a graph of " + std::to_string(table.values.cols()) +
                " variables needs about " + bytes_text(needed) + " of memory, this machine has " +
                bytes_text(present) + ": choose fewer columns");
}

void check_kind(const GraphCommand& command, const Table& table, const std::string& name) {
  if (command.input.empty()) refuse_ambiguous(table.values, name);
  if (command.input == "covariance" && command.samples_count == 0)
    throw Error("--input covariance: how many samples are behind it? Say --samples-count N");
  if (command.input != "covariance" && command.samples_count > 0)
    throw Error("--samples-count goes with --input covariance: samples are counted in the file");
  if (command.input != "covariance") return;
  if (!command.robust.empty())
    throw Error("--robust: goes by ranks of samples, a covariance has none");
  if (command.missing_given)
    throw Error("--missing: is about values of samples, a covariance has none: leave it out");
  if (!table.left_out.empty())
    throw Error(name + ": line " + std::to_string(table.left_out.front().line) + " has " +
                shown(table.left_out.front().text) + ": a covariance holds numbers alone");
}

}  // namespace

PreparedData read_graph_input(const GraphCommand& command) {
  const std::string name = shown_path(command.file);
  PrepareOptions options{.missing = missing_from(command.missing), .ranks = {}};
  if (!command.robust.empty()) options.ranks = rank_correlation_from(command.robust);
  if (options.ranks && options.missing == Missing::em)
    throw Error("--missing em: is for Gaussian data, --robust goes by ranks: use pairwise or drop");
  Table table = read_table(command.file, {.leave_out_text = true});
  check_memory(table, name);
  check_kind(command, table, name);
  if (command.input == "covariance")
    return prepare_covariance(std::move(table), double(command.samples_count), name);
  return prepare_samples(std::move(table), options, name);
}

}  // namespace spodnet::cli
