#include "spodnet/train/validation.hpp"

#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>

#include "support/engine_calls.hpp"
#include "support/toy_data.hpp"
#include "support/toy_model.hpp"

namespace spodnet::test {
namespace {

// Every column from its definition, one sample after the other.
TEST(Validation, EqualsTheDefinitionsSampleBySample) {
  const ToyData data(6, 4);
  ModelConfig config;
  config.p = 4;
  ToyModel model(config);
  model.parameters().values = {0.2, 0.1, 0.1, 0.3};
  double nmse = 0, condition = 0, density = 0, eig_min = 1e300;
  for (const Sample& sample : data.samples) {
    const ConstMatrixMap S(sample.S, 4, 4), Theta_true(sample.Theta_true, 4, 4);
    const Matrix Theta = estimate(model, S, sample.n).Theta;
    nmse += (Theta - Theta_true).squaredNorm() / Theta_true.squaredNorm() / 6;
    const Vector eig = Eigen::SelfAdjointEigenSolver<Matrix>(Theta).eigenvalues();
    condition += eig.cwiseAbs().maxCoeff() / eig.cwiseAbs().minCoeff() / 6;
    eig_min = std::min(eig_min, eig[0]);
    density += 1.0 / 6;  // no entry of the toy's Theta is zero
  }
  for (const int threads : {1, 3}) {
    ThreadPool pool(threads);
    EpochRow row;
    validate(*model.make_cpu_engine({.pool = &pool}), data.samples, pool, row);
    EXPECT_NEAR(row.valid_nmse, nmse, 1e-12);
    EXPECT_NEAR(row.condition, condition, 1e-9 * condition);
    EXPECT_NEAR(row.eig_min, eig_min, 1e-12);
    EXPECT_NEAR(row.density, density, 1e-12);
    EXPECT_EQ(row.valid_f1, 1.0);
    EXPECT_EQ(row.valid_f1_offdiag, 1.0);
  }
}

}  // namespace
}  // namespace spodnet::test
