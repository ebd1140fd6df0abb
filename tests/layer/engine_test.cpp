// The same numbers whatever the threads, the batch, the instruction set or the engine.
#include <gtest/gtest.h>

#include <thread>

#include "layer/layer_case.hpp"
#include "spodnet/core/error.hpp"
#include "spodnet/core/kernels.hpp"
#include "spodnet/models/network.hpp"
#include "spodnet/models/pnp.hpp"
#include "spodnet/models/ubg.hpp"
#include "support/engine_calls.hpp"
#include "support/instruction_sets.hpp"

namespace spodnet::test {
namespace {

struct Step {
  BatchLoss loss;
  std::vector<double> gradient;
};

Step step(const Model& model, std::span<const Sample> batch, int threads = 1,
          const std::string& loss = "mse") {
  ThreadPool pool(threads);
  Step out;
  out.gradient.resize(model.parameters().values.size());
  out.loss = loss_gradient(model, batch, out.gradient, pool, loss);
  EXPECT_EQ(out.loss.status, Status::ok);
  return out;
}

/// The mean over a batch, one matrix at a time.
Step loop_of_ones(const Model& model, std::span<const Sample> batch,
                  const std::string& loss = "mse") {
  Step sum;
  sum.gradient.assign(model.parameters().values.size(), 0.0);
  const double share = 1.0 / double(batch.size());
  for (const Sample& sample : batch) {
    const Step one = step(model, {&sample, 1}, 1, loss);
    sum.loss.loss += share * one.loss.loss;
    sum.loss.nmse += share * one.loss.nmse;
    for (std::size_t k = 0; k < sum.gradient.size(); ++k)
      sum.gradient[k] += share * one.gradient[k];
  }
  return sum;
}

void expect_same(const Model& model, const Step& a, const Step& b, double tolerance) {
  EXPECT_NEAR(a.loss.loss, b.loss.loss, tolerance * b.loss.loss);
  EXPECT_NEAR(a.loss.nmse, b.loss.nmse, tolerance * b.loss.nmse);
  EXPECT_LE(gradient_distance(model.parameters(), b.gradient, a.gradient), 1e3 * tolerance);
}

class EngineTest : public testing::TestWithParam<LayerCase> {
 protected:
  const LayerCase c = GetParam();
  const std::unique_ptr<Model> model = random_model(c);
  const ToyData data{23, c.p, 5};
};

TEST_P(EngineTest, AnyNumberOfThreadsBitForBit) {
  const Step one = step(*model, data.samples);
  for (int threads : {2, 5}) {
    const Step many = step(*model, data.samples, threads);
    EXPECT_EQ(many.loss.loss, one.loss.loss);
    EXPECT_EQ(many.loss.nmse, one.loss.nmse);
    EXPECT_EQ(many.gradient, one.gradient);
  }
}

TEST_P(EngineTest, IsAsGoodAsNewAfterOtherBatches) {
  const Step fresh = step(*model, std::span(data.samples).first(7));
  const auto engine = model->make_cpu_engine({.threads = 2});
  std::vector<double> gradient(fresh.gradient.size());
  for (std::size_t count : {23, 1, 7, 10, 7}) {
    const auto loss = loss_gradient(*engine, std::span(data.samples).first(count), gradient);
    EXPECT_EQ(loss.status, Status::ok);
    if (count == 7) {
      EXPECT_EQ(gradient, fresh.gradient);
    }
  }
}

TEST_P(EngineTest, ABatchIsALoopOfOnes) {
  for (std::size_t count : {1, 2, 3, 4, 5, 6, 8, 9, 11, 12, 13, 16, 17, 23}) {
    SCOPED_TRACE(count);
    const auto batch = std::span(data.samples).first(count);
    expect_same(*model, step(*model, batch), loop_of_ones(*model, batch), 1e-12);
  }
}

TEST_P(EngineTest, EveryInstructionSetAgrees) {
  force_kernels("baseline");
  const Step plain = step(*model, data.samples);
  const Estimate one = estimate(*model, data.S[0], 50);
  for (const std::string& name : instruction_sets()) {
    SCOPED_TRACE(name);
    force_kernels(name);
    expect_same(*model, step(*model, data.samples), plain, 1e-11);
    const Estimate got = estimate(*model, data.S[0], 50);
    EXPECT_LE((got.Theta - one.Theta).norm(), 1e-11 * one.Theta.norm());
    EXPECT_LE((got.W - one.W).norm(), 1e-11 * one.W.norm());
  }
  force_kernels("");
}

TEST_P(EngineTest, TrainingAndEstimatingSeeTheSameMatrix) {
  double loss = 0;
  for (std::size_t k = 0; k < data.samples.size(); ++k)
    loss += (estimate(*model, data.S[k], 50).Theta - data.Theta_true[k]).squaredNorm();
  EXPECT_NEAR(step(*model, data.samples).loss.loss, loss / double(data.samples.size()),
              1e-11 * loss);
}

TEST_P(EngineTest, TheRelativeLossDividesEachMatrixByItsTruth) {
  const auto batch = std::span(data.samples).first(13);
  Step expected;
  expected.gradient.assign(model->parameters().values.size(), 0.0);
  for (const Sample& sample : batch) {
    const auto p = Eigen::Index(c.p);
    const double share = 1 / (13 * ConstMatrixMap(sample.Theta_true, p, p).squaredNorm());
    const Step one = step(*model, {&sample, 1});
    expected.loss.loss += share * one.loss.loss;
    for (std::size_t k = 0; k < expected.gradient.size(); ++k)
      expected.gradient[k] += share * one.gradient[k];
  }
  expected.loss.nmse = expected.loss.loss;
  const Step relative = step(*model, batch, 1, "nmse");
  expect_same(*model, relative, expected, 1e-12);
  expect_same(*model, relative, loop_of_ones(*model, batch, "nmse"), 1e-12);
}

TEST_P(EngineTest, SeveralThreadsMayUseOneModel) {
  const std::size_t count = 6;
  std::vector<Estimate> alone(count), together(count);
  for (std::size_t k = 0; k < count; ++k) alone[k] = estimate(*model, data.S[k], 50);
  const Step training = step(*model, data.samples);
  std::vector<Step> trainings(2);
  std::vector<std::thread> threads;
  for (std::size_t k = 0; k < count; ++k)
    threads.emplace_back([&, k] { together[k] = estimate(*model, data.S[k], 50); });
  for (Step& result : trainings)
    threads.emplace_back([&] { result = step(*model, data.samples, 2); });
  for (std::thread& thread : threads) thread.join();
  for (std::size_t k = 0; k < count; ++k) {
    EXPECT_EQ(together[k].Theta, alone[k].Theta);
    EXPECT_EQ(together[k].W, alone[k].W);
  }
  for (const Step& result : trainings) EXPECT_EQ(result.gradient, training.gradient);
}

/// Matrices that make W drift (data in very small units) are refreshed, and in a batch of many do
/// not disturb the others.
TEST_P(EngineTest, BadlyScaledMatricesInABatchAreTakenCareOf) {
  MatrixBatch S = data.S;
  std::vector<Sample> samples = data.samples;
  for (std::size_t k = 0; k < S.count; ++k) {
    if (k % 4 == 1) S[k] *= 1e9;
    samples[k].S = S.data(k);
  }
  const Step all = step(*model, samples), ones = loop_of_ones(*model, samples);
  EXPECT_NEAR(all.loss.loss, ones.loss.loss, 1e-9 * ones.loss.loss);
  EXPECT_LE(distance(all.gradient, ones.gradient), 1e-6 * norm(ones.gradient));
}

/// UBG as any other rule, one matrix at a time.
struct OneAtATime : UbgRule {
  using UbgRule::UbgRule;
};

/// The same with the layer's short cuts.
template <class Rule>
struct InOnePass : Rule {
  using OnePass = InOnePass;
  using Rule::Rule;
};

template <class Rule>
struct StepByStep : Rule {
  using Rule::Rule;
};

template <class Rule>
void expect_short_cuts_change_nothing(const LayerCase& c) {
  SCOPED_TRACE(testing::PrintToString(c));
  static_assert(OnePassRule<Rule> && OnePassRule<InOnePass<Rule>>);
  static_assert(!OnePassRule<StepByStep<Rule>>);
  const RuleShape shape{c.p, {}};
  Network<InOnePass<Rule>> quick(c.config(), InOnePass<Rule>(shape));
  Network<StepByStep<Rule>> plain(c.config(), StepByStep<Rule>(shape));
  quick.parameters().values = plain.parameters().values = random_model(c)->parameters().values;
  const ToyData data(13, c.p, 6);
  const Step a = step(quick, data.samples), b = step(plain, data.samples);
  EXPECT_NEAR(a.loss.loss, b.loss.loss, 1e-12 * b.loss.loss);
  EXPECT_LE(distance(a.gradient, b.gradient), 1e-10 * norm(b.gradient));
}

TEST(Engines, ShortCutsOfARuleChangeNothing) {
  for (const LayerCase& c : all_layer_cases({2, 8, 13})) {
    if (c.model == "ubg") expect_short_cuts_change_nothing<UbgRule>(c);
    if (c.model == "pnp") expect_short_cuts_change_nothing<PnpRule>(c);
  }
}

/// UBG has a second engine at small p: both give the same loss and gradient, on calm matrices and
/// on those that it must hand over.
TEST(Engines, LanesAndOneAtATimeAgree) {
  for (const LayerCase& c : all_layer_cases({2, 3, 7, 8, 13, 24, 40}))
    for (double scale : {1.0, 1e7}) {
      if (c.model != "ubg" || (scale > 1 && c.scaling == Scaling::none)) continue;
      SCOPED_TRACE(testing::PrintToString(c) + " scale " + std::to_string(scale));
      const auto lanes = random_model(c);
      Network<OneAtATime> plain(c.config(), OneAtATime(RuleShape{c.p, {}}));
      plain.parameters().values = lanes->parameters().values;
      ToyData data(13, c.p, 6);
      for (std::size_t k = 2; k < data.S.count; k += 5) data.S[k] *= scale;
      for (const char* loss : {"mse", "nmse"}) {
        const Step a = step(*lanes, data.samples, 1, loss), b = step(plain, data.samples, 1, loss);
        EXPECT_NEAR(a.loss.loss, b.loss.loss, 1e-9 * b.loss.loss);
        EXPECT_LE(distance(a.gradient, b.gradient), 1e-7 * norm(b.gradient));
      }
    }
}

std::vector<LayerCase> cases() {
  std::vector<LayerCase> all;
  for (const char* model : {"ubg", "pnp", "e2e"})
    for (std::size_t p : {3, 6, 20, 43}) {
      all.push_back({.model = model, .p = p, .learn_offset = true});
      all.push_back({.model = model, .p = p, .scaling = Scaling::clip, .layers = 2});
    }
  return all;
}

INSTANTIATE_TEST_SUITE_P(Cases, EngineTest, testing::ValuesIn(cases()));

}  // namespace
}  // namespace spodnet::test
