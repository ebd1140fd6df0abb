// The engine on a GPU, a real or the emulated one, against the CPU's, which is its oracle.
#include <gtest/gtest.h>

#include "cuda/expect_same.hpp"
#include "spodnet/models/pretrained.hpp"
#include "support/hostile_covariance.hpp"
#include "support/mixed_data.hpp"
#include "support/random_constraints.hpp"

namespace spodnet::test {
namespace {

TEST(CudaEngine, EveryModelAndSizeAsOnTheCpu) {
  SPODNET_NEEDS_GPU();
  const Sizes most = {1, 3, 7, 20, 32, 33, 50, 64, 65, 90, 100, 104, 105, 130};
  for (const char* model : {"ubg", "pnp", "e2e", "ubg-any", "pnp-any"})
    for (const std::size_t p : kEmulated ? Sizes{1, 2, 3, 7, 20, 31, 32, 33, 50} : most)
      expect_same({.model = model, .p = p});
}

/// Where a warp, a block and a group of blocks are full, or not quite.
TEST(CudaEngine, TheEdgesOfTheSizes) {
  SPODNET_NEEDS_GPU();
  for (const std::size_t p : {63, 64, 65, 104, 105}) {
    expect_same({.model = "ubg", .p = p}, "mse", p > 64 ? 2 : 5);
    expect_same({.model = "pnp-any", .p = p}, "mse", 2);
  }
  for (const std::size_t p : {64, 65}) expect_same({.model = "e2e", .p = p}, "mse", 2);
  expect_same({.model = "ubg", .p = 90}, "mse", 6);
}

/// Many multiprocessors a matrix.
TEST(CudaEngine, LargeMatricesAsOnTheCpu) {
  SPODNET_NEEDS_GPU();
  if (kEmulated) {
    expect_same({"ubg", 130, 1, false, Scaling::relative, true}, "nmse", 3);
    expect_same({"e2e", 129, 1, false, Scaling::relative, true}, "mse", 1);
    expect_same({"pnp-any", 131, 2, false, Scaling::relative, true, true}, "log-stein", 1);
    return;
  }
  for (const char* model : {"ubg", "pnp", "e2e", "ubg-any", "pnp-any"}) {
    for (const std::size_t p : {129, 181, 256, 300})
      expect_same({.model = model, .p = p}, "mse", 3);
    expect_same({model, 150, 2, false, Scaling::relative, true}, "nmse", 3);
    expect_same({model, 140, 3, true, Scaling::clip, false}, "mse", 3);
  }
  for (const char* model : {"ubg-any", "pnp-any"})
    expect_same({model, 170, 3, false, Scaling::relative, true, true}, "nmse", 3);
  expect_same({"pnp-any", 111, 2, false, Scaling::relative, true, true}, "log-stein", 5);
}

TEST(CudaEngine, AThousandVariablesAsOnTheCpu) {
  SPODNET_NEEDS_GPU();
  if (kEmulated) GTEST_SKIP() << "hours in emulation";
  for (const char* model : {"ubg", "pnp", "pnp-any"})
    expect_same({model, 1000, 1, false, Scaling::relative}, "mse", 2);
}

TEST(CudaEngine, LayersScalingsAndOffsetsAsOnTheCpu) {
  SPODNET_NEEDS_GPU();
  constexpr std::size_t kLayered = kEmulated ? 2 : 9;
  for (const char* model : {"ubg", "pnp", "e2e", "ubg-any", "pnp-any"})
    for (const Scaling scaling : {Scaling::normalize, Scaling::clip, Scaling::relative})
      for (const std::size_t p : kEmulated ? Sizes{1, 6, 35} : Sizes{1, 6, 40, 70}) {
        expect_same({model, p, 2, false, scaling, true}, "mse", kLayered);
        if (scaling !=
            Scaling::normalize)  // tied, it makes Theta ill-conditioned from layer to layer
          expect_same({model, p, 3, true, scaling, false}, "mse", kLayered);
      }
  for (const std::size_t p : {5, 36, 80})
    for (const char* model : {"ubg-any", "pnp-any"})
      expect_same({model, p, 3, false, Scaling::relative, true, true}, "mse",
                  p > 50 && kEmulated ? 1 : kLayered);
}

TEST(CudaEngine, EveryLossAsOnTheCpu) {
  SPODNET_NEEDS_GPU();
  for (const std::string& name : builtin_losses().names()) {
    expect_same({"ubg", 24, 2, false, Scaling::clip, true}, name);
    expect_same({"pnp-any", 40, 2, false, Scaling::relative, true, true}, name, kEmulated ? 2 : 9);
  }
}

TEST(CudaEngine, BatchesOfMixedSizesAndTheirParts) {
  SPODNET_NEEDS_GPU();
  const auto model = model_of({"pnp-any", 0, 2, false, Scaling::relative, true, true});
  const MixedData data({3, 40, 70, 8, 110, 33, 2, 100, 64, 20, 1, 90}, 3);
  const LossPtr loss = builtin_loss("nmse");
  const auto gpu = make_engine(*model, {.device = "cuda"}), cpu = make_engine(*model);
  gpu->keep(data.samples);
  cpu->keep(data.samples);
  const std::size_t size = model->parameters().values.size();
  std::vector<double> got(size), expected(size), sum(size);
  const std::vector<std::uint32_t> which = {4, 0, 9, 10, 2, 2, 7, 1, 3, 8, 6, 5, 11};
  const BatchLoss whole = gpu->loss_gradient(which, *loss, 13, got);
  (void)cpu->loss_gradient(which, *loss, 13, expected);
  EXPECT_LE(worst_tensor(*model, got, expected), kClose);
  std::vector<MatrixLoss> losses(which.size());
  std::vector<double> gradients;
  for (const Part& part : gpu->parts(which, *loss)) {
    std::vector<double> each(size);
    gpu->part_gradients(which, {&part, 1}, *loss, 13, each, losses);
    gradients.insert(gradients.end(), each.begin(), each.end());
  }
  EXPECT_EQ(sum_parts(gradients, losses, 13, sum).loss, whole.loss);
  EXPECT_EQ(sum, got);
}

/// Losses and gradients of matrices one by one: the CPU's status, and never a NaN that is called
/// right. (The identity is as good a truth as any.)
void hostile_training(const Model& model, std::vector<Sample> samples) {
  std::vector<Matrix> truth;
  for (Sample& each : samples) {
    const auto p = Eigen::Index(each.p);
    truth.push_back(Matrix::Identity(p, p));
    each.Theta_true = truth.back().data();
  }
  const auto gpu = make_engine(model, {.device = "cuda"}), cpu = make_engine(model, {.threads = 0});
  gpu->keep(samples);
  cpu->keep(samples);
  const LossPtr loss = builtin_loss("nmse");
  std::vector<double> gradient(model.parameters().values.size());
  for (std::uint32_t k = 0; k < samples.size(); ++k) {
    const BatchLoss got = gpu->loss_gradient({&k, 1}, *loss, 1, gradient);
    double sum = got.loss;
    for (const double d : gradient) sum += d;
    EXPECT_TRUE(got.status != Status::ok || std::isfinite(sum)) << k;
    EXPECT_EQ(got.status, cpu->loss_gradient({&k, 1}, *loss, 1, gradient).status) << k;
  }
}

/// Whatever comes: the CPU's status, and never a NaN that is called right.
TEST(CudaEngine, HostileInputsHaveTheCpusStatus) {
  SPODNET_NEEDS_GPU();
  for (const char* name : {"ubg-any", "pnp-any"}) {
    const auto model = model_of({name, 0, 2, false, Scaling::relative, true});
    std::vector<HostileCovariance> inputs;
    std::vector<Sample> samples;
    RandomStream random(91);
    for (int k = 0; k < (kEmulated ? 80 : 1000); ++k)
      inputs.push_back(hostile_covariance(k % 4 ? 40 : 110, random));
    for (const HostileCovariance& each : inputs)
      samples.push_back({.S = each.S.data(), .p = std::size_t(each.S.rows()), .n = double(each.n)});
    const auto got = make_engine(*model, {.device = "cuda"})->estimate(samples, {});
    const auto expected = make_engine(*model, {.threads = 0})->estimate(samples, {});
    for (std::size_t k = 0; k < samples.size(); ++k) {
      EXPECT_EQ(got[k].status, expected[k].status) << k;
      EXPECT_TRUE(got[k].Theta.allFinite() && got[k].W.allFinite()) << k;
      EXPECT_LE(got[k].residual, 0.1) << k;
    }
    hostile_training(*model, samples);
  }
}

/// Theta, W and the gradient of the loss sum(Theta . C) of a caller on one device.
struct CallersLoss {
  MatrixBatch Theta, W;
  std::vector<double> gradient;
  std::vector<Status> status;

  CallersLoss(Engine& engine, std::span<const Sample> data)
      : Theta(data.size(), data[0].p, data[0].p),
        W(data.size(), data[0].p, data[0].p),
        gradient(engine.model().parameters().values.size()),
        status(data.size()) {
    engine.forward(data, Theta.data(0), W.data(0), status);
    MatrixBatch C(data.size(), data[0].p, data[0].p);
    for (std::size_t k = 0; k < data.size(); ++k)
      for (Eigen::Index i = 0; i < C[k].rows(); ++i)
        for (Eigen::Index j = 0; j < C[k].cols(); ++j)
          C[k](i, j) = std::cos(double(k) + double(i + j) + 0.1 * double(i * j));
    engine.backward(C.data(0), gradient, nullptr);
  }
};

TEST(CudaEngine, ALossOfTheCallersAsOnTheCpu) {
  SPODNET_NEEDS_GPU();
  ThreadPool pool(1);
  for (const char* name : {"ubg", "pnp", "e2e", "ubg-any", "pnp-any"})
    for (const std::size_t p : kEmulated ? Sizes{1, 5, 40} : Sizes{1, 5, 40, 100, 106}) {
      SCOPED_TRACE(name + std::string(" p = ") + std::to_string(p));
      const double close = close_for(p, Scaling::clip);
      const auto model = model_of({name, p, 2, false, Scaling::clip, true});
      const DataSet set =
          generate_dataset({.p = p, .n = 100, .count = kCount + 2, .seed = p}, pool);
      const std::vector<Sample> data = samples(set);
      const auto gpu = make_engine(*model, {.device = "cuda"}), cpu = make_engine(*model);
      const CallersLoss got(*gpu, data), again(*gpu, data), expected(*cpu, data);
      EXPECT_EQ(got.status, expected.status);
      for (std::size_t k = 0; k < data.size(); ++k) {
        EXPECT_LE((got.Theta[k] - expected.Theta[k]).norm(), close * expected.Theta[k].norm());
        EXPECT_LE((got.W[k] - expected.W[k]).norm(), close * expected.W[k].norm());
      }
      EXPECT_LE(worst_tensor(*model, got.gradient, expected.gradient), close);
      EXPECT_EQ(got.gradient, again.gradient) << "the same bits from run to run";
      std::vector<double> second(got.gradient.size());
      gpu->backward(got.Theta.data(0), second, nullptr);
      EXPECT_EQ(second, std::vector<double>(second.size())) << "a backward counts once";
    }
}

/// The CPU computes it, whichever device went forward.
TEST(CudaEngine, TheGradientOfTheCovariance) {
  SPODNET_NEEDS_GPU();
  ThreadPool pool(1);
  const auto model = model_of({"ubg", 12, 2, false, Scaling::clip});
  const DataSet set = generate_dataset({.p = 12, .n = 100, .count = 3, .seed = 2}, pool);
  const std::vector<Sample> data = samples(set);
  std::vector<MatrixBatch> d_S(2, MatrixBatch(3, 12, 12));
  std::vector<double> gradient(model->parameters().values.size());
  for (int k = 0; k < 2; ++k) {
    const auto engine = make_engine(*model, {.device = k ? "cuda" : "cpu"});
    MatrixBatch Theta(3, 12, 12), W(3, 12, 12);
    std::vector<Status> status(3);
    engine->forward(data, Theta.data(0), W.data(0), status);
    engine->backward(set.Theta_true.data(0), gradient, d_S[std::size_t(k)].data(0));
  }
  for (std::size_t k = 0; k < 3; ++k) EXPECT_EQ(Matrix(d_S[0][k]), Matrix(d_S[1][k]));
}

TEST(CudaEngine, ConstraintsAreTheCpus) {
  SPODNET_NEEDS_GPU();
  const auto model = model_of({"ubg-any", 0, 2, false, Scaling::relative});
  MixedData data({12, 12}, 8);
  RandomStream random(4);
  const Constraints constraints = random_constraints(12, random);
  data.samples[1].constraints = &constraints;
  const auto got = make_engine(*model, {.device = "cuda"})->estimate(data.samples, {});
  EXPECT_TRUE(constraints.hold(got[1].Theta));
}

TEST(CudaEngine, ThePretrainedModels) {
  SPODNET_NEEDS_GPU();
  for (const auto form :
       {PretrainedForm::paper, PretrainedForm::raw, PretrainedForm::standardized}) {
    const auto model = pretrained_model(form);
    const MixedData data({10, 60, 100}, 17);
    const auto got =
        make_engine(*model, {.device = "cuda"})->estimate(data.samples, {.sparsity = 1.3});
    const auto expected = make_engine(*model)->estimate(data.samples, {.sparsity = 1.3});
    for (std::size_t k = 0; k < got.size(); ++k)
      EXPECT_LE((got[k].Theta - expected[k].Theta).norm(), 1e-9 * expected[k].Theta.norm());
  }
}

TEST(CudaEngine, ADeviceThatIsNotThereIsSaidSo) {
  const auto model = model_of({"ubg", 5});
  for (const char* device : {"cuda:99", "gpu", "cuda:", "cuda:x"})
    EXPECT_THROW((void)make_engine(*model, {.device = device}), std::exception) << device;
  EXPECT_EQ(make_engine(*model, {.device = "auto"})->device(), has_gpu() ? "cuda:0" : "cpu");
}

}  // namespace
}  // namespace spodnet::test
