#include "cli/generated_data.hpp"

#include <CLI/CLI.hpp>

#include <unistd.h>

#include <cmath>

#include "cli/report.hpp"
#include "cli/session.hpp"
#include "spodnet/core/error.hpp"

namespace spodnet::cli {
namespace {

const std::string kRange = ", or a range 5:100 from which each matrix has its own, log-uniformly";

/// Mean of p^2, p log-uniform.
double mean_square(const SizeRange& p) {
  const double low = double(p.low), high = double(p.high);
  return p.single() ? low * low : (high * high - low * low) / (2 * std::log(high / low));
}

void check_memory(const DataSetOptions& options) {
  const double samples = double(options.n.high) * double(options.p.high);
  const double per_matrix = 2.0 * mean_square(options.p) + (options.keep_samples ? samples : 0.0);
  const double needed = 8.0 * (double(options.count) * per_matrix + samples);
  const double present = double(sysconf(_SC_PHYS_PAGES)) * double(sysconf(_SC_PAGESIZE));
  if (needed > present)
    throw Error("this data set needs " + bytes_text(needed) + ", this machine has " +
                bytes_text(present) + ": use a smaller --count, --p or --n");
}

PrecisionMix to_mix(const GeneratedData& options) {
  PrecisionMix mix;
  if (!options.generator.empty()) mix.families = families_from(options.generator);
  if (!options.signs.empty()) mix.signs = signs_from(options.signs);
  if (!options.condition.empty()) mix.condition = log_range_from(options.condition, "--condition");
  mix.shuffle = options.shuffle;
  return mix;
}

std::vector<CLI::Option*> add_generator(CLI::App& command, GeneratedData& options) {
  std::string known;
  for (const PrecisionFamily family : all_families()) known += to_string(family) + ", ";
  return {
      command
          .add_option("--generator", options.generator,
                      "Kind of the true matrices: " + known +
                          "or a list from which each matrix draws one; mix is the list of the "
                          "first seven")
          ->type_name("NAME[,NAME...]|mix")
          ->default_str(to_string(PrecisionMix{}.families)),
      command
          .add_option("--signs", options.signs,
                      "Signs of the partial correlations. Default: positive for sparse-cholesky, "
                      "drawn for each matrix for the other kinds")
          ->type_name("positive|negative|mixed"),
      command
          .add_option("--condition", options.condition,
                      "Condition number of the true matrices, or a range to draw from "
                      "log-uniformly. Default: 3:300, but 10:30000 for latent and free for "
                      "sparse-cholesky")
          ->type_name("C|C:D"),
      command.add_flag("--shuffle", options.shuffle,
                       "Variables in random order, for kinds that have an order (small-world, "
                       "bands, blocks, grid)"),
  };
}

}  // namespace

std::vector<CLI::Option*> add_generated_data(CLI::App& command, GeneratedData& options,
                                             bool ranges) {
  const DataSetOptions paper;
  std::vector<CLI::Option*> added = {
      command
          .add_option("--p", options.p, "Number of variables" + (ranges ? kRange : std::string()))
          ->type_name(ranges ? "P|P:Q" : "P")
          ->default_str(to_string(paper.p)),
      command
          .add_option("--n", options.n,
                      "Samples behind each matrix" + (ranges ? kRange : std::string()))
          ->type_name(ranges ? "N|N:M" : "N")
          ->default_str(to_string(paper.n)),
      command
          .add_option("--alpha", options.alpha,
                      "Sparsity of the true matrices, 0 to 1: a number, a list 0.7,0.95 taken in "
                      "turn, or a range 0.5:0.98 drawn from")
          ->type_name("A|A,B|A:B")
          ->default_str(to_string(paper.alpha)),
      command.add_option("--count", options.count, "Number of matrices")
          ->check(integer_from(1))
          ->default_str(std::to_string(paper.count)),
      command.add_flag("--uncentred", options.uncentred,
                       "S = X'X/n without removing the column means (the paper's formula)"),
  };
  for (CLI::Option* option : add_generator(command, options)) added.push_back(option);
  return added;
}

DataSetOptions to_dataset_options(const GeneratedData& options, std::uint64_t seed,
                                  bool keep_samples) {
  DataSetOptions out;
  if (!options.p.empty()) out.p = size_range_from(options.p, "--p");
  if (!options.n.empty()) out.n = size_range_from(options.n, "--n");
  out.count = options.count.value_or(out.count);
  if (!options.alpha.empty()) out.alpha = sparsity_levels_from(options.alpha);
  out.generator = to_mix(options);
  check_mix(out.generator);
  out.seed = seed;
  out.centred = !options.uncentred;
  out.keep_samples = keep_samples;
  check_memory(out);
  return out;
}

}  // namespace spodnet::cli
