// Ten thousand random covariances and weights: the promise of an exactly symmetric, positive
// definite matrix with exact zeros, kept in floating point.
#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <cmath>
#include <iostream>
#include <map>

#include "models/watched_rule.hpp"
#include "spodnet/models/e2e.hpp"
#include "spodnet/models/network.hpp"
#include "spodnet/models/pnp.hpp"
#include "spodnet/models/ubg.hpp"
#include "support/engine_calls.hpp"
#include "support/hostile_covariance.hpp"

namespace spodnet::test {
namespace {

struct Problem {
  HostileCovariance data;
  ModelConfig config;
  std::uint64_t weights_seed = 0;
  double weights_scale = 1;
};

/// Mostly UBG with K = 1; weights as at the start of training or up to ten times smaller or larger.
Problem random_problem(std::uint64_t index, std::uint64_t scalings) {
  RandomStream random(2025, index);
  Problem out;
  out.data = hostile_covariance(60, random);
  const char* models[] = {"ubg", "ubg", "ubg", "ubg", "ubg", "ubg", "pnp", "e2e"};
  out.config.model = models[random.below(8)];
  out.config.p = std::size_t(out.data.S.rows());
  out.config.layers = random.below(8) == 0 ? 2 : 1;
  out.config.scaling = scalings == 1 ? Scaling::none : Scaling(random.below(scalings));
  out.config.zeta = random.below(4) == 0 ? std::pow(10, random.uniform(-1, 1)) : 1.0;
  out.weights_seed = random.bits();
  if (random.below(2) == 0) out.weights_scale = std::pow(10, random.uniform(-1, 1));
  return out;
}

struct Outcome {
  Estimate estimate;
  Matrix excess;  ///< |scaled z| - lambda of the last layer
};

template <class Rule>
Outcome run(const Problem& problem) {
  Network<Watched<Rule>> network(problem.config, Watched<Rule>(RuleShape{problem.config.p, {}}));
  network.parameters().initialise(problem.weights_seed);
  for (double& w : network.parameters().values) w *= problem.weights_scale;
  Outcome out;
  out.estimate = estimate(network, problem.data.S, double(problem.data.n));
  out.excess = network.rule().excess();
  return out;
}

Outcome run(const Problem& problem) {
  if (problem.config.model == "ubg") return run<UbgRule>(problem);
  return problem.config.model == "pnp" ? run<PnpRule>(problem) : run<E2eRule>(problem);
}

/// What holds for every estimate, good or not.
void expect_usable(const Estimate& got) {
  ASSERT_TRUE(got.Theta.allFinite());
  ASSERT_TRUE(got.W.allFinite());
  ASSERT_EQ(got.Theta, Matrix(got.Theta.transpose()));
  ASSERT_EQ(got.W, Matrix(got.W.transpose()));
  ASSERT_EQ(Eigen::LLT<Matrix>(got.Theta).info(), Eigen::Success);
  ASSERT_TRUE(std::isfinite(got.residual));
  const Matrix identity = Matrix::Identity(got.Theta.rows(), got.Theta.cols());
  const double rounding = 1e-14 * got.Theta.stableNorm() * got.W.stableNorm();
  ASSERT_NEAR(got.residual, (got.Theta * got.W - identity).norm(), rounding + 0.5 * got.residual);
  ASSERT_EQ(got.status == Status::ok, got.message.empty()) << got.message;
  if (got.status == Status::ok) {
    ASSERT_LE(got.residual, 1e-2);
  }
}

/// Theta_ij = 0.0 exactly where |z_ij| <= lambda_ij, and only there.
void expect_exact_zeros(const Outcome& outcome) {
  const Matrix& Theta = outcome.estimate.Theta;
  for (Eigen::Index r = 0; r < Theta.rows(); ++r)
    for (Eigen::Index c = 0; c < r; ++c)
      ASSERT_EQ(Theta(r, c) == 0.0, outcome.excess(r, c) <= 0) << r << "," << c;
}

std::ostream& operator<<(std::ostream& out, const Problem& x) {
  return out << x.config.model << " p=" << x.config.p << " n=" << x.data.n
             << " K=" << x.config.layers << " " << to_string(x.config.scaling) << " data scale 1e"
             << x.data.decade << (x.data.uneven ? " uneven" : "");
}

struct Count {
  int all = 0, not_ok = 0, refreshes = 0;
  double worst_residual = 0;

  void add(const Estimate& got) {
    ++all;
    not_ok += got.status != Status::ok;
    refreshes += got.refreshes - 1;
    worst_residual = std::max(worst_residual, got.residual);
  }
};

std::ostream& operator<<(std::ostream& out, const Count& c) {
  return out << c.all << " estimates, " << c.not_ok << " not ok, " << c.refreshes
             << " refreshes, worst residual " << c.worst_residual;
}

TEST(RandomInputs, TenThousandAreSymmetricPositiveDefiniteAndSparse) {
  Count total;
  std::map<int, Count> by_decade;
  for (std::uint64_t k = 0; k < 10000; ++k) {
    const Problem problem = random_problem(k, 2);
    SCOPED_TRACE(testing::PrintToString(k) + ": " + testing::PrintToString(problem));
    const Outcome outcome = run(problem);
    ASSERT_NO_FATAL_FAILURE(expect_usable(outcome.estimate));
    if (outcome.estimate.status == Status::ok) {
      ASSERT_NO_FATAL_FAILURE(expect_exact_zeros(outcome));
    }
    total.add(outcome.estimate);
    by_decade[int(std::floor(problem.data.decade))].add(outcome.estimate);
  }
  for (const auto& [decade, count] : by_decade)
    std::cout << "data scale 1e" << decade << " to 1e" << decade + 1 << ": " << count << "\n";
  std::cout << "all: " << total << "\n";
  RecordProperty("not_ok", total.not_ok);
  RecordProperty("refreshes", total.refreshes);
  EXPECT_LE(total.not_ok, 10);  // where rounding wins although everything was tried
}

/// Without scaling Theta may grow until nothing can be certified: then a status and a message, and
/// what is called ok has Theta W = I.
TEST(RandomInputs, WithoutScalingNothingWrongIsCalledRight) {
  Count total;
  for (std::uint64_t k = 0; k < 1000; ++k) {
    const Problem problem = random_problem(100000 + k, 1);
    SCOPED_TRACE(testing::PrintToString(k) + ": " + testing::PrintToString(problem));
    const Outcome outcome = run(problem);
    ASSERT_NO_FATAL_FAILURE(expect_usable(outcome.estimate));
    if (outcome.estimate.status == Status::ok) {
      ASSERT_NO_FATAL_FAILURE(expect_exact_zeros(outcome));
    }
    total.add(outcome.estimate);
  }
  std::cout << "all: " << total << "\n";
  RecordProperty("not_ok", total.not_ok);
  EXPECT_GT(total.all, 2 * total.not_ok);
}

}  // namespace
}  // namespace spodnet::test
