#include "spodnet/data/dataset.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <tuple>

#include "spodnet/core/error.hpp"
#include "spodnet/core/random.hpp"
#include "spodnet/data/covariance.hpp"
#include "spodnet/data/gaussian.hpp"

namespace spodnet {
namespace {

constexpr std::uint64_t kKindStreams = 0x6B696E64ull << 32;  // beside the matrices' own streams
constexpr std::uint64_t kSplitStream = ~std::uint64_t{0};    // no matrix has this number
constexpr double kMostNumbers = 0x1.0p44;  // 128 TiB: a typing error, not a data set

void check(const DataSetOptions& options) {
  if (options.p < 1) throw Error("generate_dataset: p must be at least 1");
  if (options.n < 1) throw Error("generate_dataset: n must be at least 1");
  if (options.count < 1) throw Error("generate_dataset: count must be at least 1");
  const double rows = double(options.p) + double(options.keep_samples ? options.n : 0);
  if (double(options.count) * double(options.p) * rows > kMostNumbers ||
      double(options.n) * double(options.p) > kMostNumbers)
    throw Error(fmt::format("generate_dataset: count {}, p {}, n {} is too large to hold in memory",
                            options.count, options.p, options.n));
  check_sparsity_levels(options.alpha);
  check_mix(options.generator);
}

std::map<std::string, std::string> describe(const DataSetOptions& options) {
  std::map<std::string, std::string> info = {{"generator", to_string(options.generator.families)},
                                             {"alpha", to_string(options.alpha)},
                                             {"seed", fmt::format("{}", options.seed)},
                                             {"centred", options.centred ? "true" : "false"}};
  if (options.generator.signs) info["signs"] = to_string(*options.generator.signs);
  if (options.generator.condition) info["condition"] = to_string(*options.generator.condition);
  if (options.generator.shuffle) info["shuffle"] = "true";
  if (options.first_index > 0) info["first_index"] = fmt::format("{}", options.first_index);
  return info;
}

void generate_one(const DataSetOptions& options, std::size_t k, DataSet& data) {
  const std::uint64_t index = options.first_index + k;
  RandomStream random(options.seed, index), kinds(options.seed ^ kKindStreams, index);
  const PrecisionDraw kind = draw_precision_kind(options.generator, kinds);
  const double alpha = options.alpha.at(index, random);
  const Matrix Theta = make_precision(kind, options.p, alpha, random);
  const Matrix X = sample_gaussian(Theta, options.n, random);
  data.Theta_true[k] = Theta;
  data.S[k] = empirical_covariance(X, {.centred = options.centred});
  if (options.keep_samples) data.X[k] = X;
}

}  // namespace

DataSet generate_dataset(const DataSetOptions& options, ThreadPool& pool) {
  check(options);
  const auto [p, n, count] = std::tuple(options.p, options.n, options.count);
  DataSet data{
      .S = {count, p, p}, .Theta_true = {count, p, p}, .X = {}, .n = double(n), .info = {}};
  if (options.keep_samples) data.X = {count, n, p};
  data.info = describe(options);
  pool.run(count, [&](std::size_t k, int) { generate_one(options, k, data); });
  return data;
}

std::vector<Sample> samples(const DataSet& data) {
  std::vector<Sample> all(data.count());
  for (std::size_t k = 0; k < all.size(); ++k)
    all[k] = {.S = data.S.data(k),
              .Theta_true = data.Theta_true.empty() ? nullptr : data.Theta_true.data(k),
              .p = data.p(),
              .n = data.n};
  return all;
}

TrainValid split_validation(const std::vector<Sample>& all, double fraction, std::uint64_t seed) {
  if (!(fraction >= 0 && fraction < 1))
    throw Error(fmt::format("validation fraction {}: it must lie in [0, 1)", fraction));
  if (fraction == 0) return {all, {}};
  if (all.size() < 2)
    throw Error("validation fraction: at least two matrices are needed to set one aside");
  const auto wanted = std::size_t(std::llround(fraction * double(all.size())));
  const std::size_t held = std::clamp<std::size_t>(wanted, 1, all.size() - 1);

  std::vector<std::uint32_t> order(all.size());
  std::iota(order.begin(), order.end(), 0u);
  RandomStream(seed, kSplitStream).shuffle(order);
  std::vector<bool> is_valid(all.size(), false);
  for (std::size_t k = 0; k < held; ++k) is_valid[order[k]] = true;
  TrainValid parts;
  for (std::size_t k = 0; k < all.size(); ++k)
    (is_valid[k] ? parts.valid : parts.train).push_back(all[k]);
  return parts;
}

}  // namespace spodnet
