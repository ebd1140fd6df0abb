// What every loss of the registry promises: its G is its gradient, symmetric and weighted. A new
// loss is tested here as soon as it is registered.
#include <gtest/gtest.h>

#include "spodnet/problem/loss.hpp"
#include "support/gradient_check.hpp"
#include "support/spd_matrices.hpp"

namespace spodnet::test {
namespace {

constexpr Eigen::Index kSize = 5;

/// SPD, every third pair off the diagonal an edge.
Matrix sparse_truth() {
  RandomStream random(2);
  Matrix Theta = random_spd(kSize, random);
  for (Eigen::Index i = 0; i < kSize; ++i)
    for (Eigen::Index j = 0; j < kSize; ++j)
      if (i != j && (i + j) % 3 != 0) Theta(i, j) = 0;
  return Theta;
}

struct Evaluated {
  double value = 0;
  Matrix G = Matrix::Constant(kSize, kSize, 7);  // to be overwritten
};

Evaluated evaluate(const Loss& loss, const Matrix& Theta, const Matrix& truth, double weight) {
  Evaluated out;
  out.value = loss.evaluate({Theta.data(), kSize, kSize}, {truth.data(), kSize, kSize}, weight,
                            {out.G.data(), kSize, kSize});
  return out;
}

std::vector<double> lower_triangle(const Matrix& A) {
  std::vector<double> entries;
  for (Eigen::Index i = 0; i < kSize; ++i)
    for (Eigen::Index j = 0; j <= i; ++j) entries.push_back(A(i, j));
  return entries;
}

Matrix symmetric(std::span<const double> entries) {
  Matrix A(kSize, kSize);
  std::size_t k = 0;
  for (Eigen::Index i = 0; i < kSize; ++i)
    for (Eigen::Index j = 0; j <= i; ++j) A(i, j) = A(j, i) = entries[k++];
  return A;
}

TEST(LossGradient, IsThatOfFiniteDifferences) {
  RandomStream random(1);
  const Matrix Theta = random_spd(kSize, random), truth = sparse_truth();
  for (const std::string& name : builtin_losses().names()) {
    const LossPtr loss = builtin_loss(name);
    const Matrix G = evaluate(*loss, Theta, truth, 1).G;
    EXPECT_EQ(G, G.transpose()) << name;
    const Matrix both = 2 * G - Matrix(G.diagonal().asDiagonal());  // a pair is two entries
    const auto value = [&](std::span<const double> entries) {
      return evaluate(*loss, symmetric(entries), truth, 1).value;
    };
    EXPECT_LT(gradient_error(value, lower_triangle(Theta), lower_triangle(both)), 1e-7) << name;
  }
}

TEST(LossGradient, IsScaledByTheWeightAndTheValueIsNot) {
  RandomStream random(3);
  const Matrix Theta = random_spd(kSize, random), truth = sparse_truth();
  for (const std::string& name : builtin_losses().names()) {
    const LossPtr loss = builtin_loss(name);
    const Evaluated one = evaluate(*loss, Theta, truth, 1),
                    some = evaluate(*loss, Theta, truth, 0.3);
    EXPECT_NEAR(some.value, one.value, 1e-14 * std::abs(one.value)) << name;
    EXPECT_LT((some.G - 0.3 * one.G).norm(), 1e-14 * one.G.norm()) << name;
  }
}

/// An engine that computes a squared error itself must get the right unit.
TEST(LossGradient, OfASquaredErrorFollowsItsUnit) {
  RandomStream random(4);
  const Matrix Theta = random_spd(kSize, random), truth = sparse_truth();
  int found = 0;
  for (const std::string& name : builtin_losses().names()) {
    const LossPtr loss = builtin_loss(name);
    const auto unit = loss->squared_error_unit({truth.data(), kSize, kSize});
    if (!unit) continue;
    ++found;
    const Evaluated got = evaluate(*loss, Theta, truth, 1);
    EXPECT_NEAR(got.value, (Theta - truth).squaredNorm() / *unit, 1e-14) << name;
    EXPECT_LT((got.G - 2 * (Theta - truth) / *unit).norm(), 1e-14) << name;
  }
  EXPECT_EQ(found, 2);  // mse and nmse
}

}  // namespace
}  // namespace spodnet::test
