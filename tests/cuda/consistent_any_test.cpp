// consistent-any on a GPU: its own formulas, and a start that the host makes.
#include <gtest/gtest.h>

#include "cuda/expect_same.hpp"
#include "spodnet/models/pretrained.hpp"
#include "support/hostile_covariance.hpp"
#include "support/mixed_data.hpp"

namespace spodnet::test {
namespace {

constexpr const char* kModel = "consistent-any";

/// From fewer samples than variables to so many that all that is learned has faded.
TEST(CudaConsistent, EveryNumberOfSamples) {
  SPODNET_NEEDS_GPU();
  for (const std::size_t p : {2, 12, 33, 45})
    for (const std::size_t n : {1 + p / 3, p, 2 * p, 20 * p, 1000 * p})
      expect_same({.model = kModel, .p = p, .n = n}, "mse", 2);
}

TEST(CudaConsistent, EverySize) {
  SPODNET_NEEDS_GPU();
  for (const std::size_t p : {1, 3, 20, 31, 32, 64, 65}) expect_same({.model = kModel, .p = p});
  for (const std::size_t p : {104, 105}) expect_same({.model = kModel, .p = p}, "nmse", 2);
  expect_same({.model = kModel, .p = 130}, "nmse", kEmulated ? 1 : 5);
}

TEST(CudaConsistent, LayersLossesAndNetworksThatAdapt) {
  SPODNET_NEEDS_GPU();
  for (const bool tied : {false, true})
    for (const std::size_t p : {1, 6, 40})
      expect_same({kModel, p, 3, tied, Scaling::relative, false, true, p + 3}, "mse", 3);
  for (const std::string& name : builtin_losses().names())
    expect_same({kModel, 24, 2, false, Scaling::relative, false, true, 60}, name, 2);
}

TEST(CudaConsistent, BatchesOfMixedSizesAndTheirParts) {
  SPODNET_NEEDS_GPU();
  const auto model = model_of({.model = kModel, .layers = 2});
  const MixedData data({3, 40, 8, 33, 2, 64, 20, 1, 50, 5, 9}, 3);
  const LossPtr loss = builtin_loss("nmse");
  const auto gpu = make_engine(*model, {.device = "cuda"}), cpu = make_engine(*model);
  gpu->keep(data.samples);
  cpu->keep(data.samples);
  const std::size_t size = model->parameters().values.size();
  std::vector<double> got(size), expected(size), sum(size), gradients;
  const std::vector<std::uint32_t> which = {4, 0, 9, 10, 2, 2, 7, 1, 3, 8, 6, 5};
  const BatchLoss whole = gpu->loss_gradient(which, *loss, 12, got);
  (void)cpu->loss_gradient(which, *loss, 12, expected);
  EXPECT_LE(worst_tensor(*model, got, expected), kClose);
  std::vector<MatrixLoss> losses(which.size());
  for (const Part& part : gpu->parts(which, *loss)) {
    std::vector<double> each(size);
    gpu->part_gradients(which, {&part, 1}, *loss, 12, each, losses);
    gradients.insert(gradients.end(), each.begin(), each.end());
  }
  EXPECT_EQ(sum_parts(gradients, losses, 12, sum).loss, whole.loss);
  EXPECT_EQ(sum, got);
}

TEST(CudaConsistent, ALossOfTheCallers) {
  SPODNET_NEEDS_GPU();
  ThreadPool pool(1);
  const auto model = model_of({.model = kModel, .layers = 2});
  const DataSet set = generate_dataset({.p = 20, .n = 30, .count = 4, .seed = 2}, pool);
  std::vector<double> gradients[2];
  MatrixBatch Theta[2], W[2];
  for (int k = 0; k < 2; ++k) {
    const auto engine = make_engine(*model, {.device = k ? "cuda" : "cpu"});
    Theta[k] = W[k] = MatrixBatch(4, 20, 20);
    gradients[k].resize(model->parameters().values.size());
    std::vector<Status> status(4);
    engine->forward(samples(set), Theta[k].data(0), W[k].data(0), status);
    engine->backward(set.Theta_true.data(0), gradients[k], nullptr);
    EXPECT_EQ(status, std::vector<Status>(4, Status::ok));
  }
  EXPECT_LE(worst_tensor(*model, gradients[1], gradients[0]), kClose);
  for (std::size_t k = 0; k < 4; ++k) {
    EXPECT_LE((Theta[1][k] - Theta[0][k]).norm(), kClose * Theta[0][k].norm());
    EXPECT_LE((W[1][k] - W[0][k]).norm(), kClose * W[0][k].norm());
  }
}

/// The model behind `pretrained:form=tables`, with more or fewer edges than it was trained for.
TEST(CudaConsistent, ThePretrainedModelOfTables) {
  SPODNET_NEEDS_GPU();
  const auto model = pretrained_model(PretrainedForm::tables);
  const auto gpu = make_engine(*model, {.device = "cuda"}), cpu = make_engine(*model);
  ASSERT_EQ(gpu->device(), "cuda:0");
  const MixedData data({10, 30, 60}, 17);
  for (const double sparsity : {0.7, 1.3}) {
    const auto got = gpu->estimate(data.samples, {.sparsity = sparsity});
    const auto expected = cpu->estimate(data.samples, {.sparsity = sparsity});
    for (std::size_t k = 0; k < got.size(); ++k)
      EXPECT_LE((got[k].Theta - expected[k].Theta).norm(), 1e-9 * expected[k].Theta.norm());
  }
}

TEST(CudaConsistent, HostileInputsHaveTheCpusStatus) {
  SPODNET_NEEDS_GPU();
  const auto model = model_of({.model = kModel, .layers = 2});
  const auto gpu = make_engine(*model, {.device = "cuda"}), cpu = make_engine(*model);
  RandomStream random(92);
  const LossPtr loss = builtin_loss("nmse");
  std::vector<double> gradient(model->parameters().values.size()), expected = gradient;
  for (int k = 0; k < (kEmulated ? 80 : 1000); ++k) {
    const HostileCovariance in = hostile_covariance(kEmulated ? 30 : 110, random);
    const Matrix truth = Matrix::Identity(in.S.rows(), in.S.rows());
    const Sample sample{.S = in.S.data(),
                        .Theta_true = truth.data(),
                        .p = std::size_t(in.S.rows()),
                        .n = double(in.n)};
    const std::uint32_t first = 0;
    gpu->keep({&sample, 1});
    cpu->keep({&sample, 1});
    const BatchLoss got = gpu->loss_gradient({&first, 1}, *loss, 1, gradient);
    EXPECT_EQ(got.status, cpu->loss_gradient({&first, 1}, *loss, 1, expected).status) << k;
    double sum = got.loss;
    for (const double d : gradient) sum += d;
    EXPECT_TRUE(got.status != Status::ok || std::isfinite(sum)) << k;
    const auto a = gpu->estimate({&sample, 1}, {}), b = cpu->estimate({&sample, 1}, {});
    EXPECT_EQ(a[0].status, b[0].status) << k;
    EXPECT_TRUE(a[0].Theta.allFinite() && a[0].W.allFinite()) << k;
  }
}

}  // namespace
}  // namespace spodnet::test
