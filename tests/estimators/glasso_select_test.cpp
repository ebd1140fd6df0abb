#include "spodnet/estimators/glasso_cv.hpp"
#include "spodnet/estimators/glasso_ebic.hpp"
#include "spodnet/estimators/glasso_stars.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "spodnet/metrics/likelihood.hpp"
#include "support/expect_error.hpp"
#include "support/random_covariance.hpp"

namespace spodnet {
namespace {

using test::correlated_samples;
using test::expect_error;

/// Mean held-out log-likelihood, row by row as it is written down: row k belongs to fold f when
/// folds are consecutive and the first n % folds of them have one row more.
std::vector<double> plain_cv_scores(const Matrix& X, double lambda, int folds) {
  std::vector<double> scores;
  Eigen::Index first = 0;
  for (int f = 0; f < folds; ++f) {
    const Eigen::Index size = X.rows() / folds + (f < X.rows() % folds ? 1 : 0);
    Matrix train(X.rows() - size, X.cols()), held_out(size, X.cols());
    for (Eigen::Index k = 0, in = 0, out = 0; k < X.rows(); ++k)
      if (k >= first && k < first + size)
        held_out.row(out++) = X.row(k);
      else
        train.row(in++) = X.row(k);
    first += size;
    const Vector mean = train.colwise().mean();
    const Matrix Theta = glasso(empirical_covariance(train), {.lambda = lambda}).Theta;
    scores.push_back(held_out_log_likelihood(held_out, mean, Theta));
  }
  return scores;
}

template <class Scores>
void expect_decreasing_lambdas(const Scores& scores) {
  for (std::size_t k = 1; k < scores.size(); ++k) EXPECT_LT(scores[k].lambda, scores[k - 1].lambda);
}

TEST(GlassoCv, ScoresAreHeldOutLikelihoods) {
  const Matrix X = correlated_samples(43, 8, 1);
  const GlassoCvResult r = glasso_cv(X, {.search = {.tolerance = 1e-9}});
  ASSERT_EQ(r.scores.size(), 4u + 4 * 4);
  expect_decreasing_lambdas(r.scores);
  double best = -INFINITY;
  for (const CvScore& score : r.scores) {
    const auto plain = plain_cv_scores(X, score.lambda, 5);
    ASSERT_EQ(score.folds.size(), 5u);
    for (std::size_t f = 0; f < 5; ++f) EXPECT_NEAR(score.folds[f], plain[f], 1e-4);
    EXPECT_NEAR(score.mean, std::accumulate(plain.begin(), plain.end(), 0.0) / 5, 1e-4);
    best = std::max(best, score.mean);
  }
  const Matrix S = empirical_covariance(X);
  EXPECT_EQ(r.scores.front().lambda, glasso_lambda_max(S));
  EXPECT_NEAR(r.scores.back().lambda, glasso_lambda_max(S) / 100, 1e-15);
  for (const CvScore& score : r.scores)
    if (score.lambda == r.lambda) {
      EXPECT_EQ(score.mean, best);
    }
  EXPECT_EQ(r.fit.status, Status::ok);
  EXPECT_EQ(r.fit.Theta, glasso(S, {.lambda = r.lambda}).Theta);
}

/// No lambda of a dense grid beats the search by more than its resolution.
TEST(GlassoCv, FindsThePeak) {
  for (std::uint64_t seed : {2, 3, 4}) {
    const Matrix X = correlated_samples(60, 10, seed);
    const GlassoCvResult r = glasso_cv(X);
    double best = -INFINITY, found = -INFINITY;
    for (double lambda : log_spaced(r.scores.front().lambda, r.scores.back().lambda, 60)) {
      const auto folds = plain_cv_scores(X, lambda, 5);
      best = std::max(best, std::accumulate(folds.begin(), folds.end(), 0.0) / 5);
    }
    for (const CvScore& score : r.scores) found = std::max(found, score.mean);
    EXPECT_GT(found, best - 2e-3) << seed;
  }
}

TEST(GlassoCv, NoFoldFails) {
  Matrix X = correlated_samples(12, 25, 5);  // n < p
  X.col(3) = Matrix(X.col(4));               // a duplicated column
  X.col(7).setZero();
  X(11, 7) = 1;  // constant in every training part that lacks the last row
  const GlassoCvResult r = glasso_cv(X);
  for (const CvScore& score : r.scores)
    for (double fold : score.folds) EXPECT_TRUE(std::isfinite(fold));
  EXPECT_EQ(r.fit.status, Status::ok);
  EXPECT_EQ(glasso_cv(X, {.folds = 12}).fit.status, Status::ok);
  EXPECT_EQ(glasso_cv(X.topRows(2) + correlated_samples(2, 25, 6), {.folds = 2}).fit.status,
            Status::ok);
}

TEST(GlassoCv, OneVariableAloneHasNothingToChoose) {
  const GlassoCvResult r = glasso_cv(correlated_samples(10, 1, 7));
  EXPECT_EQ(r.lambda, 0);
  EXPECT_EQ(r.scores.size(), 1u);
}

TEST(GlassoCv, SearchesBelowTheGridWhenTheBestIsItsEnd) {
  Matrix X = correlated_samples(2000, 4, 8);  // every pair strongly correlated: no penalty is best
  for (Eigen::Index j = 1; j < 4; ++j) X.col(j) += 3 * X.leftCols(j).rowwise().sum();
  const GlassoCvResult r = glasso_cv(X);
  EXPECT_LT(r.lambda, glasso_lambda_max(empirical_covariance(X)) / 100);
}

TEST(GlassoEbic, FollowsItsDefinition) {
  const Matrix S = empirical_covariance(correlated_samples(50, 12, 9));
  for (double gamma : {0.0, 0.5, 1.0}) {
    const GlassoEbicResult r =
        glasso_ebic(S, 50, {.gamma = gamma, .count = 12, .search = {.tolerance = 1e-10}});
    ASSERT_EQ(r.scores.size(), 12u);
    expect_decreasing_lambdas(r.scores);
    double best = INFINITY, lambda = 0;
    for (const GlassoEbicScore& score : r.scores) {
      const Matrix Theta = glasso(S, {.lambda = score.lambda}).Theta;
      const double edges = double((Theta.array() != 0).count() - 12) / 2;
      const double ebic = -2 * 50 * log_likelihood(S, Theta) + edges * std::log(50) +
                          4 * gamma * edges * std::log(12);
      EXPECT_EQ(double(score.edges), edges);
      EXPECT_NEAR(score.log_likelihood, 50 * log_likelihood(S, Theta), 1e-3);
      EXPECT_NEAR(score.ebic, ebic, 2e-3);
      if (ebic < best) best = ebic, lambda = score.lambda;
    }
    EXPECT_EQ(r.lambda, lambda);
    EXPECT_EQ(r.fit.Theta, glasso(S, {.lambda = lambda}).Theta);
  }
}

TEST(GlassoEbic, LargerGammaGivesFewerEdges) {
  const Matrix S = empirical_covariance(correlated_samples(40, 20, 10));
  std::size_t edges = 1000;
  for (double gamma : {0.0, 0.5, 2.0}) {
    const GlassoEbicResult r = glasso_ebic(S, 40, {.gamma = gamma});
    EXPECT_LE(count_edges(r.fit.Theta), edges);
    edges = count_edges(r.fit.Theta);
  }
}

/// Instability counted pair by pair from fits of its own.
TEST(GlassoStars, FollowsItsDefinition) {
  const Matrix X = correlated_samples(60, 9, 11);
  const GlassoStarsOptions options{
      .subsamples = 6, .threshold = 0.15, .count = 10, .seed = 5, .search = {.tolerance = 1e-11}};
  const GlassoStarsResult r = glasso_stars(X, options);
  expect_decreasing_lambdas(r.scores);
  double monotone = 0, lambda = 0;
  for (const GlassoStarsScore& score : r.scores) {
    Matrix share = Matrix::Zero(9, 9);
    for (std::uint64_t k = 0; k < 6; ++k) {
      std::vector<std::uint32_t> rows(60);
      std::iota(rows.begin(), rows.end(), 0u);
      RandomStream(5, k).shuffle(rows);
      Matrix part(48, 9);  // min(10 sqrt(60), 0.8 * 60)
      for (Eigen::Index i = 0; i < 48; ++i) part.row(i) = X.row(rows[std::size_t(i)]);
      const Matrix Theta = glasso(empirical_covariance(part), {.lambda = score.lambda}).Theta;
      share += Matrix((Theta.array() != 0).cast<double>()) / 6;
    }
    double sum = 0;
    for (Eigen::Index i = 0; i < 9; ++i)
      for (Eigen::Index j = 0; j < i; ++j) sum += 2 * share(i, j) * (1 - share(i, j));
    EXPECT_NEAR(score.instability, sum / 36, 1e-12);
    monotone = std::max(monotone, sum / 36);
    EXPECT_NEAR(score.monotone, monotone, 1e-12);
    if (monotone < 0.15) lambda = score.lambda;
  }
  EXPECT_EQ(r.lambda, lambda);
  EXPECT_TRUE(r.scores.size() == 10 || r.scores.back().monotone >= 0.15);
  EXPECT_EQ(r.fit.Theta, glasso(empirical_covariance(X), {.lambda = lambda}).Theta);
}

TEST(GlassoStars, SeedDecides) {
  const Matrix X = correlated_samples(40, 10, 12);
  const auto first = glasso_stars(X, {.seed = 1}), again = glasso_stars(X, {.seed = 1});
  const auto other = glasso_stars(X, {.seed = 2});
  EXPECT_EQ(first.scores[6].instability, again.scores[6].instability);
  bool differs = false;
  for (std::size_t k = 0; k < std::min(first.scores.size(), other.scores.size()); ++k)
    differs = differs || first.scores[k].instability != other.scores[k].instability;
  EXPECT_TRUE(differs);
}

TEST(GlassoSelect, GivesTheSameBitsForAnyNumberOfThreads) {
  const Matrix X = correlated_samples(40, 15, 13), S = empirical_covariance(X);
  const auto cv = glasso_cv(X);
  const auto ebic = glasso_ebic(S, 40);
  const auto stars = glasso_stars(X);
  for (int threads : {1, 2, 7}) {
    ThreadPool pool(threads);
    GlassoCvOptions cv_options;
    GlassoEbicOptions ebic_options;
    GlassoStarsOptions stars_options;
    cv_options.search.pool = ebic_options.search.pool = stars_options.search.pool = &pool;
    const auto cv_too = glasso_cv(X, cv_options);
    const auto ebic_too = glasso_ebic(S, 40, ebic_options);
    const auto stars_too = glasso_stars(X, stars_options);
    EXPECT_EQ(cv.fit.Theta, cv_too.fit.Theta);
    EXPECT_EQ(ebic.fit.Theta, ebic_too.fit.Theta);
    EXPECT_EQ(stars.fit.Theta, stars_too.fit.Theta);
    for (std::size_t k = 0; k < cv.scores.size(); ++k)
      EXPECT_EQ(cv.scores[k].folds, cv_too.scores[k].folds);
    for (std::size_t k = 0; k < ebic.scores.size(); ++k)
      EXPECT_EQ(ebic.scores[k].ebic, ebic_too.scores[k].ebic);
  }
}

TEST(GlassoSelect, RefusesBadInputInOneLine) {
  const Matrix X = correlated_samples(10, 4, 14), S = empirical_covariance(X);
  Matrix with_nan = X, constant = X;
  with_nan(5, 2) = NAN;
  constant.col(1).setConstant(3);
  const auto cv = [](const Matrix& A, GlassoCvOptions options = {}) {
    return [=] { (void)glasso_cv(A, options); };
  };
  expect_error(cv(X.topRows(1)), {"glasso_cv", "1 sample cannot fill 5 folds"});
  expect_error(cv(with_nan), {"X[5,2]", "nan"});
  expect_error(cv(constant), {"variable 1", "zero variance"});
  expect_error(cv(X, {.folds = 1}), {"glasso_cv", "folds"});
  expect_error([&] { (void)glasso_ebic(S, 1); }, {"glasso-ebic", "two samples"});
  expect_error([&] { (void)glasso_ebic(S, 10, {.gamma = -1}); }, {"glasso-ebic", "gamma"});
  expect_error([&] { (void)glasso_ebic(Matrix::Identity(2, 3), 9); }, {"not a square"});
  expect_error([&] { (void)glasso_stars(X.topRows(2)); }, {"glasso_stars", "at least three"});
  expect_error([&] { (void)glasso_stars(constant); }, {"variable 1", "zero variance"});
  expect_error([&] { (void)glasso_stars(X, {.threshold = 0}); }, {"glasso_stars", "threshold"});
}

}  // namespace
}  // namespace spodnet
