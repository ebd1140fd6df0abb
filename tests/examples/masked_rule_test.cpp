// The rule of docs/extending.md keeps what it promises, and has what every model has.
#include "examples/masked_rule.hpp"

#include <gtest/gtest.h>

#include <Eigen/Cholesky>

#include "spodnet/generate/dataset.hpp"
#include "spodnet/models/model_file.hpp"
#include "spodnet/models/network.hpp"
#include "spodnet/train/trainer.hpp"
#include "support/engine_calls.hpp"
#include "support/gradient_check.hpp"
#include "support/temporary_folder.hpp"
#include "support/toy_data.hpp"

namespace spodnet {
namespace {

/// Free: a ring with chords to every third variable.
std::vector<double> ring(std::size_t p) {
  std::vector<double> mask(p * p);
  for (std::size_t i = 0; i < p; ++i)
    for (const std::size_t away : {std::size_t{1}, std::size_t{3}}) {
      const std::size_t j = (i + away) % p;
      mask[i * p + j] = mask[j * p + i] = 1;
    }
  return mask;
}

ModelRegistry models_with(std::vector<double> (*mask)(std::size_t)) {
  ModelRegistry models = builtin_models();
  add_rule(models, "masked",
           [mask](const RuleShape& shape) { return MaskedRule(shape, mask(shape.p)); });
  return models;
}

std::unique_ptr<Model> make(ModelConfig config, std::uint64_t seed) {
  config.model = "masked";
  auto model = models_with(ring).make(config);
  model->parameters().initialise(seed);
  return model;
}

void expect_promises(const Matrix& Theta, const std::vector<double>& mask) {
  const Eigen::Index p = Theta.rows();
  EXPECT_EQ(Eigen::LLT<Matrix>(Theta).info(), Eigen::Success);
  EXPECT_EQ(Theta, Theta.transpose());
  for (Eigen::Index i = 0; i < p; ++i)
    for (Eigen::Index j = 0; j < p; ++j) {
      if (i == j) continue;
      EXPECT_LE(Theta(i, j), 0.0) << i << ", " << j;
      if (mask[std::size_t(i * p + j)] == 0) {
        EXPECT_EQ(Theta(i, j), 0.0) << i << ", " << j;
      }
    }
}

TEST(MaskedRule, KeepsMaskSignAndDefiniteness) {
  int entries = 0;
  for (const Scaling scaling : {Scaling::normalize, Scaling::clip, Scaling::none})
    for (const std::size_t p : {1, 2, 9, 20})
      for (const int layers : {1, 3}) {
        const auto model = make({.p = p, .layers = layers, .scaling = scaling}, p);
        const test::ToyData data(5, p);
        for (std::size_t k = 0; k < 5; ++k) {
          const Estimate estimate = test::estimate(*model, data.S[k], 50);
          if (scaling == Scaling::none && estimate.status != Status::ok) continue;
          ASSERT_EQ(estimate.status, Status::ok) << estimate.message;
          expect_promises(estimate.Theta, ring(p));
          entries += int((estimate.Theta.array() < 0).count());
        }
      }
  EXPECT_GT(entries, 100);  // and is not merely diagonal
}

TEST(MaskedRule, GradientAgreesWithFiniteDifferences) {
  for (const Scaling scaling : {Scaling::normalize, Scaling::clip})
    for (const int layers : {1, 2}) {
      const auto model =
          make({.p = 6, .layers = layers, .scaling = scaling, .learn_offset = true, .v_min = 0}, 3);
      const test::ToyData data(3, 6);
      ThreadPool pool(1);
      std::vector<double>& weights = model->parameters().values;
      std::vector<double> gradient(weights.size()), ignored(weights.size());
      ASSERT_EQ(test::loss_gradient(*model, data.samples, gradient, pool).status, Status::ok);
      EXPECT_NE(gradient[model->parameters().find("layers.0.f.step")->offset], 0.0);
      const std::vector<double> start = weights;
      const auto loss = [&](std::span<const double> moved) {
        weights.assign(moved.begin(), moved.end());
        return test::loss_gradient(*model, data.samples, ignored, pool).loss;
      };
      EXPECT_LT(test::gradient_error(loss, start, gradient, {.step = 1e-6}), 1e-4);
    }
}

TEST(MaskedRule, TrainsSavesAndLoadsWithItsMask) {
  const test::TemporaryFolder folder;
  ThreadPool pool(2);
  const DataSet data = generate_dataset({.p = 10, .n = 50, .count = 60}, pool);
  const auto model = make({.p = 10, .scaling = Scaling::clip}, 0);
  const TrainResult result = train(*model, samples(data), {}, {.epochs = 15}, pool);
  ASSERT_EQ(result.status, Status::ok) << result.message;
  ASSERT_EQ(result.history.size(), 15u);
  EXPECT_LT(result.history.back().train_loss, 0.7 * result.history.front().train_loss);

  save_model(folder / "masked.safetensors", *model);
  const auto everything = [](std::size_t p) { return std::vector<double>(p * p, 1.0); };
  const auto loaded = load_model(folder / "masked.safetensors", models_with(everything));
  const Estimate before = test::estimate(*model, data.S[0], 50),
                 after = test::estimate(*loaded, data.S[0], 50);
  EXPECT_EQ(before.Theta, after.Theta);
  expect_promises(after.Theta, ring(10));
}

}  // namespace
}  // namespace spodnet
