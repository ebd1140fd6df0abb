#include "spodnet/estimators/tiger.hpp"

#include <gtest/gtest.h>

#include <Eigen/LU>
#include <functional>

#include "spodnet/estimators/clime.hpp"
#include "spodnet/metrics/likelihood.hpp"
#include "support/expect_error.hpp"
#include "support/random_covariance.hpp"
#include "support/worse.hpp"

namespace spodnet {
namespace {

using test::expect_error;

/// The KKT conditions of the square-root lasso, read off its column theta of a precision matrix:
/// sigma^2 = 1 / (theta_j S_jj), b_l = -sigma^2 theta_l sqrt(S_ll S_jj).
double kkt_violation(const Matrix& S, Eigen::Index j, double lambda, const Vector& theta) {
  const Vector d = S.diagonal().cwiseSqrt();
  const Matrix R = d.cwiseInverse().asDiagonal() * S * d.cwiseInverse().asDiagonal();
  const double variance = 1 / (theta[j] * S(j, j));
  Vector b = -variance * d[j] * theta.cwiseProduct(d);
  b[j] = 0;
  const Vector gradient = (R.col(j) - R * b) / std::sqrt(variance);
  double worst = std::abs(1 - 2 * R.col(j).dot(b) + b.dot(R * b) - variance) / variance;
  for (Eigen::Index l = 0; l < S.rows(); ++l)
    if (l != j)
      worst = test::worse(worst, b[l] == 0 ? std::max(std::abs(gradient[l]) - lambda, 0.0)
                                           : std::abs(gradient[l] - std::copysign(lambda, b[l])));
  return worst;
}

TEST(Tiger, ColumnsMeetTheKktConditions) {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    const test::GlassoProblem problem = test::random_glasso_problem(seed);
    if (seed % 3 == 0) continue;  // equal variables determine each other: below
    const Matrix& S = problem.S;
    const double theory = tiger_lambda(S.rows(), double(problem.n));
    for (double lambda : {0.3 * theory, theory, 3 * theory}) {
      const ColumnsResult fit = tiger(S, lambda);
      if (fit.status == Status::not_converged) continue;
      EXPECT_LT(fit.violation, 1e-6) << seed;
      for (Eigen::Index j = 0; j < S.rows(); ++j)
        EXPECT_LT(kkt_violation(S, j, lambda, tiger_column(S, j, lambda)), 1e-6) << seed;
    }
    EXPECT_NE(tiger(S, 3 * theory).status, Status::not_converged) << seed;
  }
}

TEST(Tiger, JoinsItsColumns) {
  const Matrix S = test::covariance(12, 30, 2);
  Matrix B(12, 12);
  for (Eigen::Index j = 0; j < 12; ++j) B.row(j) = tiger_column(S, j, 0.2).transpose();
  EXPECT_EQ(tiger(S, 0.2).Theta, join_columns(B, 0.2).Theta);
}

TEST(Tiger, LambdaZeroIsTheInverse) {
  const Matrix S = test::covariance(8, 60, 5);
  const ColumnsResult fit = tiger(S, 0);
  EXPECT_EQ(fit.status, Status::ok);
  EXPECT_LT((fit.Theta - S.inverse()).norm(), 1e-6 * fit.Theta.norm());
}

TEST(Tiger, UnitsOfTheVariablesDoNotMatter) {
  const Matrix S = test::covariance(10, 30, 9);
  const Vector units =
      Vector::LinSpaced(10, -3, 3).unaryExpr([](double e) { return std::pow(10, e); });
  const Matrix scaled = units.asDiagonal() * S * units.asDiagonal();
  const Matrix back = units.asDiagonal() * tiger(scaled, 0.2).Theta * units.asDiagonal();
  EXPECT_LT((back - tiger(S, 0.2).Theta).cwiseAbs().maxCoeff(), 1e-8);
}

TEST(Tiger, SaysThatVariablesDetermineEachOther) {
  Matrix X = test::correlated_samples(30, 5, 4);
  X.col(3) = X.col(1);
  const ColumnsResult fit = tiger(empirical_covariance(X), 0.1);
  EXPECT_EQ(fit.status, Status::not_converged);
  EXPECT_TRUE(fit.Theta.allFinite());
}

TEST(Tiger, ThreadsChangeNothing) {
  const Matrix S = test::covariance(25, 40, 7);
  const std::vector<double> lambdas = {0.5, 0.3, 0.2};
  ThreadPool pool(3);
  const auto path = tiger_path(S, lambdas, &pool), alone = tiger_path(S, lambdas);
  for (std::size_t l = 0; l < lambdas.size(); ++l) {
    EXPECT_EQ(path[l].Theta, alone[l].Theta);
    EXPECT_LT((path[l].Theta - tiger(S, lambdas[l]).Theta).cwiseAbs().maxCoeff(), 1e-6);
  }
  EXPECT_NEAR(tiger_lambda(100, 50), std::sqrt(std::log(100.0) / 50), 1e-15);
}

TEST(JoinColumns, TakesTheSmallerAndRepairsWhatIsNotSpd) {
  Matrix B(2, 2);
  B << 2, 5, -3, 2;
  const ColumnsResult out = join_columns(B, 0.1);
  EXPECT_EQ(out.status, Status::not_spd);
  EXPECT_EQ(out.Theta(0, 1), -3);
  EXPECT_EQ(out.Theta(1, 0), -3);
  EXPECT_NEAR(out.smallest, -1, 1e-12);
  EXPECT_NEAR(out.shift, 1 + 5e-3, 1e-12);
  EXPECT_EQ(out.Theta(0, 0), 2 + out.shift);
  EXPECT_LT(out.residual, 1e-10);
  EXPECT_EQ(join_columns(Matrix::Identity(3, 3), 0.1).shift, 0);
}

/// The fold's score from its rows, and the lambda of the largest mean.
void expect_held_out(const Matrix& X, const ColumnsCvResult& result,
                     const std::function<ColumnsResult(const Matrix& S, double lambda)>& fit) {
  const Eigen::Index held = X.rows() / 3;  // three equal folds
  const CvScore* best = &result.scores.front();
  for (const CvScore& score : result.scores) {
    ASSERT_EQ(score.folds.size(), 3u);
    if (score.mean > best->mean) best = &score;
    for (Eigen::Index k = 0; k < 3; ++k) {
      Matrix train(X.rows() - held, X.cols());
      train << X.topRows(k * held), X.bottomRows(X.rows() - (k + 1) * held);
      const Matrix Theta = fit(empirical_covariance(train), score.lambda).Theta;
      EXPECT_NEAR(score.folds[std::size_t(k)],
                  held_out_log_likelihood(X.middleRows(k * held, held), column_means(train), Theta),
                  1e-6);
    }
  }
  EXPECT_EQ(result.fit.lambda, best->lambda);
  EXPECT_EQ(result.fit.Theta, fit(empirical_covariance(X), best->lambda).Theta);
}

TEST(ColumnsCv, ScoresAreHeldOutLikelihoods) {
  const Matrix X = test::correlated_samples(60, 6, 11);
  const ColumnsCvOptions options{.folds = 3, .count = 6, .ratio = 0.1};
  expect_held_out(X, clime_cv(X, options), [](const Matrix& S, double l) { return clime(S, l); });
  expect_held_out(X, tiger_cv(X, options), [](const Matrix& S, double l) { return tiger(S, l); });
  expect_error([&] { (void)clime_cv(X.topRows(4)); }, {"4 samples", "5 folds"});
  expect_error([&] { (void)tiger_cv(X, {.ratio = 1}); }, {"ratio"});
}

}  // namespace
}  // namespace spodnet
