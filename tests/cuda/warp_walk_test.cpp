// UBG of up to 32 variables, one warp a matrix, against the CPU engine.
#include <gtest/gtest.h>

#include "cuda/gpu.hpp"
#include "spodnet/generate/dataset.hpp"
#include "support/hostile_covariance.hpp"

namespace spodnet::test {
namespace {

struct WarpCase {
  std::size_t p = 0, count = 1;
  int layers = 1;
  bool tied = false;
  Scaling scaling = Scaling::normalize;
  double zeta = 1, v_min = 1e-8;
};

std::unique_ptr<Model> warp_model(const WarpCase& c) {
  ModelConfig config{.model = "ubg", .p = c.p, .layers = c.layers, .tied = c.tied};
  config.scaling = c.scaling, config.zeta = c.zeta, config.v_min = c.v_min;
  auto model = builtin_models().make(config);
  model->parameters().initialise(3 + c.p);
  return model;
}

DataSet warp_data(const WarpCase& c) {
  ThreadPool pool(1);
  return generate_dataset({.p = c.p, .n = 100, .count = c.count, .seed = 40 + c.p}, pool);
}

/// The loss and the gradient of a list, and what they are on the other device.
std::vector<double> warp_gradient(Engine& engine, std::span<const std::uint32_t> which,
                                  double divisor, BatchLoss& loss) {
  std::vector<double> gradient(engine.model().parameters().values.size());
  loss = engine.loss_gradient(which, *builtin_loss("nmse"), divisor, gradient);
  return gradient;
}

void expect_warps_as_cpu(const WarpCase& c, double close = 1e-10) {
  SCOPED_TRACE("p = " + std::to_string(c.p) + ", " + std::to_string(c.count) + " matrices, K = " +
               std::to_string(c.layers) + (c.tied ? " tied " : " ") + to_string(c.scaling));
  const auto model = warp_model(c);
  const DataSet set = warp_data(c);
  const std::vector<Sample> data = samples(set);
  const auto gpu = make_engine(*model, {.device = "cuda"}), cpu = make_engine(*model);
  gpu->keep(data), cpu->keep(data);
  const auto all = all_of(c.count);
  BatchLoss got_loss, again_loss, expected_loss;
  const auto got = warp_gradient(*gpu, all, double(c.count), got_loss);
  const auto expected = warp_gradient(*cpu, all, double(c.count), expected_loss);
  EXPECT_EQ(got_loss.status, expected_loss.status);
  EXPECT_NEAR(got_loss.loss, expected_loss.loss, close * expected_loss.loss);
  EXPECT_LE(worst_tensor(*model, got, expected), close);
  shuffle_warps(c.p + 1);
  EXPECT_EQ(warp_gradient(*gpu, all, double(c.count), again_loss), got) << "the inverse is kept";
  const auto estimates = gpu->estimate(data, {.sparsity = 1.2});
  const auto oracle = cpu->estimate(data, {.sparsity = 1.2});
  for (std::size_t k = 0; k < c.count; ++k) {
    EXPECT_EQ(estimates[k].status, oracle[k].status);
    EXPECT_LE((estimates[k].Theta - oracle[k].Theta).norm(), close * oracle[k].Theta.norm());
    EXPECT_LE((estimates[k].W - oracle[k].W).norm(), close * oracle[k].W.norm());
    EXPECT_EQ(estimates[k].Theta, Matrix(estimates[k].Theta.transpose()));
  }
  shuffle_warps(0);
}

TEST(WarpWalk, EverySizeAsOnTheCpu) {
  SPODNET_NEEDS_GPU();
  for (std::size_t p = 1; p <= 32; ++p) {
    const bool noise = p == 2;  // scaled by q0 two variables leave a difference of equal numbers
    expect_warps_as_cpu({.p = p, .count = 1 + 7 * p % 13}, noise ? 1e-7 : 1e-10);
  }
  expect_warps_as_cpu({.p = 20, .count = 40});
  expect_warps_as_cpu({.p = 5, .count = 37});
}

/// Few matrices a test: for runs that look for races (emulation/README.md).
class WarpWalkOf : public testing::TestWithParam<std::size_t> {};

TEST_P(WarpWalkOf, OneAndTwoLayersAsOnTheCpu) {
  SPODNET_NEEDS_GPU();
  expect_warps_as_cpu({.p = GetParam(), .count = 2});
  expect_warps_as_cpu({GetParam(), 1, 2, true, Scaling::relative});
}

INSTANTIATE_TEST_SUITE_P(Sizes, WarpWalkOf, testing::Values(7, 8, 16, 19, 20, 24, 31, 32));

TEST(WarpWalk, LayersScalingsAndFloorsAsOnTheCpu) {
  SPODNET_NEEDS_GPU();
  for (const std::size_t p : {1, 4, 11, 20, 27})
    for (const Scaling scaling : {Scaling::clip, Scaling::relative, Scaling::none}) {
      expect_warps_as_cpu({p, 3, 2, false, scaling});
      expect_warps_as_cpu({p, 2, 3, true, scaling, 0.7});
      expect_warps_as_cpu({p, 2, 4, false, scaling, 1.5, 0.3});
    }
  for (const std::size_t p : {7, 20, 32}) {
    expect_warps_as_cpu({p, 5, 1, false, Scaling::normalize, 2.5, 0.4});
    expect_warps_as_cpu({p, 2, 2, false, Scaling::normalize});
    expect_warps_as_cpu(
        {p, 2, 5, false, Scaling::relative});  // more than its weights have room for
  }
}

/// Rows are added in the order of the list, so neither a batch nor the grid matters to them.
TEST(WarpWalk, TheSameBitsForAnyBatchAndOrder) {
  SPODNET_NEEDS_GPU();
  const WarpCase c{.p = 19, .count = 40};
  const auto model = warp_model(c);
  const DataSet set = warp_data(c);
  const std::vector<Sample> data = samples(set);
  const auto gpu = make_engine(*model, {.device = "cuda"});
  gpu->keep(data);
  const LossPtr loss = builtin_loss("mse");
  const std::size_t size = model->parameters().values.size();
  const auto all = all_of(c.count);
  std::vector<double> whole(size), again(size), sum(size), gradients;
  (void)gpu->loss_gradient(all, *loss, 40, whole);
  gpu->keep(data);
  for (const std::uint64_t seed : {1, 2, 3}) {
    shuffle_warps(seed);
    gpu->keep(data);
    (void)gpu->loss_gradient(all, *loss, 40, again);
    EXPECT_EQ(whole, again) << seed;
  }
  gpu->keep(data);
  std::vector<MatrixLoss> losses(all.size());
  for (const Part& part : gpu->parts(all, *loss)) {
    std::vector<double> each(size);
    gpu->part_gradients(all, {&part, 1}, *loss, 40, each, losses);
    gradients.insert(gradients.end(), each.begin(), each.end());
  }
  (void)sum_parts(gradients, losses, 40, sum);
  EXPECT_EQ(whole, sum);
  shuffle_warps(0);
}

/// Whatever comes: the CPU's status, and never a NaN that is called right.
TEST(WarpWalk, HostileInputsHaveTheCpusStatus) {
  SPODNET_NEEDS_GPU();
  RandomStream random(17);
  const LossPtr loss = builtin_loss("nmse");
  for (int k = 0; k < (kEmulated ? 150 : 1000); ++k) {
    const HostileCovariance input = hostile_covariance(32, random);
    const auto p = input.S.rows();
    const auto model = warp_model({.p = std::size_t(p), .scaling = Scaling(k % 4)});
    const Matrix truth = Matrix::Identity(p, p);
    const Sample sample{input.S.data(), truth.data(), std::size_t(p), double(input.n)};
    const auto gpu = make_engine(*model, {.device = "cuda"}), cpu = make_engine(*model);
    const auto got = gpu->estimate({&sample, 1}, {}), expected = cpu->estimate({&sample, 1}, {});
    EXPECT_EQ(got[0].status, expected[0].status) << k;
    EXPECT_EQ(got[0].Theta.allFinite(), expected[0].Theta.allFinite()) << k;
    gpu->keep({&sample, 1}), cpu->keep({&sample, 1});
    std::vector<double> gradient(model->parameters().values.size());
    const std::uint32_t zero = 0;
    const BatchLoss trained = gpu->loss_gradient({&zero, 1}, *loss, 1, gradient);
    double sum = trained.loss;
    for (const double d : gradient) sum += d;
    EXPECT_TRUE(trained.status != Status::ok || std::isfinite(sum)) << k;
    EXPECT_EQ(trained.status, cpu->loss_gradient({&zero, 1}, *loss, 1, gradient).status) << k;
  }
}

}  // namespace
}  // namespace spodnet::test
