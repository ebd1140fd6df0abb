#include "spodnet/models/glad.hpp"

#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <cmath>

#include "models/glad_reference.hpp"
#include "spodnet/core/random.hpp"
#include "support/allocation_count.hpp"
#include "support/engine_calls.hpp"
#include "support/expect_error.hpp"
#include "support/gradient_check.hpp"

namespace spodnet::test {
namespace {

ModelConfig glad_config(std::size_t p, int L) {
  ModelConfig config;
  config.model = "glad";
  config.p = p;
  config.layers = L;
  return config;
}

struct Problems {
  MatrixBatch S, Theta_true;
  std::vector<Sample> samples() const {
    std::vector<Sample> out;
    for (std::size_t k = 0; k < S.count; ++k)
      out.push_back({S.data(k), Theta_true.data(k), S.rows, 0});
    return out;
  }
};

/// Covariances of n samples (singular when n < p) beside random sparse positive definite truths.
Problems random_problems(std::size_t count, std::size_t p, std::size_t n, std::uint64_t seed,
                         double scale = 1) {
  Problems out{{count, p, p}, {count, p, p}};
  for (std::size_t k = 0; k < count; ++k) {
    RandomStream random(seed, k);
    Matrix X(n, p), B(p, p);
    for (double& x : X.reshaped()) x = scale * random.normal();
    for (double& b : B.reshaped()) b = random.uniform() < 0.3 ? random.normal() : 0;
    out.S[k] = X.transpose() * X / double(n);
    out.Theta_true[k] = B * B.transpose() + Matrix::Identity(p, p);
  }
  return out;
}

std::unique_ptr<Model> random_glad(std::size_t p, int L, std::uint64_t seed) {
  auto glad = builtin_models().make(glad_config(p, L));
  glad->parameters().initialise(seed);
  return glad;
}

class GladSizes : public testing::TestWithParam<std::tuple<int, int, double>> {
 protected:
  const std::size_t p = std::size_t(std::get<0>(GetParam()));
  const int L = std::get<1>(GetParam());
  const Problems problems = random_problems(
      3, p, std::max<std::size_t>(1, std::size_t(std::get<2>(GetParam()) * double(p))), 5);
  const std::unique_ptr<Model> glad = random_glad(p, L, 10 * p + std::size_t(L));
};

TEST_P(GladSizes, MatchesThePlainEquations) {
  const GladReference reference{glad->parameters().values, L};
  for (std::size_t k = 0; k < problems.S.count; ++k) {
    const Estimate got = estimate(*glad, problems.S[k], 0);
    const auto [Theta, Z] = reference.run(problems.S[k]);
    ASSERT_EQ(got.status, Status::ok);
    EXPECT_LE((got.Theta - Theta).norm(), 1e-11 * Theta.norm());
    EXPECT_LE((*got.Z - Z).norm(), 1e-11 * Theta.norm());
  }
}

TEST_P(GladSizes, ThetaIsSpdAndWItsInverse) {
  for (std::size_t k = 0; k < problems.S.count; ++k) {
    const Estimate got = estimate(*glad, problems.S[k], 0);
    EXPECT_EQ(got.Theta, Matrix(got.Theta.transpose()));
    EXPECT_EQ(*got.Z, Matrix(got.Z->transpose()));
    EXPECT_EQ(Eigen::LLT<Matrix>(got.Theta).info(), Eigen::Success);
    EXPECT_LE((got.Theta * got.W - Matrix::Identity(got.W.rows(), got.W.cols())).norm(), 1e-10);
  }
}

/// The inputs of NN_alpha are detached: the gradient is that of the loss with these inputs held
/// at their values, which is what the plain equations differentiate here.
TEST_P(GladSizes, GradientMatchesFiniteDifferences) {
  std::vector<double> gradient(glad->parameters().values.size());
  ThreadPool pool(1);
  for (const std::string kind : {"mse", "nmse"}) {
    const BatchLoss loss = loss_gradient(*glad, problems.samples(), gradient, pool, kind);
    ASSERT_EQ(loss.status, Status::ok);
    GladReference reference{glad->parameters().values, L};
    std::vector<GladReference::AlphaInputs> held(problems.S.count);
    for (std::size_t k = 0; k < problems.S.count; ++k)
      held[k] = reference.alpha_inputs(problems.S[k]);
    const auto f = [&](std::span<const double> x) {
      const GladReference moved{{x.begin(), x.end()}, L};
      double sum = 0;
      for (std::size_t k = 0; k < problems.S.count; ++k)
        sum += moved.loss(problems.S[k], problems.Theta_true[k], held[k]) /
               (kind == "mse" ? 1 : problems.Theta_true[k].squaredNorm());
      return sum / double(problems.S.count);
    };
    EXPECT_NEAR(loss.loss, f(glad->parameters().values), 1e-11 * loss.loss);
    EXPECT_LT(gradient_error(f, glad->parameters().values, gradient), 1e-5);
  }
}

INSTANTIATE_TEST_SUITE_P(Small, GladSizes,
                         testing::Combine(testing::Values(1, 2, 5, 12), testing::Values(1, 2, 4),
                                          testing::Values(0.5, 3.0)));

TEST(Glad, IsTheSameForAnyNumberOfThreads) {
  const Problems problems = random_problems(7, 9, 20, 3);
  const auto glad = random_glad(9, 3, 4);
  std::vector<double> one(glad->parameters().values.size()), many(one.size());
  for (int threads : {1, 2, 5}) {
    ThreadPool pool(threads);
    for (int repeat = 0; repeat < 3; ++repeat) {
      auto& gradient = threads == 1 ? one : many;
      const BatchLoss loss = loss_gradient(*glad, problems.samples(), gradient, pool);
      EXPECT_EQ(loss.status, Status::ok);
    }
    if (threads > 1) {
      EXPECT_EQ(one, many);
    }
  }
}

TEST(Glad, StepsAfterTheFirstHardlyAllocate) {
  const Problems problems = random_problems(4, 20, 30, 3);
  const std::vector<Sample> samples = problems.samples();
  const auto glad = random_glad(20, 3, 4);
  std::vector<double> gradient(glad->parameters().values.size());
  const auto engine = glad->make_cpu_engine({});
  engine->keep(samples);
  const auto which = all_of(samples.size());
  const LossPtr loss = builtin_loss("mse");
  const std::size_t fresh = allocation_count();
  (void)engine->loss_gradient(which, *loss, 4, gradient);
  const std::size_t before = allocation_count(), first = before - fresh;
  (void)engine->loss_gradient(which, *loss, 4, gradient);
  EXPECT_LE(allocation_count() - before, 4u) << "the list of parts alone";
  EXPECT_GT(first, 20u);
}

TEST(Glad, ABatchIsTheMeanOfItsMatrices) {
  const Problems problems = random_problems(3, 6, 20, 8);
  const auto glad = random_glad(6, 2, 9);
  const std::vector<Sample> samples = problems.samples();
  ThreadPool pool(1);
  std::vector<double> batch(glad->parameters().values.size()), single(batch.size());
  const BatchLoss all = loss_gradient(*glad, samples, batch, pool);
  double loss = 0, nmse = 0;
  Eigen::Map<Vector> rest(batch.data(), Eigen::Index(batch.size()));
  for (const Sample& sample : samples) {
    const BatchLoss alone = loss_gradient(*glad, {&sample, 1}, single, pool);
    loss += alone.loss / 3;
    nmse += alone.nmse / 3;
    rest -= Eigen::Map<Vector>(single.data(), rest.size()) / 3;
  }
  EXPECT_NEAR(all.loss, loss, 1e-12 * loss);
  EXPECT_NEAR(all.nmse, nmse, 1e-12 * nmse);
  EXPECT_LE(rest.norm(), 1e-12 * loss);
}

TEST(Glad, LargeDataKeepsThetaPositive) {
  for (double scale : {1e-6, 1e-3, 1e3, 1e5, 1e8}) {
    const Problems problems = random_problems(2, 10, 6, 2, scale);
    const Estimate got = estimate(*random_glad(10, 3, 1), problems.S[0], 6);
    EXPECT_EQ(Eigen::LLT<Matrix>(got.Theta).info(), Eigen::Success) << scale;
    EXPECT_EQ(got.status == Status::ok, got.message.empty()) << scale;
    if (scale <= 1e3) {
      EXPECT_EQ(got.status, Status::ok) << scale;
    }
  }
}

TEST(Glad, EqualEigenvaluesNeedNoCare) {
  Problems problems{{1, 4, 4}, {1, 4, 4}};
  problems.S[0] = Matrix::Identity(4, 4);
  problems.Theta_true[0] = 2 * Matrix::Identity(4, 4);
  const auto glad = random_glad(4, 3, 1);
  std::vector<double> gradient(glad->parameters().values.size());
  ThreadPool pool(1);
  const BatchLoss loss = loss_gradient(*glad, problems.samples(), gradient, pool);
  EXPECT_EQ(loss.status, Status::ok);
}

TEST(Glad, NotANumberIsAStatus) {
  Problems problems = random_problems(2, 4, 8, 1);
  problems.S[1](2, 2) = std::nan("");
  const auto glad = random_glad(4, 2, 1);
  std::vector<double> gradient(glad->parameters().values.size());
  ThreadPool pool(1);
  EXPECT_EQ(loss_gradient(*glad, problems.samples(), gradient, pool).status, Status::not_finite);
  const Estimate got = estimate(*glad, problems.S[1], 8);
  EXPECT_EQ(got.status, Status::not_finite);
  EXPECT_FALSE(got.message.empty());
  EXPECT_TRUE(got.Theta.allFinite());
}

TEST(Glad, RefusesWhatItCannotBe) {
  expect_error([] { builtin_models().make(glad_config(0, 1)); }, {"glad", "p"});
  expect_error([] { builtin_models().make(glad_config(4, 0)); }, {"glad", "layers"});
  ModelConfig wide = glad_config(4, 1);
  wide.widths["rho"] = 5;
  expect_error([&] { builtin_models().make(wide); }, {"rho", "width"});
  const auto glad = random_glad(4, 1, 1);
  expect_error([&] { (void)estimate(*glad, Matrix::Identity(5, 5), 1); }, {"5 x 5", "p = 4"});
  const Problems other = random_problems(1, 5, 9, 1);
  std::vector<double> gradient(glad->parameters().values.size());
  ThreadPool pool(1);
  const auto step = [&](std::span<const Sample> batch, std::span<double> out) {
    (void)loss_gradient(*glad, batch, out, pool);
  };
  expect_error([&] { step(other.samples(), gradient); }, {"5 x 5", "p = 4"});
  const Problems good = random_problems(1, 4, 9, 1);
  expect_error([&] { step(good.samples(), {gradient.data(), 7}); }, {"7"});
}

TEST(Glad, StartsAsPyTorchWould) {
  const auto glad = random_glad(4, 1, 3);
  EXPECT_EQ(glad->parameters().values.size(), 42u);
  EXPECT_EQ(glad->parameters().view("init_offset")[0], 0.1);
  const double bound = 1 / std::sqrt(2.0);
  double largest = 0;
  for (double w : glad->parameters().view("alpha.0.weight"))
    largest = std::max(largest, std::abs(w));
  EXPECT_LE(largest, bound);
  EXPECT_GT(largest, 0.2 * bound);
}

}  // namespace
}  // namespace spodnet::test
