// ubg-any takes any number of variables in any order and, standardized, in any units.
#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <Eigen/LU>
#include <cmath>
#include <numeric>

#include "spodnet/models/model_file.hpp"
#include "spodnet/models/variable_frame.hpp"
#include "spodnet/problem/constraints.hpp"
#include "support/engine_calls.hpp"
#include "support/expect_error.hpp"
#include "support/hostile_covariance.hpp"

namespace spodnet::test {
namespace {

std::unique_ptr<Model> any_model(bool standardized, bool summary = false, std::uint64_t seed = 4) {
  ModelConfig config{.model = "ubg-any", .layers = 2, .scaling = Scaling::clip};
  config.learn_offset = true;
  config.standardized = standardized;
  config.summary = summary;
  auto model = builtin_models().make(config);
  model->parameters().initialise(seed);
  RandomStream random(seed, 9);
  for (double& x : model->parameters().values) x += 0.1 * random.normal();
  return model;
}

std::vector<std::uint32_t> shuffled(Eigen::Index p, std::uint64_t seed) {
  std::vector<std::uint32_t> order(static_cast<std::size_t>(p));
  std::iota(order.begin(), order.end(), 0u);
  RandomStream(seed).shuffle(order);
  return order;
}

TEST(Equivariance, PermutedVariablesPermuteTheEstimate) {
  for (const bool standardized : {false, true})
    for (const Eigen::Index p : {2, 3, 9, 20, 57}) {
      const auto model = any_model(standardized, p >= 20);
      const Matrix S = covariance(p, 2 * p, 10 + std::uint64_t(p));
      const auto order = shuffled(p, 5);
      const Estimate plain = estimate(*model, S, double(2 * p));
      const Estimate permuted = estimate(*model, S(order, order), double(2 * p));
      EXPECT_EQ(permuted.Theta, Matrix(plain.Theta(order, order))) << p;  // bit for bit
      EXPECT_EQ(permuted.W, Matrix(plain.W(order, order))) << p;
      EXPECT_GT((plain.Theta.array() != 0).count(), p);  // not trivially diagonal
    }
}

/// D S D -> D^{-1} Theta D^{-1}: exactly for powers of two, else to rounding.
TEST(Equivariance, UnitsOfTheStandardizedForm) {
  const auto model = any_model(true);
  const Eigen::Index p = 12;
  const Matrix S = covariance(p, 30, 3);
  const Estimate plain = estimate(*model, S, 30);
  for (const bool exact : {true, false}) {
    RandomStream random(8);
    Vector d(p);
    for (double& x : d)
      x = exact ? std::pow(2.0, double(random.below(40)) - 20)
                : std::pow(10, random.uniform(-6, 6));
    const auto D = d.asDiagonal();
    const Estimate scaled = estimate(*model, Matrix(D * S * D), 30);
    const Matrix back = D * scaled.Theta * D, W_back = D.inverse() * scaled.W * D.inverse();
    EXPECT_LE((back - plain.Theta).norm(), exact ? 0.0 : 1e-9 * plain.Theta.norm());
    EXPECT_LE((W_back - plain.W).norm(), exact ? 0.0 : 1e-9 * plain.W.norm());
    EXPECT_EQ((back.array() == 0).count(), (plain.Theta.array() == 0).count());
  }
}

/// Flipping the sign of a variable flips its row and column.
TEST(Equivariance, Signs) {
  const auto model = any_model(false);
  const Matrix S = covariance(8, 20, 4);
  Vector sign = Vector::Ones(8);
  sign[1] = sign[5] = -1;
  const auto D = sign.asDiagonal();
  const Matrix plain = estimate(*model, S, 20).Theta;
  EXPECT_EQ(Matrix(D * estimate(*model, Matrix(D * S * D), 20).Theta * D), plain);
}

/// Constraints are permuted with the variables.
TEST(Equivariance, Constraints) {
  for (const bool standardized : {false, true}) {
    const auto model = any_model(standardized);
    const Matrix S = covariance(9, 30, 4);
    Constraints constraints(9);
    constraints.narrow(1, 7, PairRule::zero);
    constraints.narrow(0, 2, PairRule::zero);
    constraints.narrow(3, 4, PairRule::not_positive);
    const auto order = shuffled(9, 5);
    const std::vector<std::size_t> wide(order.begin(), order.end());
    const Estimate plain = estimate_within(*model, constraints, S, 30);
    EXPECT_TRUE(constraints.hold(plain.Theta));
    const Estimate permuted = estimate_within(*model, constraints.among(wide), S(order, order), 30);
    EXPECT_EQ(permuted.Theta, Matrix(plain.Theta(order, order)));
  }
}

void expect_usable(const Model& model, const Matrix& S, double n) {
  const Estimate got = estimate(model, S, n);
  EXPECT_EQ(got.status, Status::ok) << got.message;
  ASSERT_TRUE(got.Theta.allFinite());
  EXPECT_EQ(got.Theta, Matrix(got.Theta.transpose()));
  EXPECT_EQ(Eigen::LLT<Matrix>(got.Theta).info(), Eigen::Success);
  EXPECT_LE(got.residual, 1e-2);
}

TEST(AnySize, FromOneVariableUp) {
  for (const bool standardized : {false, true}) {
    const auto model = any_model(standardized);
    for (const Eigen::Index p : {1, 2, 3, 7, 8, 9, 16, 40, 100}) {
      SCOPED_TRACE(p);
      for (const Eigen::Index n : {Eigen::Index(1), Eigen::Index(2), p, 4 * p})
        expect_usable(*model, covariance(p, n, std::uint64_t(p)), double(n));
    }
  }
}

/// n = 1 gives S = 0: no variance at all.
TEST(AnySize, NoVariance) {
  for (const bool standardized : {false, true}) {
    const auto model = any_model(standardized, true);
    expect_usable(*model, Matrix::Zero(6, 6), 1);
    Matrix S = covariance(6, 20, 2);
    S.row(2).setZero();
    S.col(2).setZero();
    expect_usable(*model, S, 20);
    const Matrix Theta = estimate(*model, S, 20).Theta;
    for (Eigen::Index j = 0; j < 6; ++j) EXPECT_EQ(Theta(2, j) != 0, j == 2);
  }
}

TEST(AnySize, HostileInputs) {
  for (const bool standardized : {false, true}) {
    const auto model = any_model(standardized, true);
    int bad = 0;
    for (std::uint64_t k = 0; k < 300; ++k) {
      RandomStream random(77, k);
      const HostileCovariance data = hostile_covariance(40, random);
      const Estimate got = estimate(*model, data.S, double(data.n));
      ASSERT_TRUE(got.Theta.allFinite()) << k;
      ASSERT_EQ(got.Theta, Matrix(got.Theta.transpose())) << k;
      ASSERT_EQ(Eigen::LLT<Matrix>(got.Theta).info(), Eigen::Success) << k;
      ASSERT_LE(got.residual, 1e-2) << k;
      ASSERT_EQ(got.status == Status::ok, got.message.empty()) << k;
      bad += got.status != Status::ok;
    }
    EXPECT_LE(bad, 3);  // condition numbers up to 5e15: in a few the order of a sum may decide
  }
}

TEST(AnySize, NeedsTheNumberOfSamples) {
  expect_error([] { (void)estimate(*any_model(true), Matrix::Identity(3, 3), 0); },
               {"number of samples", "number of samples"});
}

TEST(AnySize, FilesKeepIt) {
  for (const bool standardized : {false, true}) {
    const auto model = any_model(standardized, !standardized);
    const TensorFile file = model_to_tensors(*model);
    EXPECT_EQ(file.metadata.at("p"), "any");
    EXPECT_EQ(file.metadata.contains("standardized"), standardized);
    const auto again = model_from_tensors(file, "file", builtin_models());
    EXPECT_EQ(again->config().standardized, standardized);
    EXPECT_EQ(again->config().summary, !standardized);
    const Matrix S = covariance(11, 15, 1);
    EXPECT_EQ(estimate(*again, S, 15).Theta, estimate(*model, S, 15).Theta);
  }
}

TEST(AnySize, OtherModelsStayWithOneSize) {
  ModelConfig config{.model = "ubg", .p = 0};
  expect_error([&] { (void)builtin_models().make(config); }, {"p must be at least 1"});
  config.p = 4;
  config.standardized = true;
  expect_error([&] { (void)builtin_models().make(config); }, {"standardized"});
}

/// What enters leaves unchanged; a true precision matrix enters as the inverse of its covariance.
TEST(VariableFrame, ThereAndBack) {
  const Eigen::Index p = 7;
  const Matrix S = covariance(p, 20, 6), Theta = S.inverse();
  for (const bool standardized : {false, true}) {
    const VariableFrame door(S.data(), std::size_t(p), standardized);
    Matrix S_in(p, p), Theta_in(p, p);
    door.enter_covariance(S.data(), S_in.data());
    door.enter_precision(Theta.data(), Theta_in.data());
    EXPECT_LT((S_in * Theta_in - Matrix::Identity(p, p)).norm(), 1e-10);
    EXPECT_LT((door.leave_precision(Theta_in) - Theta).norm(), 1e-12 * Theta.norm());
    EXPECT_LT((door.leave_covariance(S_in) - S).norm(), 1e-12 * S.norm());
    if (standardized) {
      EXPECT_EQ(S_in.diagonal(), Vector::Ones(p));
    }
  }
}

}  // namespace
}  // namespace spodnet::test
