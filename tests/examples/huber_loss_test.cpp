#include <gtest/gtest.h>

#include <cmath>

#include "examples/huber_loss.hpp"
#include "spodnet/devices/devices.hpp"
#include "spodnet/train/trainer.hpp"
#include "support/gradient_check.hpp"
#include "support/toy_data.hpp"

namespace spodnet::test {
namespace {

TEST(HuberLoss, ValueAndGradient) {
  const ToyData data(2, 5, 3);
  const Matrix truth = data.Theta_true[0], start = data.Theta_true[1];
  const ConstMatrixMap Theta_true(truth.data(), 5, 5);
  Matrix G(5, 5);
  const auto loss = [&](std::span<const double> x) {
    Matrix ignored(5, 5);
    return huber(ConstMatrixMap(x.data(), 5, 5), Theta_true, MatrixMap(ignored.data(), 5, 5));
  };
  const double value =
      huber(ConstMatrixMap(start.data(), 5, 5), Theta_true, MatrixMap(G.data(), 5, 5));
  double expected = 0;
  for (Eigen::Index i = 0; i < 5; ++i)
    for (Eigen::Index j = 0; j < 5; ++j) {
      const double d = std::abs(start(i, j) - truth(i, j));
      expected += d < 0.5 ? d * d : d - 0.25;
    }
  EXPECT_NEAR(value, expected, 1e-12);
  EXPECT_LT(gradient_error(loss, {start.data(), 25}, {G.data(), 25}, {.step = 1e-6}), 1e-5);
}

/// Registered by name, it is what training minimises in every model.
TEST(HuberLoss, IsWhatTrainingMinimises) {
  LossRegistry losses = builtin_losses();
  losses.add("huber", huber);
  for (const std::string& name : builtin_models().names()) {
    if (name == "program") continue;  // made of a rule
    const ToyData data(20, 6, 4);
    const auto model = builtin_models().make({.model = name, .p = 6, .scaling = Scaling::clip});
    model->parameters().initialise(1);
    ThreadPool pool(1);
    const TrainResult result =
        train(*model, data.samples, {},
              {.epochs = 15, .lr = 3e-3, .loss = losses.find("huber"), .clip_grad = 10}, pool);
    ASSERT_EQ(result.status, Status::ok) << name;
    EXPECT_LT(result.history.back().train_loss, result.history.front().train_loss) << name;
    EXPECT_EQ(model->config().info.at("train.loss"), "huber");
  }
}

}  // namespace
}  // namespace spodnet::test
