// The layer with rules of one's own: what they are shown, what they may return, their gradients.
#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <algorithm>

#include "layer/curious_rule.hpp"
#include "layer/given_rule.hpp"
#include "layer/layer_case.hpp"
#include "spodnet/models/network.hpp"
#include "support/engine_calls.hpp"
#include "support/gradient_check.hpp"
#include "support/spd_matrices.hpp"

namespace spodnet::test {
namespace {

Matrix random_S(std::size_t p, RandomStream& random) {
  return random_spd(p, random) - Matrix::Identity(Eigen::Index(p), Eigen::Index(p));
}

ModelConfig config_of(std::size_t p, Scaling scaling, int layers = 1) {
  return {.model = "given", .p = p, .layers = layers, .scaling = scaling};
}

class AnyRule : public testing::TestWithParam<std::size_t> {
 protected:
  const std::size_t p = GetParam();
  RandomStream random{p};
};

/// Prop. 1: whatever f returns and for every v > 0 the output is SPD, its zeros are exact, its
/// last column is u and its last Schur complement v.
TEST_P(AnyRule, ThetaIsPositiveDefiniteForAnyUAndAnyV) {
  for (Scaling scaling : {Scaling::normalize, Scaling::clip, Scaling::none})
    for (int trial = 0; trial < 20; ++trial) {
      GivenRule rule;
      const double size = std::pow(10, random.uniform(-3, scaling == Scaling::none ? 0 : 3));
      const Matrix Z = size * random_matrix(Eigen::Index(p), Eigen::Index(p), random);
      const double v = std::pow(10, random.uniform(-2, 2));
      rule.z = [&](const Column& c, std::size_t j) {
        return Z(Eigen::Index(c.i), Eigen::Index(j));
      };
      rule.lambda = [](const Column& c, std::size_t j) { return (c.i + j) % 3 ? 0.0 : INFINITY; };
      rule.v = [&](const Column&, double) { return v; };
      const Network<GivenRule> network(config_of(p, scaling), rule);
      const Estimate got = estimate(network, random_S(p, random), 10);
      ASSERT_EQ(got.status, Status::ok) << got.message;
      ASSERT_EQ(got.Theta, Matrix(got.Theta.transpose()));
      ASSERT_EQ(Eigen::LLT<Matrix>(got.Theta).info(), Eigen::Success);
      for (Eigen::Index r = 0; r < got.Theta.rows(); ++r)
        for (Eigen::Index c = 0; c < r; ++c)
          ASSERT_EQ(got.Theta(r, c) == 0.0, (r + c) % 3 == 0) << got.Theta(r, c);
      const auto last = Eigen::Index(p - 1);
      ASSERT_NEAR(1 / got.W(last, last), v, 1e-6 * v);
      if (scaling == Scaling::none) {
        for (Eigen::Index c = 0; c < last; ++c)
          ASSERT_EQ(got.Theta(last, c), (last + c) % 3 ? Z(last, c) : 0.0);
      }
    }
}

/// q = u' inv_theta_11 u <= zeta after scaling (thresholds 0), and = zeta with normalize.
TEST_P(AnyRule, ScalingBoundsTheQuadraticForm) {
  const Matrix Z = 10 * random_matrix(Eigen::Index(p), Eigen::Index(p), random);
  for (Scaling scaling : {Scaling::normalize, Scaling::clip}) {
    GivenRule rule;
    rule.z = [&](const Column& c, std::size_t j) {
      return Z(Eigen::Index(c.i), Eigen::Index(j)) * (c.i % 2 ? 1 : 1e-3);
    };
    std::vector<double> forms;
    rule.v = [&](const Column&, double q) {
      forms.push_back(q);
      return 1.0;
    };
    ModelConfig config = config_of(p, scaling);
    config.zeta = 0.7;
    EXPECT_EQ(estimate(Network<GivenRule>(config, rule), random_S(p, random), 5).status,
              Status::ok);
    ASSERT_EQ(forms.size(), p);
    for (double q : forms) {
      EXPECT_LE(q, 0.7 * (1 + 1e-9));
      if (scaling == Scaling::normalize && p > 1) {
        EXPECT_NEAR(q, 0.7, 1e-9);
      }
    }
  }
}

/// What the rule reads: columns of Theta and of W = Theta^{-1}, S, the diagonals, n and p.
TEST_P(AnyRule, IsShownTheStateBeforeItsColumn) {
  const Matrix S = random_S(p, random), Z = random_matrix(Eigen::Index(p), Eigen::Index(p), random);
  const auto n = Eigen::Index(p);
  Matrix Theta = (S + Matrix::Identity(n, n)).inverse();
  GivenRule rule;
  rule.z = [&](const Column& c, std::size_t j) { return Z(Eigen::Index(c.i), Eigen::Index(j)); };
  rule.look = [&](const Column& c) {
    const auto i = Eigen::Index(c.i);
    const Matrix W = Theta.inverse();
    EXPECT_EQ(c.p, p);
    EXPECT_EQ(c.n, 17);
    EXPECT_NEAR(c.theta_22, Theta(i, i), 1e-10 * Theta.norm());
    EXPECT_NEAR(c.w_22, W(i, i), 1e-10 * W.norm());
    EXPECT_EQ(c.s_22, S(i, i));
    for (std::size_t k = 0; k < padded(p); ++k) {
      const auto j = Eigen::Index(k);
      const bool inside = k < p, other = inside && k != c.i;
      EXPECT_NEAR(c.theta_12[k], other ? Theta(i, j) : 0, 1e-10 * Theta.norm());
      EXPECT_NEAR(c.w_12[k], other ? W(i, j) : 0, 1e-10 * W.norm());
      EXPECT_EQ(c.s_12[k], other ? S(i, j) : 0);
      if (!inside) continue;
      EXPECT_NEAR(c.diag_Theta[k], Theta(j, j), 1e-10 * Theta.norm());
      EXPECT_EQ(c.diag_S[k], S(j, j));
    }
  };
  rule.v = [&](const Column& c, double q) {  // follows the walk with a Theta of its own
    const auto i = Eigen::Index(c.i);
    const Matrix W = Theta.inverse();
    const Matrix H = W - W.col(i) * W.row(i) / W(i, i);
    Vector u = Z.row(i).transpose();
    u[i] = 0;
    u *= std::min(1.0, std::sqrt(1 / u.dot(H * u)));
    EXPECT_NEAR(q, u.dot(H * u), 1e-9);
    Theta.row(i) = u.transpose();
    Theta.col(i) = u;
    Theta(i, i) = 1 + u.dot(H * u);
    return 1.0;
  };
  const Network<GivenRule> network(config_of(p, Scaling::clip, 2), rule);
  const Estimate got = estimate(network, S, 17);
  EXPECT_EQ(got.status, Status::ok);
  EXPECT_LE((got.Theta - Theta).norm(), 1e-9 * Theta.norm());
}

INSTANTIATE_TEST_SUITE_P(Sizes, AnyRule, testing::Values(1, 2, 3, 8, 9, 21, 50));

/// d_theta_12, d_theta_22, d_w_12, d_w_22 and d_diag_Theta of z, lambda and v all arrive.
TEST(CuriousRuleGradient, AgreesWithDifferences) {
  for (std::size_t p : {1, 2, 5, 9, 17})
    for (Scaling scaling : {Scaling::normalize, Scaling::clip, Scaling::none})
      for (int kind : {0, 1, 2, 3}) {
        if (p > 9 && scaling == Scaling::none) continue;  // Theta grows without bound
        ModelConfig config = config_of(p, scaling, kind >= 2 ? 3 : 1);
        config.tied = kind == 2;
        config.learn_offset = kind % 2 == 1;
        Network<CuriousRule> network(config, CuriousRule(RuleShape{p, {}}));
        network.parameters().initialise(5 + p);
        if (scaling == Scaling::none)
          for (double& c : network.parameters().values) c *= 0.5;
        const ToyData data(2, p, 3);
        ThreadPool pool(1);
        std::vector<double> scratch(network.parameters().values.size());
        const auto f = [&](std::span<const double> x) {
          std::copy(x.begin(), x.end(), network.parameters().values.begin());
          return loss_gradient(network, data.samples, scratch, pool).loss;
        };
        const std::vector<double> x = network.parameters().values;
        f(x);
        const std::vector<double> g = scratch;
        if (p > 1) {
          EXPECT_EQ(std::count(g.begin(), g.end(), 0.0), 0) << "every weight matters";
        }
        EXPECT_LT(gradient_error(f, x, g, {.directions = 10, .step = 1e-4, .smaller_steps = 3}),
                  1e-5)
            << "p = " << p << ", " << to_string(scaling) << ", K = " << config.layers
            << (config.tied ? " tied" : "") << (config.learn_offset ? ", learned offset" : "");
      }
}

}  // namespace
}  // namespace spodnet::test
