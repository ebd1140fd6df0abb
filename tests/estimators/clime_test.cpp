#include "spodnet/estimators/clime.hpp"

#include <gtest/gtest.h>

#include <Eigen/LU>

#include "spodnet/estimators/clime_column.hpp"
#include "support/expect_error.hpp"
#include "support/golden_file.hpp"
#include "support/random_covariance.hpp"

namespace spodnet {
namespace {

using test::expect_error;

/// Primal and dual feasible with equal objectives: optimal, by weak duality.
void expect_optimal(const Matrix& S, Eigen::Index j, double lambda, const ClimeColumn& column) {
  const Vector b = column.primal(), y = column.dual();
  const Vector e = Vector::Unit(S.rows(), j);
  const double objective = b.lpNorm<1>();
  EXPECT_LT((S * b - e).lpNorm<Eigen::Infinity>(), lambda + 1e-7);
  EXPECT_LT((S * y).lpNorm<Eigen::Infinity>(), 1 + 1e-7);
  EXPECT_NEAR(y[j] - lambda * y.lpNorm<1>(), objective, 1e-7 * std::max(1.0, objective));
}

class ClimeGolden : public testing::TestWithParam<const char*> {};

TEST_P(ClimeGolden, AgreesWithLinprog) {
  const test::GoldenFile data(std::string("baselines/") + GetParam() + ".safetensors");
  const test::GoldenFile recorded("baselines/clime.safetensors");
  const Matrix S = data.matrix("S"), B = recorded.matrix(GetParam());
  const double lambda = recorded.number(std::string(GetParam()) + ".lambda");
  const ClimeProblem problem(S);
  for (Eigen::Index j = 0; j < S.rows(); ++j) {
    ClimeColumn column(problem, j);
    ASSERT_TRUE(column.move_to(lambda));
    EXPECT_LT((column.primal() - B.row(j).transpose()).cwiseAbs().maxCoeff(), 1e-8) << j;
    expect_optimal(S, j, lambda, column);
  }
}

INSTANTIATE_TEST_SUITE_P(Baselines, ClimeGolden, testing::Values("p5_n50", "p20_n100", "p30_n15"));

/// With duplicated and isolated variables and whole numbers, where ties abound.
TEST(Clime, EveryPointOfThePathIsOptimal) {
  for (std::uint64_t seed = 0; seed < 24; ++seed) {
    Matrix S = test::random_glasso_problem(seed).S;
    const Vector scale = S.diagonal().cwiseSqrt().cwiseInverse();
    S = Matrix(scale.asDiagonal() * S * scale.asDiagonal());
    if (seed % 3 == 1) S = Matrix((S * 4).array().round() / 4), S.diagonal().setConstant(3);
    symmetrise(S);
    const ClimeProblem problem(S);
    for (Eigen::Index j = 0; j < S.rows(); ++j) {
      ClimeColumn column(problem, j);
      for (double lambda : {0.9, 0.6, 0.4, 0.2, 0.1, 0.05}) {
        const bool reached = column.move_to(lambda);
        EXPECT_EQ(reached, column.lambda() == lambda);
        expect_optimal(S, j, column.lambda(), column);
        if (!reached) break;
      }
    }
  }
}

/// Where the walk stops no b satisfies the constraints further down: by weak duality, a y with
/// S y = 0 and y_j > lambda ||y||_1 proves it.
TEST(Clime, StopsWhereNothingIsFeasible) {
  const Matrix S = test::covariance(6, 6, 3);  // of rank 5
  const ColumnsResult fit = clime(S, 0.001);
  EXPECT_EQ(fit.status, Status::not_converged);
  EXPECT_LT(fit.violation, 1e-7);  // optimal at the lambdas it reached
  const Vector y = Eigen::FullPivLU<Matrix>(S).kernel().col(0);
  const ClimeProblem problem(S);
  for (Eigen::Index j = 0; j < 6; ++j) {
    ClimeColumn column(problem, j);
    const double lowest = std::abs(y[j]) / y.lpNorm<1>();
    EXPECT_EQ(column.move_to(0.001), lowest < 0.001);
    EXPECT_NEAR(column.lambda(), std::max(lowest, 0.001), 1e-7);
  }
}

TEST(Clime, LambdaZeroIsTheInverse) {
  const Matrix S = test::covariance(8, 60, 5);
  const ColumnsResult fit = clime(S, 0);
  EXPECT_EQ(fit.status, Status::ok);
  EXPECT_LT((fit.Theta - S.inverse()).norm(), 1e-9 * fit.Theta.norm());
}

TEST(Clime, IsSymmetricSparseAndDiagonalFromLambdaMaxOn) {
  const Matrix S = test::covariance(20, 40, 6);
  const double highest = clime_lambda_max(S);
  const auto edges = [&](double lambda) {
    const Matrix Theta = clime(S, lambda).Theta;
    return (Theta.array() != 0).count() - 20;
  };
  EXPECT_EQ(edges(1.0001 * highest), 0);
  EXPECT_GT(edges(0.5 * highest), 0);
  EXPECT_LT(edges(0.5 * highest), 380);
  const Matrix Theta = clime(S, 0.3).Theta;
  EXPECT_EQ(Theta, Matrix(Theta.transpose()));
}

TEST(Clime, ThePathAndTheThreadsChangeNothing) {
  const Matrix S = test::covariance(25, 40, 7);
  const std::vector<double> lambdas = {0.5, 0.3, 0.2};
  ThreadPool pool(3);
  const auto path = clime_path(S, lambdas, &pool), alone = clime_path(S, lambdas);
  for (std::size_t l = 0; l < lambdas.size(); ++l) {
    EXPECT_EQ(path[l].Theta, alone[l].Theta);
    EXPECT_LT((path[l].Theta - clime(S, lambdas[l]).Theta).cwiseAbs().maxCoeff(), 1e-9);
  }
}

TEST(Clime, RefusesBadInputInOneLine) {
  const Matrix S = test::covariance(4, 20, 8);
  Matrix constant = S;
  constant.row(2).setZero();
  constant.col(2).setZero();
  expect_error([&] { (void)clime(S, 1); }, {"clime", "lambda is 1", "[0, 1)"});
  expect_error([&] { (void)clime(S, -0.1); }, {"lambda is -0.1"});
  expect_error([&] { (void)clime(S, NAN); }, {"lambda is nan"});
  expect_error([&] { (void)clime(constant, 0.1); }, {"variable 2", "constant"});
  expect_error([&] { (void)clime(Matrix::Identity(2, 3), 0.1); }, {"clime", "not a square"});
  EXPECT_EQ(clime(Matrix::Constant(1, 1, 2.0), 0.2).Theta(0, 0), 0.4);
}

}  // namespace
}  // namespace spodnet
