// The smallest and the emptiest problems, and input that is refused.
#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <cmath>

#include "layer/layer_case.hpp"
#include "support/engine_calls.hpp"
#include "support/expect_error.hpp"

namespace spodnet::test {
namespace {

void expect_good(const Estimate& got) {
  EXPECT_EQ(got.status, Status::ok) << got.message;
  EXPECT_TRUE(got.Theta.allFinite());
  EXPECT_EQ(got.Theta, Matrix(got.Theta.transpose()));
  EXPECT_EQ(Eigen::LLT<Matrix>(got.Theta).info(), Eigen::Success);
  EXPECT_LE(got.residual, 1e-8);
}

BatchLoss gradient_of(const Model& model, const Matrix& S, std::vector<double>& gradient) {
  const Matrix truth = 2 * Matrix::Identity(S.rows(), S.cols());
  const Sample sample{S.data(), truth.data(), std::size_t(S.rows()), 1};
  gradient.assign(model.parameters().values.size(), 0);
  ThreadPool pool(1);
  return loss_gradient(model, {&sample, 1}, gradient, pool);
}

TEST(Edge, NoCovarianceAtAll) {  // n = 1 after centring, or constant data: S = 0
  for (const LayerCase& c : all_layer_cases({1, 2, 3, 9})) {
    SCOPED_TRACE(testing::PrintToString(c));
    const auto model = random_model(c);
    const Matrix S = Matrix::Zero(Eigen::Index(c.p), Eigen::Index(c.p));
    expect_good(estimate(*model, S, 1));
    std::vector<double> gradient;
    EXPECT_EQ(gradient_of(*model, S, gradient).status, Status::ok);
    EXPECT_TRUE(std::isfinite(norm(gradient)));
    EXPECT_GT(norm(gradient), 0);
  }
}

TEST(Edge, OneSampleThatWasNotCentred) {  // rank one
  for (const LayerCase& c : all_layer_cases({1, 2, 5, 12})) {
    SCOPED_TRACE(testing::PrintToString(c));
    RandomStream random(c.p);
    const Vector x = Vector::NullaryExpr(Eigen::Index(c.p), [&] { return random.normal(); });
    const Matrix S = x * x.transpose();
    const auto model = random_model(c);
    expect_good(estimate(*model, S, 1));
    std::vector<double> gradient;
    EXPECT_EQ(gradient_of(*model, S, gradient).status, Status::ok);
    EXPECT_TRUE(std::isfinite(norm(gradient)));
  }
}

/// Variables uncorrelated with all others: z = 0 for UBG, which normalize leaves 0 with gradient 0
/// (the authors' code divides 0 by 0). The output is diagonal, exactly.
TEST(Edge, IsolatedVariablesStayIsolatedInUbg) {
  for (const LayerCase& c : all_layer_cases({2, 3, 9, 45})) {
    if (c.model != "ubg") continue;
    SCOPED_TRACE(testing::PrintToString(c));
    const auto model = random_model(c);
    const Matrix S = Vector::LinSpaced(Eigen::Index(c.p), 0.5, 3).asDiagonal();
    const Estimate got = estimate(*model, S, 10);
    expect_good(got);
    EXPECT_EQ(got.Theta, Matrix(got.Theta.diagonal().asDiagonal()));
    std::vector<double> gradient;
    EXPECT_EQ(gradient_of(*model, S, gradient).status, Status::ok);
    for (const ParameterView& view : model->parameters().layout.views()) {
      const double size = norm(std::span(gradient).subspan(view.offset, view.size));
      EXPECT_TRUE(std::isfinite(size)) << view.name;
      if (view.name.find(".f.") != std::string::npos) {
        EXPECT_EQ(size, 0) << view.name;
      }
    }
    EXPECT_GT(norm(gradient), 0) << "g still learns";
  }
}

TEST(Edge, OneIsolatedVariableAmongOthers) {
  for (const LayerCase& c : all_layer_cases({4, 9})) {
    SCOPED_TRACE(testing::PrintToString(c));
    const ToyData data(1, c.p, 9);
    Matrix S = data.S[0];
    S.row(1).setZero();
    S.col(1).setZero();
    S(1, 1) = 0.7;
    const auto model = random_model(c);
    const Estimate got = estimate(*model, S, 10);
    expect_good(got);
    if (c.model == "ubg") {
      EXPECT_EQ(got.Theta.col(1).squaredNorm(), got.Theta(1, 1) * got.Theta(1, 1));
    }
    std::vector<double> gradient;
    EXPECT_EQ(gradient_of(*model, S, gradient).status, Status::ok);
    EXPECT_TRUE(std::isfinite(norm(gradient)));
  }
}

/// p = 1: f is skipped and only g acts, v = |g(theta_22, s_22, 0)|.
TEST(Edge, OneVariable) {
  for (const LayerCase& c : all_layer_cases({1})) {
    if (c.layers > 1) continue;
    SCOPED_TRACE(testing::PrintToString(c));
    const auto model = random_model(c);
    const Matrix S = Matrix::Constant(1, 1, 0.8);
    const Parameters& w = model->parameters();
    const double a = c.learn_offset ? std::exp(w.view("init_offset")[0]) : 1;
    Vector x = Eigen::Vector3d(1 / (0.8 + a), 0.8, 0);
    for (int k = 0; k < 3; ++k) {
      const std::string layer = "layers.0.g." + std::to_string(k);
      const auto b = w.view(layer + ".bias");
      const auto rows = Eigen::Index(b.size());
      x = ConstMatrixMap(w.view(layer + ".weight").data(), rows, x.size()) * x +
          Eigen::Map<const Vector>(b.data(), rows);
      if (k < 2) x = x.cwiseMax(0.0).eval();
    }
    EXPECT_NEAR(estimate(*model, S, 5).Theta(0, 0), std::abs(x[0]), 1e-14);
  }
}

/// A margin of exactly 0 (|.| may return it) is lifted to the floor; without a floor it is a
/// status.
TEST(Edge, AMarginOfZero) {
  for (double v_min : {1e-8, 0.0}) {
    LayerCase c{.p = 5};
    c.v_min = v_min;
    const auto model = random_model(c);
    for (double& w : model->parameters().view("layers.0.g.2.weight")) w = 0;
    model->parameters().view("layers.0.g.2.bias")[0] = 0;
    const Matrix S = ToyData(1, c.p, 2).S[0];
    const Estimate got = estimate(*model, S, 10);
    EXPECT_EQ(Eigen::LLT<Matrix>(got.Theta).info(), Eigen::Success);
    EXPECT_EQ(got.status == Status::ok, v_min > 0);
    EXPECT_EQ(got.message.empty(), v_min > 0);
    std::vector<double> gradient;
    EXPECT_EQ(gradient_of(*model, S, gradient).status == Status::ok, v_min > 0);
  }
}

TEST(Edge, WeightsThatAreNotNumbersAreAStatusAndNeverAMatrix) {
  const Matrix S = ToyData(1, 5, 4).S[0];
  for (const char* name : {"ubg", "pnp", "e2e"})
    for (Scaling scaling : {Scaling::normalize, Scaling::clip, Scaling::none}) {
      const auto model = random_model({.model = name, .p = 5, .scaling = scaling});
      const std::vector<double> good = model->parameters().values;
      for (const ParameterView& view : model->parameters().layout.views()) {
        SCOPED_TRACE(std::string(name) + " " + to_string(scaling) + " " + view.name);
        model->parameters().values = good;
        for (double& w : model->parameters().view(view.name)) w = std::nan("");
        const Estimate got = estimate(*model, S, 10);
        EXPECT_NE(got.status, Status::ok);
        EXPECT_FALSE(got.message.empty());
        EXPECT_TRUE(got.Theta.allFinite());
        EXPECT_EQ(Eigen::LLT<Matrix>(got.Theta).info(), Eigen::Success);
        std::vector<double> gradient;
        EXPECT_NE(gradient_of(*model, S, gradient).status, Status::ok);
      }
    }
}

TEST(Edge, BadCovariancesAreRefusedInOneLine) {
  const auto model = random_model({.p = 3});
  Matrix S = Matrix::Identity(3, 3);
  for (double bad : {std::nan(""), double(INFINITY), -double(INFINITY)}) {
    S(1, 2) = S(2, 1) = bad;
    expect_error([&] { (void)estimate(*model, S, 10); }, {"estimate", "not finite"});
  }
  S(1, 2) = 0.1, S(2, 1) = 0.2;
  expect_error([&] { (void)estimate(*model, S, 10); }, {"estimate", "not symmetric"});
  expect_error([&] { (void)estimate(*model, Matrix::Identity(4, 4), 10); }, {"4 x 4", "p = 3"});
  expect_error([&] { (void)estimate(*model, Matrix::Identity(3, 4), 10); }, {"3 x 4", "square"});
  expect_error([&] { (void)estimate(*model, -2 * Matrix::Identity(3, 3), 10); },
               {"positive definite"});
}

TEST(Edge, BadSettingsAreRefusedInOneLine) {
  const auto make = [](auto change) {
    ModelConfig config{.model = "ubg", .p = 4};
    change(config);
    (void)builtin_models().make(config);
  };
  expect_error([&] { make([](ModelConfig& c) { c.p = 0; }); }, {"p must be"});
  expect_error([&] { make([](ModelConfig& c) { c.layers = 0; }); }, {"layers"});
  expect_error([&] { make([](ModelConfig& c) { c.zeta = 0; }); }, {"zeta"});
  expect_error([&] { make([](ModelConfig& c) { c.v_min = -1; }); }, {"v_min"});
  expect_error([&] { make([](ModelConfig& c) { c.init_offset = std::nan(""); }); }, {"offset"});
}

}  // namespace
}  // namespace spodnet::test
