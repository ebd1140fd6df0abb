// The losses of a network against their definitions, on the estimates it gives.
#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <Eigen/LU>
#include <cmath>

#include "spodnet/models/model.hpp"
#include "support/engine_calls.hpp"
#include "support/expect_error.hpp"
#include "support/mixed_data.hpp"

namespace spodnet::test {
namespace {

/// Sparse truths, so that both kinds of entries occur.
struct SparseTruths : MixedData {
  SparseTruths() : MixedData({4, 9, 12}, 8) {
    for (Matrix& Theta : Theta_true) {
      for (Eigen::Index i = 0; i < Theta.rows(); ++i)
        for (Eigen::Index j = 0; j < i; ++j)
          if ((i + j) % 3 != 0) Theta(i, j) = Theta(j, i) = 0;
      Theta.diagonal() += Vector(Theta.cwiseAbs().rowwise().sum());  // SPD again
    }
  }
};

std::unique_ptr<Model> some_model() {
  auto model = builtin_models().make(
      {.model = "pnp-any", .layers = 2, .scaling = Scaling::relative, .learn_offset = true});
  model->parameters().initialise(3);
  return model;
}

double loss_of(const Model& model, const MixedData& data, const std::string& loss) {
  ThreadPool pool(1);
  std::vector<double> gradient(model.parameters().values.size());
  return loss_gradient(model, data.samples, gradient, pool, loss).loss;
}

double soft_f1(const Matrix& Theta, const Matrix& truth) {
  double found = 0, wrong = 0, edges = 0;
  for (Eigen::Index i = 0; i < Theta.rows(); ++i)
    for (Eigen::Index j = 0; j < i; ++j) {
      const double t = std::abs(Theta(i, j)) / std::sqrt(truth(i, i) * truth(j, j));
      (truth(i, j) != 0 ? found : wrong) += t / (t + 0.02);
      edges += truth(i, j) != 0;
    }
  return 2 * found / (found + wrong + edges);
}

/// (tr(Sigma Theta) - log det(Sigma Theta) - p) / p by the eigenvalues of L' Theta L, Sigma = L L'.
double stein(const Matrix& Theta, const Matrix& truth) {
  const Matrix L = Eigen::LLT<Matrix>(Matrix(truth.inverse())).matrixL();
  const Matrix inner = L.transpose() * Theta * L;
  const Vector eigenvalues = Eigen::SelfAdjointEigenSolver<Matrix>(inner).eigenvalues();
  return (eigenvalues.array() - eigenvalues.array().log() - 1).mean();
}

TEST(Loss, IsWhatItsDefinitionSays) {
  const auto model = some_model();
  const SparseTruths data;
  double relative = 0, edges = 0, likelihood = 0, balanced = 0;
  for (std::size_t k = 0; k < data.samples.size(); ++k) {
    const Matrix &truth = data.Theta_true[k],
                 Theta = estimate(*model, data.S[k], data.samples[k].n).Theta;
    const double error = (Theta - truth).squaredNorm() / truth.squaredNorm();
    relative += error / 3;
    edges += (1 - soft_f1(Theta, truth)) / 3;
    balanced += std::log(error + 1e-4) / 3;
    likelihood += stein(Theta, truth) / 3;
  }
  EXPECT_GT(edges, 0);
  EXPECT_NEAR(loss_of(*model, data, "nmse"), relative, 1e-10);
  EXPECT_NEAR(loss_of(*model, data, "support"), relative + 0.05 * edges, 1e-10);
  EXPECT_NEAR(loss_of(*model, data, "likelihood"), likelihood + 0.05 * edges, 1e-10);
  EXPECT_NEAR(loss_of(*model, data, "balanced"), balanced + 0.3 * edges, 1e-10);
}

TEST(Loss, NamesAreReadBack) {
  const LossRegistry losses = builtin_losses();
  EXPECT_EQ(losses.names().size(), 6u);
  for (const std::string& name : losses.names()) EXPECT_EQ(losses.find(name)->name(), name);
  expect_error([&] { (void)losses.find("other"); }, {"other", "likelihood"});
}

}  // namespace
}  // namespace spodnet::test
