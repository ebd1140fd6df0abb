#include "spodnet/generate/draw_problem.hpp"

#include <fmt/format.h>

#include <utility>

#include "spodnet/core/error.hpp"

namespace spodnet {
namespace {

constexpr std::uint64_t kKindStreams = 0x6B696E64ull << 32;  // beside the matrices' own streams
constexpr double kMostNumbers = 0x1.0p44;  // 128 TiB: a typing error, not a data set

void check_range(const SizeRange& range, const char* name) {
  if (range.low < 1 || range.low > range.high)
    throw Error(fmt::format("data set: {} is {}, it must be at least 1, or a range low:high", name,
                            to_string(range)));
}

/// What the stream beside the matrix' own decides.
struct KindAndShape {
  PrecisionDraw kind;
  ProblemShape shape;
};

KindAndShape draw_kind_and_shape(const DataSetOptions& options, std::uint64_t index) {
  RandomStream kinds(options.seed ^ kKindStreams, index);
  const PrecisionDraw kind = draw_precision_kind(options.generator, kinds);
  const std::size_t p = options.p.at(kinds.uniform()), n = options.n.at(kinds.uniform());
  return {kind, {p, n}};
}

}  // namespace

ProblemShape draw_shape(const DataSetOptions& options, std::uint64_t index) {
  return draw_kind_and_shape(options, index).shape;
}

DrawnProblem draw_problem(const DataSetOptions& options, std::uint64_t index) {
  RandomStream random(options.seed, index);
  const auto [kind, shape] = draw_kind_and_shape(options, index);
  const double alpha = options.alpha.at(index, random);
  Matrix Theta = make_precision(kind, shape.p, alpha, random);
  return {std::move(Theta), shape.n, random};
}

void check_dataset_options(const DataSetOptions& options) {
  check_range(options.p, "p");
  check_range(options.n, "n");
  if (options.count < 1) throw Error("data set: count must be at least 1");
  const double p = double(options.p.high), n = double(options.n.high);
  const double rows = p + (options.keep_samples ? n : 0);
  if (double(options.count) * p * rows > kMostNumbers || n * p > kMostNumbers)
    throw Error(fmt::format("data set: count {}, p {}, n {} is too large to hold in memory",
                            options.count, to_string(options.p), to_string(options.n)));
  check_sparsity_levels(options.alpha);
  check_mix(options.generator);
}

}  // namespace spodnet
