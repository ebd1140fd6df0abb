// The factor of the thresholds: fewer edges as it grows, SPD throughout, for every network.
#include <gtest/gtest.h>

#include <Eigen/Cholesky>

#include "spodnet/generate/dataset.hpp"
#include "spodnet/models/model.hpp"
#include "spodnet/train/trainer.hpp"
#include "support/engine_calls.hpp"

namespace spodnet::test {
namespace {

constexpr double kFactors[] = {0, 0.5, 0.75, 1, 1.5, 2, 4};

/// A model after a few steps of training on p = 10, n = 40.
std::unique_ptr<Model> trained(const std::string& name, const DataSet& data, ThreadPool& pool) {
  ModelConfig config{.model = name, .p = 10, .scaling = Scaling::clip};
  config.learn_offset = true;
  auto model = builtin_models().make(config);
  model->parameters().initialise(1);
  const TrainResult result = train(*model, samples(data), {}, {.epochs = 5, .clip_grad = 10}, pool);
  EXPECT_EQ(result.status, Status::ok);
  return model;
}

double mean_edges(const Model& model, const DataSet& test, double sparsity = 1) {
  double edges = 0;
  for (std::size_t k = 0; k < test.count(); ++k) {
    const Estimate got = estimate(model, test.S[k], test.n, sparsity);
    EXPECT_EQ(got.status, Status::ok);
    EXPECT_EQ(Eigen::LLT<Matrix>(got.Theta).info(), Eigen::Success);
    edges += double((got.Theta.array() != 0).count()) - double(test.p());
  }
  return edges / double(test.count());
}

TEST(Sparsity, FewerEdgesOnAverageAsItGrows) {
  ThreadPool pool(1);
  const DataSet data = generate_dataset({.p = 10, .n = 40, .count = 200, .seed = 1}, pool);
  const DataSet test = generate_dataset({.p = 10, .n = 40, .count = 40, .seed = 2}, pool);
  for (const char* name : {"ubg", "pnp", "e2e", "ubg-any", "pnp-any"}) {
    SCOPED_TRACE(name);
    const auto model = trained(name, data, pool);
    EXPECT_TRUE(model->has_thresholds());
    const double usual = mean_edges(*model, test);
    double before = INFINITY;
    for (const double factor : kFactors) {
      const double edges = mean_edges(*model, test, factor);
      EXPECT_LE(edges, before) << factor;
      if (factor == 1) {
        EXPECT_EQ(edges, usual);
      }
      before = edges;
    }
    EXPECT_GT(mean_edges(*model, test, 0.5), usual);
    EXPECT_LT(mean_edges(*model, test, 2), usual);
  }
}

TEST(Sparsity, GladHasNone) {
  EXPECT_FALSE(builtin_models().make({.model = "glad", .p = 3})->has_thresholds());
}

}  // namespace
}  // namespace spodnet::test
