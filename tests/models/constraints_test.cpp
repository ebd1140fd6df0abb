// Prior knowledge holds in the output of every learned model, whatever the weights and the data.
#include "spodnet/problem/constraints.hpp"

#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <cmath>

#include "spodnet/models/network.hpp"
#include "support/engine_calls.hpp"
#include "support/expect_error.hpp"
#include "support/gradient_check.hpp"
#include "support/hostile_covariance.hpp"
#include "support/random_constraints.hpp"
#include "support/rule_programs.hpp"
#include "support/toy_data.hpp"

namespace spodnet::test {
namespace {

std::unique_ptr<Model> random_model(std::size_t p, RandomStream& random) {
  const char* names[] = {"ubg", "pnp", "e2e", "program"};
  ModelConfig config{.model = names[random.below(4)], .p = p};
  if (config.model == "program") config.programs = {program::PaperPrograms{long(p)}.ubg().text()};
  config.layers = int(1 + random.below(3));
  config.tied = random.below(2) == 0;
  config.scaling = Scaling(random.below(3));
  auto model = builtin_models().make(config);
  model->parameters().initialise(random.bits());
  const double scale = std::pow(10, random.uniform(-1, 1));
  for (double& w : model->parameters().values) w *= scale;
  return model;
}

TEST(ConstrainedModels, KeepZerosAndSignsAndStayPositiveDefinite) {
  int edges = 0, pairs = 0, not_ok = 0;
  for (std::uint64_t k = 0; k < 3000; ++k) {
    SCOPED_TRACE(k);
    RandomStream random(31, k);
    const HostileCovariance data = hostile_covariance(25, random);
    const auto p = std::size_t(data.S.rows());
    const auto model = random_model(p, random);
    const Constraints constraints = random_constraints(p, random);
    const Estimate got = estimate_within(*model, constraints, data.S, double(data.n));
    ASSERT_EQ(broken_rules(constraints, got.Theta), 0) << got.message;
    ASSERT_EQ(got.Theta, Matrix(got.Theta.transpose()));
    ASSERT_EQ(Eigen::LLT<Matrix>(got.Theta).info(), Eigen::Success);
    ASSERT_TRUE(got.W.allFinite());
    ASSERT_TRUE(got.status != Status::ok || got.residual <= 1e-2);
    ASSERT_EQ(got.status == Status::ok, got.message.empty());
    not_ok += got.status != Status::ok;
    for (Eigen::Index i = 0; i < got.Theta.rows(); ++i)
      for (Eigen::Index j = 0; j < i; ++j) ++pairs, edges += got.Theta(i, j) != 0;
  }
  EXPECT_GT(edges, pairs / 20);  // not kept by returning nothing
  EXPECT_GT(not_ok, 0);          // the fallback was on the way, too (no scaling, hostile data)
  EXPECT_LT(not_ok, 600);
}

TEST(ConstrainedModels, FreePairsChangeNothingBitForBit) {
  for (std::uint64_t k = 0; k < 200; ++k) {
    RandomStream random(32, k);
    const HostileCovariance data = hostile_covariance(20, random);
    const auto p = std::size_t(data.S.rows());
    const auto model = random_model(p, random);
    const Estimate plain = estimate(*model, data.S, double(data.n));
    const Estimate within = estimate_within(*model, Constraints(p), data.S, double(data.n));
    ASSERT_EQ(within.Theta, plain.Theta) << k;
    ASSERT_EQ(within.W, plain.W) << k;
  }
}

/// When everything is forbidden no column has a neighbour and only g acts.
TEST(ConstrainedModels, WithoutAnyAllowedEdgeThetaIsDiagonal) {
  RandomStream random(33);
  const HostileCovariance data = hostile_covariance(20, random);
  const auto p = std::size_t(data.S.rows());
  Constraints none(p);
  none.narrow_all(PairRule::zero);
  const Estimate got = estimate_within(*random_model(p, random), none, data.S, double(data.n));
  EXPECT_EQ(got.Theta, Matrix(got.Theta.diagonal().asDiagonal()));
  EXPECT_EQ(got.status, Status::ok);
}

class ConstrainedGradient : public testing::TestWithParam<const char*> {};

TEST_P(ConstrainedGradient, IsTheDerivativeOfTheConstrainedLoss) {
  for (std::uint64_t seed = 1; seed < 4; ++seed)
    for (Scaling scaling : {Scaling::normalize, Scaling::clip}) {
      RandomStream random(34, seed);
      const Constraints constraints = random_constraints(7, random);
      ToyData data(3, 7, seed);
      for (Sample& sample : data.samples) sample.constraints = &constraints;
      ModelConfig config{
          .model = GetParam(), .p = 7, .layers = 2, .scaling = scaling, .learn_offset = true};
      if (config.model == "program") config.programs = {program::PaperPrograms{7}.ubg().text()};
      const auto model = builtin_models().make(config);
      model->parameters().initialise(seed);
      std::vector<double>& weights = model->parameters().values;
      const std::vector<double> start = weights;
      std::vector<double> gradient(weights.size()), ignored(weights.size());
      ThreadPool pool(1);
      const auto loss = [&](std::span<const double> moved) {
        weights.assign(moved.begin(), moved.end());
        return loss_gradient(*model, data.samples, ignored, pool).loss;
      };
      (void)loss_gradient(*model, data.samples, gradient, pool);
      EXPECT_LT(gradient_error(loss, start, gradient,
                               {.coordinates = false, .step = 1e-5, .smaller_steps = 2}),
                1e-4)
          << seed << " " << to_string(scaling);
      weights = start;
      const Estimate got = estimate_within(*model, constraints, data.S[0], 50);
      const double trained = loss_gradient(*model, {&data.samples[0], 1}, ignored, pool).loss;
      EXPECT_NEAR((got.Theta - data.Theta_true[0]).squaredNorm(), trained, 1e-9 * trained);
    }
}

INSTANTIATE_TEST_SUITE_P(Models, ConstrainedGradient,
                         testing::Values("ubg", "pnp", "e2e", "program"));

TEST(ConstrainedModels, RefuseWhatTheyCannotKeep) {
  const Matrix S = Matrix::Identity(4, 4);
  const auto glad = builtin_models().make({.model = "glad", .p = 4});
  EXPECT_FALSE(glad->honours_constraints());
  expect_error([&] { (void)estimate_within(*glad, Constraints(4), S, 10); }, {"glad", "forbidden"});
  const auto ubg = builtin_models().make({.model = "ubg", .p = 4});
  EXPECT_TRUE(ubg->honours_constraints());
  expect_error([&] { (void)estimate_within(*ubg, Constraints(5), S, 10); },
               {"5 variables", "the covariance has 4"});
}

}  // namespace
}  // namespace spodnet::test
