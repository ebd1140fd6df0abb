// A walk that cannot go on: the status says why, and Theta is the last SPD iterate.
#include <gtest/gtest.h>

#include <Eigen/Cholesky>

#include "layer/given_rule.hpp"
#include "spodnet/models/network.hpp"
#include "support/toy_data.hpp"

namespace spodnet::test {
namespace {

constexpr std::size_t kP = 9;

GivenRule usual() {
  GivenRule rule;
  rule.z = [](const Column& c, std::size_t j) { return c.theta_12[j]; };
  return rule;
}

Estimate estimate(const GivenRule& rule) {
  const ModelConfig config{
      .model = "given", .p = kP, .layers = 2, .scaling = Scaling::clip, .v_min = 0};
  const ToyData data(1, kP);
  const Network<GivenRule> network(config, rule);
  const Estimate got = network.make_cpu_engine({})->estimate(data.S[0], 20);
  EXPECT_TRUE(got.Theta.allFinite());
  EXPECT_EQ(Eigen::LLT<Matrix>(got.Theta).info(), Eigen::Success);
  EXPECT_LE(got.residual, 1e-2);
  return got;
}

TEST(StoppedWalk, SaysThatANumberOfTheRuleIsNotFinite) {
  const auto at = [](const Column& c) { return c.i == 4; };
  for (const double bad : {double(NAN), double(INFINITY)}) {
    GivenRule rule = usual();
    rule.z = [&](const Column& c, std::size_t j) { return at(c) ? bad : c.theta_12[j]; };
    EXPECT_EQ(estimate(rule).status, Status::not_finite) << "z = " << bad;
    rule = usual();
    rule.v = [&](const Column& c, double) { return at(c) ? bad : 1.0; };
    const Estimate got = estimate(rule);
    EXPECT_EQ(got.status, Status::not_finite) << "v = " << bad;
    EXPECT_NE(got.message.find("NaN or infinity stopped the walk in layer 0 after column 4"),
              std::string::npos)
        << got.message;
  }
}

/// 1/v is infinite: W overflows, and what lies in memory then must not be met again.
TEST(StoppedWalk, ComesBackFromAMarginTooSmallToInvert) {
  GivenRule rule = usual();
  rule.v = [](auto&, auto) { return 1e-310; };
  const Estimate got = estimate(rule);
  EXPECT_NE(got.status, Status::ok);
  EXPECT_FALSE(got.message.empty());
}

}  // namespace
}  // namespace spodnet::test
