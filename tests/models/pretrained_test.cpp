// The models that come with the library: any number of variables, any data, always SPD.
#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <cmath>
#include <iostream>
#include <numeric>

#include "spodnet/core/parallel.hpp"
#include "spodnet/generate/dataset.hpp"
#include "spodnet/metrics/nmse.hpp"
#include "spodnet/models/pretrained.hpp"
#include "support/engine_calls.hpp"
#include "support/hostile_covariance.hpp"

namespace spodnet::test {
namespace {

constexpr auto& kForms = kPretrainedForms;

TEST(Pretrained, FitsAnyNumberOfVariablesAndIsSmall) {
  std::size_t bytes = 0;
  for (const PretrainedForm form : kForms) {
    bytes += pretrained_file(to_string(form)).size();
    const auto model = pretrained_model(form);
    EXPECT_EQ(model->config().p, 0u);
    EXPECT_EQ(model->config().standardized,
              form == PretrainedForm::standardized || form == PretrainedForm::tables);
    for (const char* key : {"train.seed", "train.generator", "train.lr"})
      EXPECT_TRUE(model->config().info.contains(key)) << key;
  }
  EXPECT_LE(bytes, std::size_t(1) << 20);
  EXPECT_TRUE(pretrained_file("no such").empty());
}

DataSet papers_data(std::size_t p, std::size_t n, std::size_t count) {
  ThreadPool pool(1);
  DataSetOptions options;
  options.p = p, options.n = n, options.count = count, options.alpha = {{0.95}, false};
  options.seed = 77;
  return generate_dataset(options, pool);
}

/// Far better than the inverse covariance and the diagonal, as trained models are.
TEST(Pretrained, KnowsThePapersMatrices) {
  const DataSet data = papers_data(20, 100, 20);
  const double limit[] = {0.03, 0.04, 0.08, 0.08};
  for (const PretrainedForm form : kForms) {
    const auto model = pretrained_model(form);
    double error = 0;
    for (std::size_t k = 0; k < data.count(); ++k)
      error += nmse(estimate(*model, data.S[k], 100).Theta, data.Theta_true[k]) / 20;
    EXPECT_LT(error, limit[std::size_t(form)]) << to_string(form);
  }
}

TEST(Pretrained, TheScaleIsJudgedByTheVariances) {
  const auto known = [](const Matrix& S, double n) {
    EXPECT_TRUE(within_training_range(PretrainedForm::standardized, S, n));
    return std::pair(within_training_range(PretrainedForm::paper, S, n),
                     within_training_range(PretrainedForm::raw, S, n));
  };
  const Matrix S = papers_data(10, 50, 1).S[0];
  const std::pair both(true, true), raw_alone(false, true), none(false, false);
  EXPECT_EQ(known(S, 50), both);
  EXPECT_EQ(known(8 * S, 50), raw_alone);
  EXPECT_EQ(known(1e4 * S, 50), none);
  const Vector d = S.diagonal().cwiseSqrt().cwiseInverse();
  EXPECT_EQ(known(d.asDiagonal() * S * d.asDiagonal(), 50), none) << "standardised already";
  Matrix units = S;
  units.row(0) *= 1000, units.col(0) *= 1000;
  EXPECT_EQ(known(units, 50), none);
  EXPECT_EQ(known(Matrix::Zero(3, 3), 1), none);
  EXPECT_EQ(known(papers_data(330, 20, 1).S[0], 20), std::pair(true, false)) << "too large for raw";
}

TEST(Pretrained, OrderOfTheVariablesDoesNotMatter) {
  RandomStream random(4);
  const Matrix S = empirical_covariance(correlated_samples(60, 31, random));
  std::vector<std::uint32_t> order(31);
  std::iota(order.begin(), order.end(), 0u);
  random.shuffle(order);
  for (const PretrainedForm form : kForms) {
    const auto model = pretrained_model(form);
    EXPECT_EQ(estimate(*model, S(order, order), 60).Theta,
              Matrix(estimate(*model, S, 60).Theta(order, order)));
  }
}

/// More edges go as the dial turns; SPD at every stop.
TEST(Pretrained, DialOfSparsity) {
  RandomStream random(5);
  const Matrix S = empirical_covariance(correlated_samples(80, 40, random));
  for (const PretrainedForm form : kForms) {
    const auto model = pretrained_model(form);
    Eigen::Index before = 40 * 40 + 1;
    for (const double sparsity : {0.25, 0.5, 1.0, 2.0, 4.0}) {
      const Matrix Theta = estimate(*model, S, 80, sparsity).Theta;
      EXPECT_EQ(Eigen::LLT<Matrix>(Theta).info(), Eigen::Success);
      const Eigen::Index edges = (Theta.array() != 0).count();
      EXPECT_LE(edges, before) << to_string(form) << " " << sparsity;
      before = edges;
    }
  }
}

/// p log-uniform from 1 to 300, n from 1 on: symmetric, SPD by Cholesky, a true inverse.
TEST(Pretrained, TenThousandInputsOfEveryShape) {
  constexpr std::size_t kInputs = 10000;
  const std::unique_ptr<Model> models[] = {pretrained_model(kForms[0]), pretrained_model(kForms[1]),
                                           pretrained_model(kForms[2]),
                                           pretrained_model(kForms[3])};
  std::vector<std::string> wrong(kInputs);
  std::vector<double> residual(kInputs);
  std::vector<char> ok(kInputs);
  ThreadPool pool(0);
  pool.run(kInputs, [&](std::size_t k, int) {
    RandomStream random(61, k);
    const double most = std::exp(random.uniform(0, std::log(301.0)));
    const HostileCovariance data = hostile_covariance(std::size_t(most), random);
    const Estimate got = estimate(*models[k % 4], data.S, double(data.n));
    const bool usable = got.Theta.allFinite() && got.W.allFinite() &&
                        got.Theta == got.Theta.transpose() && got.W == got.W.transpose() &&
                        Eigen::LLT<Matrix>(got.Theta).info() == Eigen::Success;
    ok[k] = got.status == Status::ok, residual[k] = got.residual;
    if (!usable || (ok[k] && !(got.residual <= 1e-2)))
      wrong[k] = "p = " + std::to_string(data.S.rows()) + ", n = " + std::to_string(data.n);
  });
  for (std::size_t k = 0; k < kInputs; ++k) EXPECT_EQ(wrong[k], "") << "input " << k;
  const auto not_ok = kInputs - std::size_t(std::count(ok.begin(), ok.end(), 1));
  std::cout << not_ok << " not ok, largest |Theta W - I| "
            << *std::max_element(residual.begin(), residual.end()) << "\n";
  EXPECT_LE(not_ok, kInputs / 1000);
}

}  // namespace
}  // namespace spodnet::test
