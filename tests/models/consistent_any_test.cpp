// consistent-any: its gradient, and the promise that whatever the weights its deviation from
// maximum likelihood vanishes as n / p grows, on collinear variables too.
#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <cmath>
#include <string>

#include "spodnet/core/cholesky.hpp"
#include "spodnet/core/random.hpp"
#include "spodnet/generate/wishart.hpp"
#include "spodnet/models/engine.hpp"
#include "spodnet/models/model.hpp"
#include "spodnet/models/pretrained.hpp"
#include "spodnet/problem/loss.hpp"
#include "support/mixed_data.hpp"
#include "support/parameter_gradients.hpp"
#include "support/spd_matrices.hpp"

namespace spodnet::test {
namespace {

/// Freshly initialised weights, then moved by `noise` standard normal numbers.
std::unique_ptr<Model> random_model(int layers, std::uint64_t seed, double noise) {
  auto model = builtin_models().make({.model = "consistent-any", .layers = layers});
  model->parameters().initialise(seed);
  RandomStream random(seed, 9);
  for (double& x : model->parameters().values) x += noise * random.normal();
  return model;
}

void expect_gradient(int layers, const std::string& loss_name,
                     const std::vector<std::size_t>& sizes, double n_factor, double limit = 1e-5) {
  const auto model = random_model(layers, 3, 0.1);
  const LossPtr loss = builtin_loss(loss_name);
  MixedData data(sizes, 5);
  for (Sample& sample : data.samples) sample.n *= n_factor;
  const auto engine = model->make_cpu_engine({});
  engine->keep(data.samples);
  const std::vector<std::uint32_t> which = all_of(sizes.size());
  std::vector<double> g(model->parameters().values.size()), scratch(g.size());
  ASSERT_EQ(engine->loss_gradient(which, *loss, 1, g).status, Status::ok);
  SCOPED_TRACE("K=" + std::to_string(layers));
  expect_parameter_gradients(*model, g, limit,
                             [&] { return engine->loss_gradient(which, *loss, 1, scratch).loss; });
}

TEST(ConsistentAny, Gradient) {
  for (const int layers : {1, 2}) expect_gradient(layers, "log-stein", {2, 5, 9}, 1);
  expect_gradient(2, "nmse", {1, 4, 12}, 1);
}

TEST(ConsistentAny, GradientWithManyAndWithFewSamples) {
  expect_gradient(2, "log-stein", {5, 9}, 20, 1e-4);
  expect_gradient(2, "log-stein", {5, 12}, 0.2, 1e-4);
}

/// Theta with this condition number, its eigenvalues log-uniform, in a random basis.
Matrix precision_of_condition(Eigen::Index p, double condition, RandomStream& random) {
  Matrix A(p, p);
  for (Eigen::Index k = 0; k < A.size(); ++k) A.data()[k] = random.normal();
  const Matrix Q = Eigen::SelfAdjointEigenSolver<Matrix>(Matrix(A + A.transpose())).eigenvectors();
  Vector d(p);
  for (Eigen::Index k = 0; k < p; ++k)
    d[k] = std::pow(condition, p > 1 ? double(k) / double(p - 1) : 0.0);
  const Matrix Theta = Q * d.asDiagonal() * Q.transpose();
  return (Theta + Theta.transpose()) / 2;
}

/// tr(Sigma Theta) - log det(Sigma Theta) - p, twice the loss in expected log-likelihood.
double stein_loss(const Matrix& Theta, const Matrix& Theta_true) {
  Matrix Sigma;
  const double log_det_true = spd_inverse(Theta_true, Sigma);
  return Sigma.cwiseProduct(Theta).sum() - double(Theta.rows()) + log_det_true - spd_log_det(Theta);
}

/// Random weights, and those that come with the library.
std::vector<std::unique_ptr<Model>> models_of_any_weights() {
  std::vector<std::unique_ptr<Model>> models;
  for (const double noise : {0.0, 0.3, 1.0}) models.push_back(random_model(3, 4, noise));
  models.push_back(pretrained_model(PretrainedForm::tables));
  return models;
}

TEST(ConsistentAny, ManySamplesGiveTheInverseCovarianceWhateverTheWeights) {
  double worst = 0;
  const std::vector<std::unique_ptr<Model>> models = models_of_any_weights();
  for (std::size_t m = 0; m < models.size(); ++m)
    for (const Eigen::Index p : {5, 20, 100})
      for (const double condition : {1.0, 1e2, 1e4, 1e6}) {
        RandomStream random(11, std::uint64_t(p));
        const Matrix Theta_true = precision_of_condition(p, condition, random);
        const double n = 1e4 * double(p);
        const Matrix S = sample_covariance(Theta_true, std::size_t(n), random);
        Matrix inverse;
        ASSERT_TRUE(std::isfinite(spd_inverse(S, inverse)));
        const Estimate got = models[m]->make_cpu_engine({})->estimate(S, n);
        ASSERT_EQ(got.status, Status::ok);
        const double ratio = stein_loss(got.Theta, Theta_true) / stein_loss(inverse, Theta_true);
        EXPECT_LE(ratio, 1.5) << "p = " << p << ", condition " << condition << ", weights " << m;
        worst = std::max(worst, ratio);
      }
  RecordProperty("worst_ratio", std::to_string(worst));
}

/// A covariance of unit variances with one tiny eigenvalue, in which all variables take part: n
/// samples seldom have it, repaired ones do. Shifts of its columns add up in the plain walk (W_jj
/// of 0.0004 to 1200).
Matrix isolated_eigenvalue(Eigen::Index p, double tiny, std::uint64_t seed) {
  RandomStream random(seed);
  Matrix Theta = precision_of_condition(p, 1e3, random);
  Vector u(p);
  for (double& x : u) x = random.normal();
  Theta += u * u.transpose() / (u.squaredNorm() * tiny);
  Matrix S;
  spd_inverse(Theta, S);
  const Vector scale = S.diagonal().cwiseSqrt().cwiseInverse();
  S = scale.asDiagonal() * Matrix(S) * scale.asDiagonal();
  return (S + S.transpose()) / 2;
}

TEST(ConsistentAny, TheWalkStaysInBoundsWhateverTheSpectrumAndN) {
  const auto model = pretrained_model(PretrainedForm::tables);
  const auto engine = model->make_cpu_engine({});
  for (const double tiny : {1e-5, 3e-5, 1e-3})
    for (const double n : {100.0, 300.0, 446.0, 1000.0, 5000.0})
      for (const std::uint64_t seed : {1u, 2u}) {
        const Matrix S = isolated_eigenvalue(135, tiny, seed);
        const Estimate got = engine->estimate(S, n);
        ASSERT_EQ(got.status, Status::ok);
        const std::string what = "tiny " + std::to_string(tiny) + ", n " + std::to_string(n);
        EXPECT_LT(got.W.diagonal().maxCoeff(), 5) << what;
        EXPECT_GT(got.W.diagonal().minCoeff(), 0.2) << what;
      }
}

/// The eigenvectors of the eigenvalue 0 are any basis of a space: the estimate may not depend on
/// the basis.
TEST(ConsistentAny, OfFewSamplesTheEstimateDoesNotDependOnRounding) {
  const auto model = pretrained_model(PretrainedForm::tables);
  const auto engine = model->make_cpu_engine({});
  for (const Eigen::Index p : {6, 12, 20})
    for (const double n : {3.0, 5.0}) {
      RandomStream random(21, std::uint64_t(p));
      const Matrix S =
          sample_covariance(precision_of_condition(p, 10, random), std::size_t(n), random);
      Matrix moved = S;
      for (Eigen::Index i = 0; i < p; ++i)
        for (Eigen::Index j = 0; j < i; ++j)
          moved(i, j) = moved(j, i) = S(i, j) * (1 + 1e-14 * random.normal());
      const Matrix a = engine->estimate(S, n).Theta, b = engine->estimate(moved, n).Theta;
      EXPECT_LT((a - b).norm() / a.norm(), 1e-7) << "p = " << p << ", n = " << n;
    }
}

}  // namespace
}  // namespace spodnet::test
