#include "spodnet/generate/dataset.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <tuple>

#include "spodnet/core/error.hpp"
#include "spodnet/core/random.hpp"
#include "spodnet/generate/draw_problem.hpp"
#include "spodnet/generate/gaussian.hpp"
#include "spodnet/tables/covariance.hpp"

namespace spodnet {
namespace {

constexpr std::uint64_t kSplitStream = ~std::uint64_t{0};  // no matrix has this number

void generate_one(const DataSetOptions& options, std::size_t k, DataSet& data) {
  DrawnProblem problem = draw_problem(options, options.first_index + k);
  const Matrix X = sample_gaussian(problem.Theta, problem.n, problem.random);
  data.Theta_true[k] = problem.Theta;
  data.S[k] = empirical_covariance(X, {.centred = options.centred});
  if (options.keep_samples) data.X[k] = X;
}

}  // namespace

std::map<std::string, std::string> dataset_info(const DataSetOptions& options) {
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

DataSet generate_dataset(const DataSetOptions& options, ThreadPool& pool) {
  check_dataset_options(options);
  if (!options.p.single() || !options.n.single())
    throw Error("generate_dataset: a data set has one p and one n, not p = " +
                to_string(options.p) + ", n = " + to_string(options.n));
  const auto [p, n, count] = std::tuple(options.p.low, options.n.low, options.count);
  DataSet data{.S = {count, p, p},
               .Theta_true = {count, p, p},
               .X = {},
               .n = double(n),
               .info = dataset_info(options)};
  if (options.keep_samples) data.X = {count, n, p};
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
