#include "spodnet/workflow/bootstrap.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "spodnet/core/random.hpp"
#include "spodnet/metrics/edge_agreement.hpp"
#include "support/shaped_table.hpp"

namespace spodnet::test {
namespace {

struct Case {
  WorkingData data;
  std::shared_ptr<const Method> method = make_method("glasso:lambda=0.1", builtin_models());
  Matrix Theta, partial;
  std::vector<EdgePlace> edges;

  Case() : data(working_data(shaped_table(6, 80, 3).prepared(), true, {})) {
    Theta = method->estimate(problem_of(data, data.all)).Theta;
    partial = partial_correlations(Theta, Theta);
    edges = edges_of(Theta);
  }
  BootstrapResult run(const BootstrapOptions& options, int threads) const {
    ThreadPool pool(threads);
    return bootstrap(data, *method, edges, partial, options, pool);
  }
  /// Partial correlations of every edge in resample b, step by step.
  std::vector<double> by_hand(std::uint64_t b) const {
    RandomStream random(5, b + 1);
    Matrix rows(80, 6);
    for (Eigen::Index i = 0; i < 80; ++i) rows.row(i) = data.Y.row(Eigen::Index(random.below(80)));
    Matrix S = empirical_covariance(rows);
    const Vector scale = S.diagonal().cwiseSqrt().cwiseInverse();
    S = Matrix(scale.asDiagonal() * S * scale.asDiagonal());
    symmetrise(S);
    const Matrix fit = method->estimate({S, 80}).Theta;
    std::vector<double> values;
    for (const auto& [i, j] : edges)
      values.push_back(-fit(i, j) / std::sqrt(fit(i, i) * fit(j, j)));
    return values;
  }
};

TEST(Bootstrap, IsWhatResamplingByHandGives) {
  const Case c;
  ASSERT_GT(c.edges.size(), 2u);
  const BootstrapResult result = c.run({.resamples = 40, .seed = 5}, 1);
  std::vector<std::vector<double>> values;
  for (std::uint64_t b = 0; b < 40; ++b) values.push_back(c.by_hand(b));
  for (std::size_t e = 0; e < c.edges.size(); ++e) {
    std::vector<double> seen;
    double present = 0, same = 0;
    for (const auto& each : values) {
      seen.push_back(each[e]);
      present += each[e] != 0;
      same += each[e] * c.partial(c.edges[e].i, c.edges[e].j) > 0;
    }
    std::sort(seen.begin(), seen.end());
    EXPECT_EQ(result.edges[e].share, present / 40);
    EXPECT_EQ(result.edges[e].sign_agreement, present > 0 ? same / present : 0);
    EXPECT_NEAR(result.edges[e].low, quantile(seen, 0.025), 1e-6);
    EXPECT_NEAR(result.edges[e].high, quantile(seen, 0.975), 1e-6);
  }
}

TEST(Bootstrap, ErrorsAreTheSpreadOfThetaSTheta) {
  const Case c;
  std::vector<Matrix> S(30);
  const BootstrapResult result =
      c.run({.resamples = 30,
             .seed = 5,
             .Theta = &c.Theta,
             .each = [&](std::size_t b, const Estimate&, const Matrix& drawn) { S[b] = drawn; }},
            2);
  std::vector<double> values;
  double mean = 0, square = 0;
  for (const Matrix& each : S) {
    const Matrix T = c.Theta * each * c.Theta;
    values.push_back(T(0, 1) / std::sqrt(c.Theta(0, 0) * c.Theta(1, 1)));
    mean += values.back() / 30;
  }
  for (const double value : values) square += (value - mean) * (value - mean) / 30;
  EXPECT_NEAR(result.errors(0, 1), std::sqrt(square), 1e-10);
  EXPECT_EQ(result.errors, c.run({.resamples = 30, .seed = 5, .Theta = &c.Theta}, 1).errors);
  EXPECT_EQ(c.run({.resamples = 5}, 1).errors.size(), 0);
}

TEST(Bootstrap, IsTheSameForAnyNumberOfThreads) {
  const Case c;
  const auto a = c.run({.resamples = 30, .seed = 1}, 1).edges;
  const auto b = c.run({.resamples = 30, .seed = 1}, 3).edges;
  for (std::size_t e = 0; e < c.edges.size(); ++e) {
    EXPECT_EQ(a[e].share, b[e].share);
    EXPECT_EQ(a[e].low, b[e].low);
    EXPECT_EQ(a[e].high, b[e].high);
  }
}

TEST(Bootstrap, StopsOnRequest) {
  const std::atomic<bool> stop = true;
  EXPECT_TRUE(Case().run({.stop = &stop}, 1).interrupted);
}

TEST(Bootstrap, Quantiles) {
  const std::vector<double> values = {0, 1, 2, 3, 10};
  EXPECT_EQ(quantile(values, 0), 0);
  EXPECT_EQ(quantile(values, 1), 10);
  EXPECT_EQ(quantile(values, 0.5), 2);
  EXPECT_NEAR(quantile(values, 0.875), 6.5, 1e-12);
  EXPECT_EQ(quantile({4}, 0.3), 4);
}

TEST(WorkingData, PartsAreStandardisedByTheirOwnRowsAndUndoneExactly) {
  ShapedTable table = shaped_table(5, 60, 4);
  table.X.col(2) *= 1000;
  for (const bool standardize : {true, false}) {
    const WorkingData data = working_data(table.prepared(), standardize, {.seed = 7});
    const Matrix rows = data.Y.topRows(40), S = empirical_covariance(rows);
    const TrainingPart part = part_of(data, rows);
    const Matrix back = part.scale.asDiagonal() * part.S * part.scale.asDiagonal();
    EXPECT_LT((back - S).cwiseQuotient(S).cwiseAbs().maxCoeff(), 1e-10);
    EXPECT_LT((empirical_covariance(part.X) - part.S).cwiseAbs().maxCoeff(),
              1e-10 * part.S.diagonal().maxCoeff());
    if (standardize) {
      EXPECT_EQ(part.S.diagonal(), Vector::Ones(5));
    }
  }
}

/// The moments are those of the table, whatever order its rows are dealt in.
TEST(WorkingData, TheOrderOfRowsDoesNotChangeTheMoments) {
  ShapedTable table = shaped_table(5, 60, 9);
  table.X.col(1) = table.X.col(1).array().round();
  for (const TableKind kind : {TableKind::gaussian, TableKind::automatic}) {
    PrepareOptions options;
    options.kind = kind;
    const Prepared data = table.prepared(options);
    const TrainingPart one = working_data(data, true, {.seed = 1}).all,
                       other = working_data(data, true, {.seed = 2}).all;
    EXPECT_NE(one.X, other.X);
    EXPECT_EQ(one.S, other.S);
    EXPECT_EQ(one.S, data.moments.R);
    EXPECT_EQ(one.n, data.moments.n);
  }
}

TEST(WorkingData, ClustersAndWeightsMoveWithTheirRows) {
  ShapedTable table = shaped_table(3, 40, 8);
  PrepareOptions options;
  options.rows.weight = Vector::Ones(40);
  for (std::uint32_t i = 0; i < 40; ++i) {
    options.rows.cluster.push_back(i % 8);
    table.X(Eigen::Index(i), 2) = i % 8 + 0.01 * i;  // says where a row came from
    options.rows.weight[Eigen::Index(i)] = 1 + i % 8;
  }
  const WorkingData data = working_data(table.prepared(options), false, {.seed = 3});
  ASSERT_EQ(data.blocks.size(), 8u);
  EXPECT_TRUE(data.clusters);
  for (const RowList& block : data.blocks) {
    ASSERT_EQ(block.size(), 5u);
    for (const std::uint32_t row : block) {
      EXPECT_EQ(std::floor(data.Y(row, 2)), std::floor(data.Y(block[0], 2)));
      EXPECT_EQ(data.weight[row], 1 + std::floor(data.Y(row, 2)));
      EXPECT_EQ(row / 5, block[0] / 5);  // and stand together, for folds in order
    }
  }
  const Matrix rows = data.Y(data.blocks[0], Eigen::all);
  const TrainingPart part = part_of(data, data.blocks[0]);
  EXPECT_LT((part.mean - rows.colwise().mean().transpose()).norm(), 1e-12);
}

TEST(WorkingData, AColumnConstantInAPartIsUncorrelatedThere) {
  const WorkingData data = working_data(shaped_table(4, 40, 5).prepared(), true, {});
  Matrix rows = data.Y.topRows(20);
  rows.col(1).setConstant(3);
  const TrainingPart part = part_of(data, rows);
  EXPECT_EQ(part.scale[1], data.scale[1]);
  for (Eigen::Index j = 0; j < 4; ++j) EXPECT_EQ(part.S(1, j), j == 1);
}

TEST(WorkingData, MissingValuesAreFilledForMethodsThatSplitSamples) {
  ShapedTable table = shaped_table(4, 60, 6);
  for (Eigen::Index i = 0; i < 60; i += 7) table.X(i, i % 4) = std::nan("");
  const WorkingData data = working_data(table.prepared(), true, {});
  EXPECT_TRUE(data.Y.hasNaN());
  EXPECT_FALSE(data.all.X.hasNaN());
  EXPECT_EQ(data.all.X.rows(), 60);
  EXPECT_LT((empirical_covariance(data.all.X) - data.all.S).cwiseAbs().maxCoeff(), 0.1);
}

}  // namespace
}  // namespace spodnet::test
