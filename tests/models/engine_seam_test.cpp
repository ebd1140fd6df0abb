// What every engine promises (spodnet/models/engine.hpp), on every model of the layer.
#include <gtest/gtest.h>

#include <Eigen/LU>
#include <cmath>

#include "spodnet/devices/devices.hpp"
#include "spodnet/problem/builtin.hpp"
#include "support/engine_calls.hpp"
#include "support/expect_error.hpp"
#include "support/gradient_check.hpp"
#include "support/mixed_data.hpp"
#include "support/rule_programs.hpp"
#include "support/toy_data.hpp"

namespace spodnet::test {
namespace {

std::unique_ptr<Model> model_of(const std::string& name, std::size_t p, bool learn_offset = true) {
  ModelConfig config{.model = name, .p = p, .layers = 2, .scaling = Scaling::clip};
  config.learn_offset = learn_offset && name != "consistent-any";  // whose start is learned
  if (name == "program") config.programs = {program::PaperPrograms{long(p)}.ubg().text()};
  auto model = builtin_models().make(config);
  model->parameters().initialise(3);
  return model;
}

/// Every model of the registry that is made of layers.
std::vector<std::string> layer_models() {
  std::vector<std::string> names = builtin_models().names();
  std::erase(names, "glad");
  return names;
}

class EngineSeam : public testing::TestWithParam<std::string> {
 protected:
  const std::size_t p = 7;
  const std::unique_ptr<Model> model = model_of(GetParam(), p);
  const ToyData data{11, p, 5};
  const std::size_t size = model->parameters().values.size();
};

/// Shards of a batch, each with the whole batch's divisor, add up to it bit for bit.
TEST_P(EngineSeam, PartsInIndexOrderAreTheBatch) {
  const auto engine = make_engine(*model, {.threads = 2});
  engine->keep(data.samples);
  const std::vector<std::uint32_t> which = {4, 0, 9, 10, 2, 2, 7, 1, 3, 8, 6, 5};
  for (const std::string& name : builtin_losses().names()) {
    const LossPtr loss = builtin_loss(name);
    std::vector<double> whole(size), sum(size);
    const BatchLoss expected = engine->loss_gradient(which, *loss, 12, whole);
    std::vector<MatrixLoss> losses(which.size());
    std::vector<double> gradients;
    const auto other = make_engine(*model);  // another process, say
    other->keep(data.samples);
    for (const Part& part : engine->parts(which, *loss)) {
      std::vector<double> each(size);
      other->part_gradients(which, {&part, 1}, *loss, 12, each, losses);
      gradients.insert(gradients.end(), each.begin(), each.end());
    }
    const BatchLoss got = sum_parts(gradients, losses, 12, sum);
    EXPECT_EQ(got.loss, expected.loss) << name;
    EXPECT_EQ(got.nmse, expected.nmse) << name;
    EXPECT_EQ(sum, whole) << name;
  }
}

/// The slope of sum <G, Theta> along a direction of the parameters, by differences.
double slope_of_forward(Engine& engine, Model& model, std::span<const Sample> samples,
                        const MatrixBatch& G, const std::vector<double>& direction) {
  const std::vector<double> start = model.parameters().values;
  const std::size_t p = samples[0].p;
  MatrixBatch Theta(samples.size(), p, p), W(samples.size(), p, p);
  std::vector<Status> status(samples.size());
  const auto value = [&](double t) {
    for (std::size_t k = 0; k < start.size(); ++k)
      model.parameters().values[k] = start[k] + t * direction[k];
    engine.forward(samples, Theta.data(0), W.data(0), status);
    double sum = 0;
    for (std::size_t k = 0; k < samples.size(); ++k)
      sum += Matrix(G[k]).cwiseProduct(Theta[k]).sum();
    return sum;
  };
  const double slope = (value(1e-6) - value(-1e-6)) / 2e-6;
  model.parameters().values = start;
  return slope;
}

/// A loss of one's own through `backward` is the built-in one through `loss_gradient`. That of
/// consistent-any is of the problem in standard units: there by differences.
TEST_P(EngineSeam, BackwardFromGivenGradientsOfTheOutput) {
  const auto engine = make_engine(*model, {.threads = 2});
  engine->keep(data.samples);
  std::vector<double> expected(size), gradient(size);
  (void)engine->loss_gradient(all_of(11), *builtin_loss("mse"), 11, expected);
  MatrixBatch Theta(11, p, p), W(11, p, p), G(11, p, p);
  std::vector<Status> status(11);
  engine->forward(data.samples, Theta.data(0), W.data(0), status);
  for (std::size_t k = 0; k < 11; ++k) {
    const Estimate estimate = test::estimate(*model, data.S[k], data.samples[k].n);
    EXPECT_EQ(status[k], Status::ok);
    EXPECT_LE((Matrix(Theta[k]) - estimate.Theta).norm(), 1e-12 * estimate.Theta.norm());
    EXPECT_LE((Matrix(W[k]) - estimate.W).norm(), 1e-9 * estimate.W.norm());
    EXPECT_EQ(Matrix(W[k]), Matrix(W[k].transpose()));
    G[k] = 2.0 / 11 * (Matrix(Theta[k]) - Matrix(data.Theta_true[k]));
  }
  engine->backward(G.data(0), gradient, nullptr);
  if (model->config().model == "consistent-any") {
    double expected_slope = 0;
    std::vector<double> direction(size);
    for (std::size_t k = 0; k < size; ++k) {
      direction[k] = std::sin(double(3 * k + 1));
      expected_slope += direction[k] * gradient[k];
    }
    EXPECT_NEAR(slope_of_forward(*engine, *model, data.samples, G, direction), expected_slope,
                1e-5 * std::abs(expected_slope));
    return;
  }
  double norm = 0, error = 0;
  for (std::size_t k = 0; k < size; ++k) {
    norm = std::hypot(norm, expected[k]);
    error = std::hypot(error, expected[k] - gradient[k]);
  }
  EXPECT_LE(error, 1e-11 * norm);
}

/// A backward counts once; one that was not finite leaves nothing behind.
TEST_P(EngineSeam, ASecondWalkIsTheFirstAgain) {
  const auto engine = make_engine(*model);
  MatrixBatch Theta(11, p, p), W(11, p, p), G(11, p, p);
  std::vector<Status> status(11);
  std::vector<double> first(size), again(size), second(size);
  const auto walk = [&](double unit, std::vector<double>& gradient) {
    engine->forward(data.samples, Theta.data(0), W.data(0), status);
    for (std::size_t k = 0; k < 11; ++k) G[k] = unit * Matrix(Theta[k]);
    engine->backward(G.data(0), gradient, nullptr);
  };
  walk(1, first);
  engine->backward(G.data(0), again, nullptr);
  EXPECT_EQ(again, std::vector<double>(size));
  walk(std::nan(""), again);
  walk(1, second);
  EXPECT_EQ(first, second);
}

TEST_P(EngineSeam, EstimatesOfABatchAreThoseOfEach) {
  const auto engine = make_engine(*model, {.threads = 3});
  const std::vector<Estimate> all = engine->estimate(data.samples, {.sparsity = 1.5});
  ASSERT_EQ(all.size(), data.samples.size());
  for (std::size_t k = 0; k < all.size(); ++k)
    EXPECT_EQ(all[k].Theta, estimate(*model, data.S[k], data.samples[k].n, 1.5).Theta);
}

/// The reported residual is that of the pair that is returned.
TEST_P(EngineSeam, TheResidualIsOfTheReturnedPair) {
  const Estimate got = estimate(*model, 1e5 * Matrix(data.S[0]), data.samples[0].n);
  const double residual = (got.Theta * got.W - Matrix::Identity(p, p)).norm();
  EXPECT_NEAR(got.residual, residual, 1e-12 + 0.5 * residual);
}

INSTANTIATE_TEST_SUITE_P(Models, EngineSeam, testing::ValuesIn(layer_models()));

/// dL/dS of models that give it, by differences along symmetric directions.
TEST(Engine, GradientOfTheCovariance) {
  for (const char* name : {"ubg", "pnp", "e2e", "program"})
    for (const bool learn_offset : {false, true}) {
      const std::size_t p = 6;
      const auto model = model_of(name, p, learn_offset);
      const auto engine = make_engine(*model);
      ToyData data(1, p, 5);
      const Matrix start = data.S[0], C = data.Theta_true[0];
      Matrix Theta(p, p), W(p, p), d_S(p, p);
      Status status = Status::ok;
      const auto loss = [&](const Matrix& S) {
        data.S[0] = S;
        engine->forward(data.samples, Theta.data(), W.data(), {&status, 1});
        return Theta.cwiseProduct(C).sum();
      };
      (void)loss(start);
      std::vector<double> gradient(model->parameters().values.size());
      engine->backward(C.data(), gradient, d_S.data());
      EXPECT_EQ(d_S, Matrix(d_S.transpose()));
      std::vector<double> without(gradient.size());  // small UBG by another engine
      (void)loss(start);
      engine->backward(C.data(), without, nullptr);
      for (std::size_t k = 0; k < without.size(); ++k)
        EXPECT_NEAR(without[k], gradient[k], 1e-9 * (1 + std::abs(gradient[k]))) << name;
      RandomStream random(9);
      for (int direction = 0; direction < 5; ++direction) {
        Matrix D(p, p);
        for (Eigen::Index i = 0; i < D.rows(); ++i)
          for (Eigen::Index j = 0; j <= i; ++j) D(i, j) = D(j, i) = random.normal();
        const double h = 1e-6;
        const double slope = (loss(start + h * D) - loss(start - h * D)) / (2 * h);
        EXPECT_NEAR(slope, d_S.cwiseProduct(D).sum(), 1e-5 * (1 + std::abs(slope))) << name;
      }
    }
}

TEST(Engine, SaysWhatItCannotDo) {
  const auto any = model_of("pnp-any", 4);
  const auto engine = make_engine(*any);
  const ToyData data(1, 4, 5);
  Matrix Theta(4, 4), W(4, 4);
  Status status = Status::ok;
  engine->forward(data.samples, Theta.data(), W.data(), {&status, 1});
  std::vector<double> gradient(any->parameters().values.size());
  expect_error([&] { engine->backward(Theta.data(), gradient, W.data()); }, {"pnp-any", "S"});
  expect_error([&] { (void)make_engine(*any, {.device = "tpu"}); }, {"tpu", "cpu"});
  const MixedData mixed({3, 4}, 2);
  std::vector<Status> both(2);
  expect_error([&] { engine->forward(mixed.samples, Theta.data(), W.data(), both); }, {"one size"});
}

/// A user's loss, the sum of (Theta - Theta_true)^4, by its definition and through every model.
TEST(OwnLoss, IsTrainedLikeABuiltInOne) {
  LossRegistry losses = builtin_losses();
  losses.add("quartic", [](const ConstMatrixMap& Theta, const ConstMatrixMap& truth, MatrixMap G) {
    const Matrix D = Theta - truth;
    G = 4 * D.array().cube();
    return D.array().pow(4).sum();
  });
  const LossPtr loss = losses.find("quartic");
  for (const char* name : {"ubg", "pnp", "e2e", "ubg-any", "glad"}) {
    SCOPED_TRACE(name);
    const auto model = model_of(name, 5);
    const ToyData data(4, 5, 6);
    const auto engine = make_engine(*model);
    engine->keep(data.samples);
    std::vector<double>& x = model->parameters().values;
    const std::vector<double> start = x;
    std::vector<double> gradient(x.size()), ignored(x.size());
    const BatchLoss at = engine->loss_gradient(all_of(4), *loss, 4, gradient);
    if (std::string(name) != "glad") {
      double mean = 0;
      for (std::size_t k = 0; k < 4; ++k)
        mean += (estimate(*model, data.S[k], data.samples[k].n).Theta - Matrix(data.Theta_true[k]))
                    .array()
                    .pow(4)
                    .sum() /
                4;
      EXPECT_NEAR(at.loss, mean, 1e-10 * mean);
    }
    const auto f = [&](std::span<const double> moved) {
      x.assign(moved.begin(), moved.end());
      const double value = engine->loss_gradient(all_of(4), *loss, 4, ignored).loss;
      x = start;
      return value;
    };
    if (std::string(name) == "glad") continue;  // its alpha network is detached
    const GradientCheckOptions options{.directions = 8, .step = 1e-4, .smaller_steps = 3};
    EXPECT_LT(gradient_error(f, start, gradient, options), 1e-5);
  }
}

}  // namespace
}  // namespace spodnet::test
