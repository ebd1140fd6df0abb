#include "spodnet/workflow/temporal.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "spodnet/core/random.hpp"
#include "spodnet/generate/gaussian.hpp"
#include "spodnet/metrics/edge_agreement.hpp"
#include "support/expect_error.hpp"

namespace spodnet::test {
namespace {

constexpr Eigen::Index kTimeVariables = 5;

/// B(i, j): the effect of i on j.
Matrix true_effects() {
  Matrix B = 0.35 * Matrix::Identity(kTimeVariables, kTimeVariables);
  B(0, 1) = 0.3, B(2, 3) = -0.3;
  return B;
}

Matrix true_links() {
  Matrix Theta = Matrix::Identity(kTimeVariables, kTimeVariables);
  Theta(0, 4) = Theta(4, 0) = -0.4;
  Theta(1, 2) = Theta(2, 1) = 0.3;
  return Theta;
}

/// Persons with means of their own, each a series of beeps; days of `a_day` beeps.
struct Diary {
  Matrix X;
  Occasions at;
  std::vector<std::string> names = {"a", "b", "c", "d", "e"};

  Diary(std::size_t persons, std::size_t beeps, std::uint64_t seed, std::size_t a_day = 1000)
      : X(Eigen::Index(persons * beeps), kTimeVariables) {
    RandomStream random(seed);
    const Matrix E = sample_gaussian(true_links(), persons * beeps, random), B = true_effects();
    at.beep.resize(X.rows());
    for (std::size_t k = 0; k < persons; ++k) {
      Vector now = Vector::Zero(kTimeVariables), mean(kTimeVariables);
      for (double& m : mean) m = random.uniform(-20, 20);
      for (std::size_t t = 0; t < beeps; ++t) {
        const auto row = Eigen::Index(k * beeps + t);
        now = (B.transpose() * now + E.row(row).transpose()).eval();
        X.row(row) = (3 * now + mean).transpose();
        at.person.push_back(std::uint32_t(k));
        at.day.push_back(std::uint32_t(t / a_day));
        at.beep[row] = double(t % a_day);
      }
    }
  }
};

Temporal fitted(const Diary& diary, std::size_t resamples, int threads = 2) {
  ThreadPool pool(threads);
  return temporal(lagged_rows(diary.X, diary.names, diary.at, "diary"),
                  {.resamples = resamples, .seed = 4}, {.pool = pool});
}

TEST(LaggedRows, FollowThePersonTheDayAndTheBeep) {
  const Matrix X{{1, 5}, {2, 7}, {9, 8}, {3, 6}, {4, 1}, {8, 9}, {7, 2}, {6, 6}, {6, 5}};
  const Occasions at{{0, 0, 0, 0, 0, 0, 1, 1, 1},
                     {0, 0, 0, 1, 1, 1, 0, 0, 0},
                     Vector{{1, 2, 4, 1, 2, 3, 2, 1, 3}}};
  const LaggedRows rows = lagged_rows(X, {"u", "v"}, at, "t.csv");
  ASSERT_EQ(rows.Y.rows(), 5);  // 1-2 (not 2-4), 1-2-3 of the other day, 1-2-3 of the second person
  EXPECT_EQ(rows.person, (std::vector<std::uint32_t>{0, 0, 0, 1, 1}));
  EXPECT_EQ(rows.persons, 2u);
  EXPECT_EQ(rows.step, 1);
  const double mean_0 = 27.0 / 6, mean_1 = 19.0 / 3;
  EXPECT_NEAR(rows.Y(0, 0) * rows.scale[0], 2 - mean_0, 1e-12);
  EXPECT_NEAR(rows.X(0, 0) * rows.scale[0], 1 - mean_0, 1e-12);
  EXPECT_NEAR(rows.X(3, 0) * rows.scale[0], 6 - mean_1, 1e-12);  // in the order of the beeps
  EXPECT_NEAR(rows.Y(3, 0) * rows.scale[0], 7 - mean_1, 1e-12);
  EXPECT_THAT(rows.notes.at(0).text, testing::HasSubstr("1 across longer gaps than 1.5"));
}

TEST(LaggedRows, RefusesWhatHasNoOrder) {
  const Matrix X{{1, 5}, {2, 7}, {9, 8}, {3, 6}, {4, 1}};
  const std::vector<std::uint32_t> one(5, 0);
  const auto refused = [&](const Occasions& at, const std::string& words) {
    expect_error([&] { lagged_rows(X, {"u", "v"}, at, "t.csv"); }, {"t.csv", words});
  };
  refused({one, {}, Vector{{1, 2, 2, 3, 4}}}, "rows 2 and 3 are of one person at one time");
  refused({one, {}, Vector{{1, 2, NAN, 3, 4}}}, "row 3 has no time");
  refused({{0, 1, 2, 3, 4}, {}, Vector{{1, 1, 1, 1, 1}}}, "no person has two rows");
  refused({{0, 0, 1, 1, 2}, {}, Vector{{1, 2, 1, 2, 1}}}, "too few for 2 variables");
}

TEST(LaggedRows, LeavesOutWhatVariesWithinNoPerson) {
  Diary diary(12, 20, 3);
  for (Eigen::Index i = 0; i < diary.X.rows(); ++i)
    diary.X(i, 1) = double(diary.at.person[std::size_t(i)]);  // age, say
  const LaggedRows rows = lagged_rows(diary.X, diary.names, diary.at, "t.csv");
  EXPECT_EQ(rows.names, (std::vector<std::string>{"a", "c", "d", "e"}));
  EXPECT_THAT(rows.notes.at(0).text, testing::HasSubstr("'b' varies within no person"));
}

/// The refit is least squares: residuals are uncorrelated with the predictors that are kept.
TEST(SparseVar, SolvesTheNormalEquationsOfTheEffectsItKeeps) {
  const Diary diary(20, 40, 5);
  const LaggedRows rows = lagged_rows(diary.X, diary.names, diary.at, "t.csv");
  const SparseVar fit = fit_sparse_var(rows.X, rows.Y, 0.5);
  EXPECT_NEAR((rows.Y - rows.X * fit.B - fit.residuals).norm(), 0, 1e-12);
  const Matrix G = rows.X.transpose() * fit.residuals / double(rows.X.rows());
  for (Eigen::Index i = 0; i < kTimeVariables; ++i)
    for (Eigen::Index j = 0; j < kTimeVariables; ++j)
      EXPECT_NEAR(fit.B(i, j) != 0 ? G(i, j) : 0.0, 0, 1e-6);
}

TEST(Temporal, FindsTheEffectsAndLinksBehindADiary) {
  const Temporal found = fitted(Diary(60, 60, 1, 10), 40);
  const Matrix B = true_effects(), R = partial_correlations(true_links(), true_links());
  for (Eigen::Index i = 0; i < kTimeVariables; ++i)
    for (Eigen::Index j = 0; j < kTimeVariables; ++j) {
      EXPECT_NEAR(found.B(i, j), B(i, j), 0.09) << i << j;  // means removed: 1 / 60 too low
      EXPECT_EQ(found.B(i, j) != 0, B(i, j) != 0) << i << j;
      if (i == j) continue;
      EXPECT_NEAR(found.partial(i, j), R(i, j), 0.1) << i << j;
      EXPECT_GT(R(i, j) != 0 ? found.partial_confidence.share(i, j) : 1.0, 0.95);
    }
  EXPECT_EQ(found.B_confidence.share(0, 1), 1);
  EXPECT_LT(found.B_confidence.low(0, 1), found.B(0, 1));
  EXPECT_GT(found.B_confidence.high(0, 1), found.B(0, 1));
  EXPECT_EQ(found.block, 0u);  // persons were drawn
  EXPECT_GT(found.explained[1], found.explained[4]);
}

/// With 20 rows each, removed means lower an effect of 0.35 on itself by 0.07 on average.
TEST(Temporal, MeansThatAreRemovedBiasNoEffect) {
  double own = 0, held = 0, asked = 0;
  const Matrix B = true_effects();
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const Temporal found = fitted(Diary(30, 20, 900 + seed), 40);
    own += found.B.diagonal().mean() / 20;
    for (Eigen::Index i = 0; i < kTimeVariables; ++i)
      for (Eigen::Index j = 0; j < kTimeVariables; ++j, ++asked)
        held += found.B_confidence.low(i, j) <= B(i, j) && B(i, j) <= found.B_confidence.high(i, j);
  }
  EXPECT_NEAR(own, 0.35, 0.025);
  EXPECT_GT(held / asked, 0.92);  // of 0.95
  EXPECT_LT(held / asked, 0.99);
}

/// Columns negated, in another order and other units, rows in another order.
TEST(Temporal, DependsOnNoCodingOrderOrUnits) {
  const Diary diary(15, 40, 7);
  Diary other = diary;
  const std::vector<Eigen::Index> order = {3, 0, 4, 2, 1};
  const Vector unit{{-100, 1, -0.01, 3, -1}}, sign = unit.array().sign();
  other.X = diary.X(Eigen::all, order) * unit.asDiagonal();
  const Temporal a = fitted(diary, 20), b = fitted(other, 20);
  const auto same = [&](const Matrix& of_a, const Matrix& of_b) {
    const Matrix turned = sign.asDiagonal() * of_b * sign.asDiagonal();
    EXPECT_LT((turned - Matrix(of_a(order, order))).cwiseAbs().maxCoeff(), 1e-7);
  };
  same(a.B, b.B);
  same(a.partial, b.partial);
  EXPECT_EQ(Matrix(a.B_confidence.share(order, order)), b.B_confidence.share);
  EXPECT_EQ(Matrix(a.partial_confidence.share(order, order)), b.partial_confidence.share);
  same(a.B_confidence.high - a.B_confidence.low,
       sign.asDiagonal() * (b.B_confidence.high - b.B_confidence.low) * sign.asDiagonal());
}

TEST(Temporal, OnePersonIsDrawnInBlocksAndThreadsDoNotMatter) {
  const Diary diary(1, 300, 2);
  const Temporal one = fitted(diary, 20, 1), three = fitted(diary, 20, 3);
  EXPECT_GT(one.block, 1u);
  EXPECT_EQ(one.B_confidence.share, three.B_confidence.share);
  EXPECT_EQ(one.partial_confidence.low, three.partial_confidence.low);
}

/// Where nothing follows anything, hardly an effect is found: 25 pairs in each of 20 diaries.
TEST(Temporal, FindsLittleWhereThereIsNothing) {
  std::size_t effects = 0;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    Diary diary(20, 30, 50 + seed);
    RandomStream random(seed);
    diary.X = sample_gaussian(true_links(), std::size_t(diary.X.rows()), random);
    const Temporal found = fitted(diary, 0);
    effects += std::size_t((found.B - Matrix(found.B.diagonal().asDiagonal())).count());
  }
  EXPECT_LE(effects, 8u);  // of 400
}

}  // namespace
}  // namespace spodnet::test
