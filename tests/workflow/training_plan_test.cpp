#include "spodnet/workflow/plan_data.hpp"

#include <gtest/gtest.h>

#include <Eigen/LU>
#include <cmath>

#include "spodnet/metrics/nmse.hpp"
#include "spodnet/workflow/raise_thresholds.hpp"
#include "spodnet/workflow/training_range.hpp"
#include "support/engine_calls.hpp"
#include "support/shaped_table.hpp"

namespace spodnet::test {
namespace {

TEST(TrainingPlan, DataAreCorrelationsWithTheTruthInTheSameUnits) {
  ThreadPool pool(2);
  TrainingPlan plan = quick_plan(7, 0);
  for (const bool kept : {false, true}) {
    plan.n = kept ? 3000 : 100000;  // so many samples that S is nearly the truth
    const DataSet data = plan_data(plan, 3, 6, kept, pool);
    for (std::size_t k = 0; k < 6; ++k) {
      EXPECT_EQ(data.S[k].diagonal(), Vector::Ones(7));
      const Matrix Theta = data.Theta_true[k], W = Theta.inverse();
      EXPECT_EQ(Theta, Matrix(Theta.transpose()));
      EXPECT_LT((Matrix(data.S[k]) - W).cwiseAbs().maxCoeff(), kept ? 0.3 : 0.05);
      if (kept) {
        EXPECT_LT((empirical_covariance(data.X[k]) - Matrix(data.S[k])).norm(), 1e-10);
      }
    }
    const DataSet later = plan_data(plan, 5, 1, kept, pool);
    EXPECT_EQ(later.S.values, std::vector<double>(data.S.data(2), data.S.data(3)));
  }
}

/// S = Lambda Lambda' + Theta^{-1} up to the noise of the samples: beside the truth's inverse S has
/// as many directions as there are causes, with their variances.
TEST(TrainingPlan, HiddenCausesStandBesideTheGraph) {
  ThreadPool pool(2);
  TrainingPlan plan = quick_plan(9, 40000);
  Matrix Lambda(9, 2);
  for (Eigen::Index j = 0; j < 9; ++j) Lambda.row(j) << 0.6, 0.1 * double(j % 3);
  const Vector asked =
      (Lambda.transpose() * Lambda).eval().selfadjointView<Eigen::Lower>().eigenvalues();
  const DataSet data = plan_data(plan, 0, 4, true, pool, &Lambda);
  for (std::size_t k = 0; k < 4; ++k) {
    const Matrix Theta = data.Theta_true[k], rest = Matrix(data.S[k]) - Matrix(Theta.inverse());
    const Vector found = rest.selfadjointView<Eigen::Lower>().eigenvalues();
    EXPECT_NEAR(found[8], asked[1], 0.1);
    EXPECT_NEAR(found[7], asked[0], 0.1);
    EXPECT_LT(found.head(7).cwiseAbs().maxCoeff(), 0.06);
    EXPECT_EQ(data.S[k].diagonal(), Vector::Ones(9));
    EXPECT_LT((Theta.array() == 0).count(), 72);
    EXPECT_GT((Theta.array() == 0).count(), 0);
  }
}

TEST(TrainingPlan, SignsAreOfBothKinds) {
  ThreadPool pool(1);
  const DataSet data = plan_data(quick_plan(8, 50), 0, 40, false, pool);
  double positive = 0, negative = 0;
  for (const double x : data.Theta_true.values) positive += x > 0, negative += x < 0;
  positive -= 40 * 8;  // diagonals
  EXPECT_NEAR(positive / (positive + negative), 0.5, 0.1);
}

TEST(TrainingPlan, SparsitiesGiveTheDensitiesTheyPromise) {
  ThreadPool pool(2);
  for (const std::size_t p : {10, 40}) {
    TrainingPlan plan = quick_plan(p, 50);
    plan.generator = {};
    const std::vector<double> levels = plan.alpha.values;
    const double pairs = double(p - 1) / 2;
    for (const bool densest : {false, true}) {
      plan.alpha = {{densest ? levels.back() : levels.front()}, false};
      const DataSet data = plan_data(plan, 0, 60, false, pool);
      double mean = 0;
      for (std::size_t k = 0; k < 60; ++k) mean += density(data.Theta_true[k]) / 60;
      EXPECT_NEAR(mean / (densest ? std::min(0.5, 10 / pairs) : 0.5 / pairs), 1, 0.35) << p;
    }
  }
}

/// Mean NMSE and F1 of the edges over a data set.
struct Quality {
  double nmse = 0, f1 = 0;
};

Quality quality(const Model& model, const DataSet& data) {
  Quality out;
  const double count = double(data.count());
  for (std::size_t k = 0; k < data.count(); ++k) {
    const Matrix Theta = estimate(model, data.S[k], data.n).Theta;
    out.nmse += nmse(Theta, data.Theta_true[k]) / count;
    out.f1 += support_scores(Theta, data.Theta_true[k]).f1_offdiag / count;
  }
  return out;
}

TEST(TrainingPlan, TrainsAModelThatBeatsNoGraphAndKnowsItsTraining) {
  ThreadPool pool(2);
  const TrainingPlan plan = quick_plan(8, 100);
  const PlannedModel trained = train_plan(plan, builtin_models(), pool);
  ASSERT_EQ(trained.status, Status::ok);
  const DataSet fresh = plan_data(plan, 5000, 40, false, pool);
  double no_graph = 0;
  for (std::size_t k = 0; k < 40; ++k)
    no_graph += nmse(Matrix::Identity(8, 8), fresh.Theta_true[k]) / 40;
  const double error = quality(*trained.model, fresh).nmse;
  EXPECT_LT(error, 0.7 * no_graph);
  EXPECT_NEAR(error, trained.valid_nmse, 0.6 * error);

  const auto again = plan_from_model(trained.model->config());
  ASSERT_TRUE(again);
  EXPECT_EQ(again->n, plan.n);
  EXPECT_TRUE(again->standardized);
  EXPECT_EQ(again->generator.families, plan.generator.families);
  EXPECT_FALSE(plan_from_model(ModelConfig{}));
}

TEST(TrainingRange, SaysInWordsWhatTheModelHasNotSeen) {
  ThreadPool pool(2);
  const TrainingPlan plan = quick_plan(8, 100);
  const auto model = builtin_models().make(plan.model);
  model->parameters().initialise(0);
  const ShapeRange range = training_range(*model, plan, 64, pool);
  const DataSet fresh = plan_data(plan, 5000, 10, false, pool);
  for (std::size_t k = 0; k < 10; ++k) {
    const Matrix S = fresh.S[k];
    const auto numbers = shape_numbers(S, estimate(*model, S, 100).Theta);
    for (const DataNote& note : range_warnings(numbers, 100, range, plan))
      ADD_FAILURE() << note.text;
  }
  const Matrix common = 0.01 * Matrix::Identity(8, 8) + 0.99 * Matrix::Ones(8, 8);
  ShapeNumbers numbers = shape_numbers(50 * common, Matrix::Ones(8, 8));
  EXPECT_NEAR(numbers.strongest, (8 * 0.99 + 0.01) / 8, 1e-9);
  EXPECT_NEAR(numbers.scale, 50, 1e-12);
  EXPECT_EQ(numbers.density, 1);
  const ShapeRange narrow{range.low, {1, 1, 0.5, 0.5}};
  EXPECT_EQ(range_warnings(numbers, 400, narrow, plan).size(), 4u);
}

TEST(RaiseThresholds, MakesTheGraphSparserAtABoundedCost) {
  ThreadPool pool(2);
  const TrainingPlan plan = quick_plan(8, 100);
  const DataSet data = plan_data(plan, 0, 200, false, pool);
  const DataSet judges = plan_data(plan, 900, 40, false, pool);
  const auto model = builtin_models().make(plan.model);
  model->parameters().initialise(0);
  TrainOptions options = plan.train;
  ASSERT_EQ(train(*model, samples(data), {}, options, pool).status, Status::ok);
  const Quality before = quality(*model, judges);
  const RaisedThresholds raised = raise_thresholds(*model, samples(judges), pool);
  const Quality after = quality(*model, judges);
  EXPECT_NEAR(raised.nmse, after.nmse, 1e-12);
  EXPECT_NEAR(raised.f1_offdiag, after.f1, 1e-12);
  EXPECT_GE(after.f1, before.f1);
  EXPECT_LE(after.nmse, 1.3 * before.nmse + 1e-12);
}

}  // namespace
}  // namespace spodnet::test
