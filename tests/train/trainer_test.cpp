#include "spodnet/train/trainer.hpp"

#include <gtest/gtest.h>

#include "spodnet/core/error.hpp"
#include "spodnet/train/adam.hpp"
#include "support/engine_calls.hpp"
#include "support/toy_data.hpp"
#include "support/toy_model.hpp"

namespace spodnet {
namespace {

using test::ToyData;
using test::ToyModel;

ToyModel make_toy(std::size_t p, std::uint64_t seed = 3) {
  ModelConfig config;
  config.model = "toy";
  config.p = p;
  ToyModel model(config);
  model.parameters().initialise(seed);
  return model;
}

TEST(ToyModel, GradientMatchesCentralDifferences) {
  const ToyData data(3, 4);
  ToyModel model = make_toy(4);
  ThreadPool pool(1);
  std::vector<double>& x = model.parameters().values;
  std::vector<double> gradient(x.size()), ignored(x.size());
  (void)loss_gradient(model, data.samples, gradient, pool);
  for (std::size_t k = 0; k < x.size(); ++k) {
    const double kept = x[k], h = 1e-6;
    x[k] = kept + h;
    const double above = loss_gradient(model, data.samples, ignored, pool).loss;
    x[k] = kept - h;
    const double below = loss_gradient(model, data.samples, ignored, pool).loss;
    x[k] = kept;
    EXPECT_NEAR((above - below) / (2 * h), gradient[k], 1e-6 * (1 + std::abs(gradient[k])));
  }
}

// The loop written out by hand: full batches, so that the shuffle changes only rounding.
TEST(Trainer, FullBatchEqualsPlainAdam) {
  const ToyData data(6, 4);
  ToyModel model = make_toy(4), by_hand = make_toy(4);
  ThreadPool pool(2);
  const TrainResult result =
      train(model, data.samples, {}, {.epochs = 12, .batch = 100, .lr = 0.05}, pool);
  std::vector<double> gradient(by_hand.parameters().values.size());
  AdamState adam(gradient.size());
  ASSERT_EQ(result.history.size(), 12u);
  for (const EpochRow& row : result.history) {
    const BatchLoss batch = loss_gradient(by_hand, data.samples, gradient, pool);
    EXPECT_NEAR(row.train_loss, batch.loss, 1e-12 * batch.loss);
    EXPECT_NEAR(row.train_nmse, batch.nmse, 1e-12 * batch.nmse);
    adam_step(by_hand.parameters().values, gradient, 0.05, adam);
  }
  for (std::size_t k = 0; k < gradient.size(); ++k)
    EXPECT_NEAR(model.parameters().values[k], by_hand.parameters().values[k], 1e-11);
  EXPECT_EQ(result.status, Status::ok);
  EXPECT_EQ(result.steps, 12u);
  EXPECT_EQ(result.best_epoch, 0u);
}

TEST(Trainer, LearnsAndKeepsTheBestEpoch) {
  const ToyData data(40, 5), valid(10, 5, 2);
  ToyModel model = make_toy(5);
  ThreadPool pool(2);
  const TrainResult result =
      train(model, data.samples, valid.samples, {.epochs = 40, .batch = 7, .lr = 0.3}, pool);
  ASSERT_EQ(result.history.size(), 40u);
  EXPECT_EQ(result.steps, 40u * 6u);  // the last batch of each epoch holds 5
  EXPECT_LT(result.history.back().train_loss, 0.2 * result.history.front().train_loss);
  double best = 1e300;
  std::uint64_t best_epoch = 0;
  for (const EpochRow& row : result.history)
    if (row.valid_nmse < best) best = row.valid_nmse, best_epoch = std::uint64_t(row.epoch);
  EXPECT_EQ(result.best_epoch, best_epoch);
  EXPECT_LT(best_epoch, 40u) << "choose lr so that the last epoch is not the best one";
  ToyModel again = make_toy(5);
  (void)train(again, data.samples, {}, {.epochs = best_epoch, .batch = 7, .lr = 0.3}, pool);
  EXPECT_EQ(model.parameters().values, again.parameters().values);
}

TEST(Trainer, PatienceEndsTheTrainingAndShowsEveryEpoch) {
  const ToyData data(40, 5), valid(10, 5, 2);
  ThreadPool pool(1);
  ToyModel whole = make_toy(5), model = make_toy(5);
  const TrainResult all =
      train(whole, data.samples, valid.samples, {.epochs = 40, .batch = 7, .lr = 0.3}, pool);
  std::vector<std::vector<double>> seen;
  const auto look = [&](const Model& at, std::uint64_t epoch) {
    EXPECT_EQ(epoch, seen.size() + 1);
    seen.push_back(at.parameters().values);
  };
  const TrainResult result =
      train(model, data.samples, valid.samples,
            {.epochs = 40, .batch = 7, .lr = 0.3, .patience = 3, .after_epoch = look}, pool);
  std::uint64_t best = 0, expected = 40;  // the same rule, read off the whole history
  for (std::uint64_t k = 0; k < 40 && expected == 40; ++k) {
    if (all.history[k].valid_nmse < all.history[best].valid_nmse) best = k;
    if (k - best == 3) expected = k + 1;
  }
  ASSERT_LT(expected, 40u) << "choose lr so that patience matters";
  EXPECT_EQ(result.history.size(), expected);
  EXPECT_EQ(result.best_epoch, best + 1);
  ASSERT_EQ(seen.size(), expected);
  EXPECT_EQ(seen[best], model.parameters().values);
}

TEST(Trainer, SameForAnyNumberOfThreads) {
  const ToyData data(23, 4), valid(5, 4, 2);
  std::vector<double> first;
  History rows;
  for (const int threads : {1, 2, 3, 7}) {
    ToyModel model = make_toy(4);
    ThreadPool pool(threads);
    const TrainResult result =
        train(model, data.samples, valid.samples, {.epochs = 6, .batch = 4, .lr = 0.1}, pool);
    if (first.empty()) first = model.parameters().values, rows = result.history;
    EXPECT_EQ(model.parameters().values, first);
    for (std::size_t k = 0; k < rows.size(); ++k) {
      EXPECT_EQ(result.history[k].train_loss, rows[k].train_loss);
      EXPECT_EQ(result.history[k].valid_nmse, rows[k].valid_nmse);
    }
  }
}

TEST(Trainer, SeedDecidesTheShuffle) {
  const ToyData data(20, 3);
  ThreadPool pool(1);
  std::vector<std::vector<double>> ends;
  for (const std::uint64_t seed : {0, 0, 1}) {
    ToyModel model = make_toy(3);
    (void)train(model, data.samples, {}, {.epochs = 3, .batch = 3, .seed = seed}, pool);
    ends.push_back(model.parameters().values);
  }
  EXPECT_EQ(ends[0], ends[1]);
  EXPECT_NE(ends[0], ends[2]);
}

TEST(Trainer, CosineAndClipArriveInTheUpdate) {
  const ToyData data(8, 3);
  ThreadPool pool(1);
  const auto end = [&](const TrainOptions& options) {
    ToyModel model = make_toy(3);
    (void)train(model, data.samples, {}, options, pool);
    return model.parameters().values;
  };
  const auto plain = end({.epochs = 4, .batch = 2});
  EXPECT_NE(plain, end({.epochs = 4, .batch = 2, .schedule = Schedule::cosine}));
  EXPECT_NE(plain, end({.epochs = 4, .batch = 2, .clip_grad = 0.1}));
  EXPECT_EQ(plain, end({.epochs = 4, .batch = 2, .clip_grad = 1e9}));
}

TEST(Trainer, StopsOnANonFiniteLossWithTheLastGoodWeights) {
  const ToyData data(10, 3);
  ToyModel model = make_toy(3);
  ThreadPool pool(1);
  std::vector<double> gradient(model.parameters().values.size());
  const double start = loss_gradient(model, data.samples, gradient, pool).loss;
  model.break_below = 0.5 * start;
  const TrainResult result =
      train(model, data.samples, {}, {.epochs = 200, .batch = 10, .lr = 0.05}, pool);
  ASSERT_EQ(result.status, Status::not_finite);
  EXPECT_NE(result.message.find("not finite"), std::string::npos);
  EXPECT_GT(result.steps, 1u);
  const BatchLoss kept = loss_gradient(model, data.samples, gradient, pool);
  EXPECT_EQ(kept.status, Status::ok);
  EXPECT_LT(kept.loss, start) << "the last good weights, not the first";
}

/// A matrix whose loss is not finite, in one batch of every epoch.
TEST(Trainer, LeavesOutAsManyBadBatchesAsItMay) {
  ToyData data(8, 3);
  const std::size_t p = data.samples[0].p;
  const std::vector<double> bad(p * p, std::numeric_limits<double>::quiet_NaN());
  data.samples[5].S = bad.data();
  ThreadPool pool(1);
  const auto run = [&](const TrainOptions& options) {
    ToyModel model = make_toy(3);
    TrainResult result = train(model, data.samples, {}, options, pool);
    for (const double x : model.parameters().values) EXPECT_TRUE(std::isfinite(x));
    return result;
  };
  EXPECT_EQ(run({.epochs = 3, .batch = 2}).status, Status::not_finite);
  const TrainResult result = run({.epochs = 3, .batch = 2, .skip_bad = 1});
  EXPECT_EQ(result.status, Status::ok);
  EXPECT_EQ(result.skipped, 3u);
  EXPECT_EQ(result.steps, 9u);
  for (const EpochRow& row : result.history) EXPECT_TRUE(std::isfinite(row.train_loss));
  data.samples[0].S = bad.data();
  EXPECT_EQ(run({.epochs = 3, .batch = 1, .skip_bad = 1}).status, Status::not_finite);
  EXPECT_EQ(run({.epochs = 3, .batch = 1, .skip_bad = 2}).skipped, 6u);
}

TEST(Trainer, AnAbsurdLearningRateNeverLeavesNan) {
  const ToyData data(10, 3);
  ToyModel model = make_toy(3);
  ThreadPool pool(1);
  const TrainResult result =
      train(model, data.samples, {}, {.epochs = 5, .batch = 2, .lr = 1e308}, pool);
  EXPECT_EQ(result.status, Status::not_finite);
  for (const double x : model.parameters().values) EXPECT_TRUE(std::isfinite(x));
}

TEST(Trainer, MinimisesTheLossItIsAskedFor) {
  ToyData data(12, 3);
  for (std::size_t k = 0; k < 6; ++k) data.Theta_true[k] *= 30;  // half of them dominate the mse
  ThreadPool pool(1);
  const auto nmse_after = [&](const std::string& loss) {
    ToyModel model = make_toy(3);
    const TrainResult result =
        train(model, data.samples, {},
              {.epochs = 300, .batch = 12, .lr = 0.05, .loss = builtin_loss(loss)}, pool);
    EXPECT_EQ(result.status, Status::ok);
    const EpochRow& last = result.history.back();
    EXPECT_EQ(last.train_loss == last.train_nmse, loss == "nmse");
    return last.train_nmse;
  };
  EXPECT_LT(nmse_after("nmse"), 0.8 * nmse_after("mse"));
}

TEST(Trainer, MatricesOfDifferentSizesInOneBatch) {
  ThreadPool one(1), three(3);
  const DataSetOptions sizes{.p = {2, 9}, .n = {3, 300}, .count = 40, .seed = 5};
  const MixedDataSet data = generate_mixed(sizes, one);
  std::vector<double> weights;
  for (ThreadPool* pool : {&one, &three}) {
    ToyModel model = make_toy(0);  // for any p
    const TrainResult result =
        train(model, samples(data), samples(data),
              {.epochs = 30, .batch = 7, .loss = builtin_loss("nmse")}, *pool);
    ASSERT_EQ(result.status, Status::ok);
    EXPECT_LT(result.history.back().valid_nmse, 0.9 * result.history.front().valid_nmse);
    if (weights.empty()) weights = model.parameters().values;
    EXPECT_EQ(model.parameters().values, weights);
  }
  ToyModel fixed = make_toy(9);
  EXPECT_THROW((void)train(fixed, samples(data), {}, {}, one), Error);
  FreshSamples fresh(sizes);
  const auto engine = fixed.make_cpu_engine({});
  EXPECT_THROW((void)train(fixed, *engine, fresh, {}, {}, one), Error);
}

TEST(Trainer, RefusesWhatItCannotTrain) {
  const ToyData data(3, 3);
  ThreadPool pool(1);
  ToyModel wrong_p = make_toy(4), model = make_toy(3);
  std::vector<Sample> blind = data.samples;
  blind[1].Theta_true = nullptr;
  EXPECT_THROW((void)train(wrong_p, data.samples, {}, {}, pool), Error);
  EXPECT_THROW((void)train(model, {}, {}, {}, pool), Error);
  EXPECT_THROW((void)train(model, blind, {}, {}, pool), Error);
  EXPECT_THROW((void)train(model, data.samples, {}, {.batch = 0}, pool), Error);
  EXPECT_THROW((void)train(model, data.samples, {}, {.lr = -1}, pool), Error);
  EXPECT_THROW((void)train(model, data.samples, {}, {.lr = NAN}, pool), Error);
}

TEST(History, CsvHasTheColumnsAndLeavesUnmeasuredOnesEmpty) {
  EpochRow row;
  row.epoch = 1;
  row.train_loss = 0.1;
  row.train_nmse = 0.25;
  row.seconds = 2;
  EXPECT_EQ(history_csv({row}),
            "epoch,train_loss,train_nmse,valid_nmse,valid_f1,valid_f1_offdiag,eig_min,condition,"
            "density,seconds\n1,0.1,0.25,,,,,,,2\n");
}

}  // namespace
}  // namespace spodnet
