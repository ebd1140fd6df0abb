#include "spodnet/estimators/judge.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "spodnet/core/cholesky.hpp"
#include "spodnet/core/random.hpp"
#include "spodnet/estimators/ladder.hpp"
#include "spodnet/estimators/method.hpp"
#include "spodnet/estimators/nonlinear_shrinkage.hpp"
#include "spodnet/estimators/shrinkage.hpp"
#include "spodnet/metrics/edge.hpp"
#include "spodnet/models/model.hpp"
#include "spodnet/tables/covariance.hpp"
#include "support/random_covariance.hpp"
#include "support/random_tables.hpp"

namespace spodnet::test {
namespace {

/// An estimate of Theta as it is.
Estimate estimate_of(const Matrix& Theta) {
  Estimate out;
  out.Theta = Theta;
  spd_inverse(Theta, out.W);
  return out;
}

Verdict verdict_of(const Judge& judge, const Matrix& Theta) {
  return judge(Theta, estimate_of(Theta).W);
}

Verdict verdict_of(const Problem& problem, const Matrix& Theta) {
  return verdict_of(Judge(problem), Theta);
}

TEST(Judge, TheSameInAnyUnits) {
  const RandomTable table = random_table(3, 0, {.least_p = 8, .most_p = 8.5});
  const Vector units = Vector::LinSpaced(table.S.rows(), 1e-3, 1e3);
  const Matrix S = units.asDiagonal() * table.S * units.asDiagonal();
  const Matrix Theta = 3 * Matrix(table.S.diagonal().cwiseInverse().asDiagonal());
  const Vector inverse = units.cwiseInverse();
  const Matrix scaled = inverse.asDiagonal() * Theta * inverse.asDiagonal();
  const Problem plain{.S = table.S, .n = table.n}, other{.S = S, .n = table.n};
  const Verdict a = verdict_of(plain, Theta), b = verdict_of(other, scaled);
  EXPECT_NEAR(a.behind, b.behind, 1e-9);
  EXPECT_NEAR(a.loss, b.loss, 1e-9);
}

TEST(Judge, LikelihoodBehindIsThatOfItsDefinition) {
  const Matrix S = covariance(6, 300, 5);
  const Problem problem{.S = S, .n = 300};
  const Vector unit = S.diagonal().cwiseSqrt();
  const Matrix R = unit.cwiseInverse().asDiagonal() * S * unit.cwiseInverse().asDiagonal();
  const Matrix M = oas(R, 300).W, absurd = 40 * Matrix::Identity(6, 6);
  const double reached = spd_log_det(absurd) - R.cwiseProduct(absurd).sum();
  const Matrix Theta = unit.cwiseInverse().asDiagonal() * absurd * unit.cwiseInverse().asDiagonal();
  const Verdict verdict = verdict_of(problem, Theta);
  EXPECT_NEAR(verdict.behind, (-spd_log_det(M) - 6 - reached) / 6, 1e-9);
  const Matrix N = nonlinear_shrinkage(R, 300).W;
  EXPECT_NEAR(verdict.loss, (40 * N.trace() - spd_log_det(N) - spd_log_det(absurd) - 6) / 6, 1e-9);
}

TEST(Judge, AllowsTheTruthAndTheInverseCovarianceOfManySamples) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const RandomTable table = random_table(seed, 0, {.least_ratio = 10});
    const Problem problem = table.problem();
    const Judge judge(problem);
    Matrix inverse;
    spd_inverse(table.S, inverse);
    EXPECT_TRUE(verdict_of(judge, table.Theta_true).plausible) << seed;
    EXPECT_TRUE(verdict_of(judge, inverse).plausible) << seed;
    EXPECT_TRUE(verdict_of(judge, judge.reference().Theta).plausible) << seed;
  }
}

TEST(Judge, RefusesAWrongScaleAndWrongSigns) {
  const RandomTable table = random_table(1, 0, {.least_p = 10, .least_ratio = 20});
  const Problem problem = table.problem();
  const Judge judge(problem);
  EXPECT_FALSE(verdict_of(judge, 10 * table.Theta_true).plausible);
  EXPECT_FALSE(verdict_of(judge, table.Theta_true / 10).plausible);
  Vector signs = Vector::Ones(table.S.rows());
  for (Eigen::Index j = 0; j < signs.size(); j += 2) signs[j] = -1;
  EXPECT_FALSE(
      verdict_of(judge, signs.asDiagonal() * table.Theta_true * signs.asDiagonal()).plausible);
}

TEST(Judge, SaysNothingWhereItCannotKnow) {
  const Matrix one = Matrix::Identity(1, 1), S = Matrix::Identity(3, 3);
  Matrix constant = S;
  constant(1, 1) = 0;
  const Matrix absurd = 1e6 * S;
  const Problem unknown{.S = S, .n = 0}, single{.S = one, .n = 9}, zero{.S = constant, .n = 9};
  EXPECT_TRUE(verdict_of(unknown, absurd).plausible);
  EXPECT_TRUE(verdict_of(single, 1e6 * one).plausible);
  EXPECT_TRUE(verdict_of(zero, absurd).plausible);
}

TEST(Judge, WithConstraintsComparesWithUnrelatedVariables) {
  const RandomTable table = random_table(1, 0, {.least_p = 6, .most_p = 7, .least_ratio = 20});
  Constraints none(std::size_t(table.S.rows()));
  for (std::size_t i = 0; i < none.p(); ++i)
    for (std::size_t j = 0; j < i; ++j) none.narrow(i, j, PairRule::zero);
  Problem problem = table.problem();
  problem.constraints = &none;
  const Matrix diagonal = table.S.diagonal().cwiseInverse().asDiagonal();
  EXPECT_TRUE(verdict_of(problem, diagonal).plausible);
  const Estimate out = judged(estimate_of(50 * diagonal), problem, "m");
  EXPECT_EQ(out.status, Status::replaced);
  EXPECT_EQ(out.Theta, diagonal);
}

TEST(Ladder, LeavesAPlausibleEstimateAlone) {
  const RandomTable table = random_table(1, 0, {.least_p = 6, .least_ratio = 20});
  Estimate given = estimate_of(table.Theta_true);
  const Estimate out = judged(given, table.problem(), "m");
  EXPECT_EQ(out.status, Status::ok);
  EXPECT_EQ(out.Theta, given.Theta);
  EXPECT_EQ(out.W, given.W);
  EXPECT_TRUE(out.details.empty());
}

TEST(Ladder, TakesTheFirstRungThatTheDataAllow) {
  const RandomTable table =
      random_table(1, 10, {.least_p = 12, .most_p = 13, .least_ratio = 20, .most_ratio = 21});
  const Matrix absurd = 100 * Matrix(table.S.diagonal().cwiseInverse().asDiagonal());
  const Estimate good = estimate_of(table.Theta_true), bad = estimate_of(2 * absurd);
  const auto rung = [&](const Matrix& first, const std::vector<Alternative>& others) {
    const Estimate out = judged(estimate_of(first), table.problem(), "m", others);
    EXPECT_EQ(out.status, Status::replaced);
    EXPECT_NE(out.message.find("contradicts the data"), std::string::npos) << out.message;
    EXPECT_TRUE(std::isfinite(spd_log_det(out.Theta)));
    EXPECT_LT(inverse_residual(out.Theta, out.W), 1e-6);
    return out.details.back();
  };
  const Alternative no{"no", [&] { return bad; }}, yes{"yes", [&] { return good; }};
  const Matrix sparse = 50 * table.Theta_true;  // the right graph, the wrong scale
  Matrix full = Matrix::Constant(absurd.rows(), absurd.cols(), 1e-2);
  full += 1000 * Matrix::Identity(absurd.rows(), absurd.cols());
  EXPECT_EQ(rung(absurd, {no, yes}), std::make_pair(std::string("replaced"), 1.0));
  Vector wide = Vector::Ones(absurd.rows());
  wide[0] = 0.3;  // its variance is 11 times that of S: too little to show in the likelihood
  const Estimate widened = estimate_of(wide.asDiagonal() * table.Theta_true * wide.asDiagonal());
  const Problem problem = table.problem();
  EXPECT_TRUE(verdict_of(problem, widened.Theta).plausible);
  EXPECT_FALSE(Judge(problem).keeps_variances(widened.W));
  EXPECT_GT(rung(absurd, {{"wide", [&] { return widened; }}}).second, 1);
  EXPECT_EQ(rung(sparse, {no}).second, 2);
  EXPECT_EQ(rung(full, {no}).second, 3);
}

TEST(Judge, TrustsWhatIsLikelyUnlessItIsAbsurd) {
  const RandomTable table = random_table(1, 0, {.least_p = 10, .least_ratio = 20});
  const Problem problem = table.problem();
  const auto at = [&](double factor, Trust trust) {
    const Matrix Theta = factor * table.Theta_true;
    return Judge(problem)(Theta, estimate_of(Theta).W, trust).plausible;
  };
  EXPECT_FALSE(at(3, Trust::usual));  // a loss of 3 - 1 - log 3 = 0.9
  EXPECT_TRUE(at(3, Trust::likely));
  EXPECT_FALSE(at(8, Trust::likely));
}

TEST(Ladder, LeavesAnEstimateOfOnesOwnModelButSaysWhatIsWrong) {
  const RandomTable table = random_table(1, 0, {.least_p = 6, .least_ratio = 20});
  const Estimate good = doubted(estimate_of(table.Theta_true), table.problem(), "own");
  EXPECT_EQ(good.message, "");
  const Matrix absurd = 20 * table.Theta_true;
  const Estimate bad = doubted(estimate_of(absurd), table.problem(), "own");
  EXPECT_EQ(bad.status, Status::ok);
  EXPECT_EQ(bad.Theta, absurd);
  EXPECT_NE(bad.message.find("own: the data contradict this estimate"), std::string::npos);
}

TEST(Ladder, LeavesAFailureToSaySo) {
  const RandomTable table = random_table(1, 0, {.least_p = 6, .least_ratio = 20});
  Estimate failed = estimate_of(1e3 * table.Theta_true);
  failed.status = Status::not_spd;
  EXPECT_EQ(judged(failed, table.problem(), "m").status, Status::not_spd);
}

TEST(Ladder, SaysThatVariancesAreFarTooLarge) {
  const Matrix S = covariance(4, 4, 5);
  const Problem problem{.S = S, .n = 2.1};
  const Matrix wide = Matrix(S.diagonal().cwiseInverse().asDiagonal()) / 4.1;
  EXPECT_TRUE(verdict_of(problem, 1.1 * wide).plausible);  // of so few samples
  const Estimate out = judged(estimate_of(wide), problem, "m");
  EXPECT_EQ(out.status, Status::replaced);
  EXPECT_NE(out.message.find("all its variances are more than four times"), std::string::npos);
}

/// Twelve kinds in turn; 10,000 and more: experiments/judged_tables.
TEST(Judge, ReplacesNoGoodAnswerAndEveryAbsurdOneOfRandomTables) {
  const auto raw = make_method("pretrained:judge=false", builtin_models());
  const auto method = make_method("pretrained", builtin_models());
  int good = 0, absurd = 0, replaced = 0, helped = 0;
  for (std::uint64_t k = 0; k < 600; ++k) {
    const RandomTable table = random_table(11, k, {.most_p = 25});
    const Estimate before = raw->estimate(table.problem());
    const Estimate after = method->estimate(table.problem());
    if (after.status == Status::ok) {
      EXPECT_EQ(before.Theta, after.Theta) << k;
    }
    const JudgedTruth truth = judged_truth(table, before.Theta);
    EXPECT_FALSE(truth.good && after.status != Status::ok) << table.kind << ' ' << k;
    EXPECT_FALSE(truth.absurd && after.status == Status::ok) << table.kind << ' ' << k;
    good += truth.good, absurd += truth.absurd;
    if (after.status != Status::replaced) continue;
    ++replaced;
    helped += loss_of(after.Theta, table.Theta_true) < truth.loss;
  }
  EXPECT_GT(good, 300);
  EXPECT_GT(absurd, 0);
  EXPECT_GT(helped, 0.8 * replaced);  // where samples mislead, chance decides
}

}  // namespace
}  // namespace spodnet::test
