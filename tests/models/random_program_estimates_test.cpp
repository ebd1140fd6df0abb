// Whatever a program says and whatever its weights are, Theta is SPD and W its inverse.
#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <cmath>
#include <cstdlib>

#include "spodnet/models/program_model.hpp"
#include "support/engine_calls.hpp"
#include "support/hostile_covariance.hpp"
#include "tests/program/random_program.hpp"

namespace spodnet::test {
namespace {

constexpr double kOddNumbers[] = {0, -1, 1e300, -1e300, 1e-300, NAN, INFINITY, -INFINITY};

std::unique_ptr<Model> random_program_model(std::uint64_t seed, std::size_t p,
                                            RandomStream& random) {
  ModelConfig config{.p = p, .layers = int(1 + random.below(3))};
  config.tied = random.below(2) == 0;
  config.scaling = Scaling(random.below(4));
  config.v_min = random.below(2) == 0 ? 1e-8 : 0;
  const Program program = RandomProgram(seed, seed % 2 == 1, seed % 3 == 0).make();
  auto model = make_program_model({program}, config, seed);
  const double scale = std::pow(10, random.uniform(-1, 2));
  for (double& w : model->parameters().values) w *= scale;
  for (double& w : model->parameters().values)
    if (random.below(200) == 0) w = kOddNumbers[random.below(std::size(kOddNumbers))];
  return model;
}

/// 10,000 of them with SPODNET_PROGRAMS=10000, as before a release.
TEST(RandomProgramModels, AlwaysGiveAPositiveDefiniteMatrixAndItsInverse) {
  const char* asked = std::getenv("SPODNET_PROGRAMS");
  const std::uint64_t count = asked ? std::strtoull(asked, nullptr, 10) : 600;
  std::uint64_t ok = 0, zeros = 0;
  for (std::uint64_t k = 0; k < count; ++k) {
    SCOPED_TRACE(k);
    RandomStream random(51, k);
    const HostileCovariance data = hostile_covariance(9, random);
    const auto p = std::size_t(data.S.rows());
    if (p < 2) continue;
    const auto model = random_program_model(k, p, random);
    const Estimate got = estimate(*model, data.S, double(data.n));
    ASSERT_EQ(got.Theta, Matrix(got.Theta.transpose()));
    ASSERT_EQ(got.W, Matrix(got.W.transpose()));
    ASSERT_EQ(Eigen::LLT<Matrix>(got.Theta).info(), Eigen::Success) << got.message;
    ASSERT_TRUE(got.W.allFinite());
    ASSERT_TRUE(got.status != Status::ok || got.residual <= 1e-2) << got.residual;
    ASSERT_EQ(got.status == Status::ok, got.message.empty());
    ok += got.status == Status::ok;
    zeros += std::uint64_t((got.Theta.array() == 0).count());
  }
  EXPECT_GT(ok, count / 2);
  EXPECT_GT(zeros, count / 2);  // the thresholds make exact zeros
}

}  // namespace
}  // namespace spodnet::test
