#include "spodnet/tables/prepare.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <cmath>
#include <limits>

#include "spodnet/tables/em.hpp"
#include "support/expect_error.hpp"
#include "support/random_covariance.hpp"
#include "tables/missing_values.hpp"

namespace spodnet::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

const double kNaN = std::nan("");

std::vector<std::string> names_of(Eigen::Index p) {
  std::vector<std::string> names;
  for (Eigen::Index j = 0; j < p; ++j) names.push_back(std::string(1, char('a' + j)));
  return names;
}

Table table_of(const Matrix& X) { return {names_of(X.cols()), {}, X}; }

std::string text_of(const Prepared& data) {
  std::string text;
  for (const DataNote& note : data.notes) text += (note.warning ? "W " : "D ") + note.text + "\n";
  return text;
}

TEST(Prepare, CompleteSamplesGiveTheEmpiricalCovarianceExactlyScaled) {
  Matrix X = correlated_samples(50, 4, 1);
  X.col(2) *= 1e4;
  const Prepared data = prepare_samples(table_of(X), {}, "t");
  EXPECT_EQ(data.notes.size(), 0u) << text_of(data);
  EXPECT_EQ(data.X, X);
  EXPECT_EQ(data.moments.n, 50);
  const Matrix S = empirical_covariance(X);
  EXPECT_LT((data.moments.covariance() - S).cwiseQuotient(S).cwiseAbs().maxCoeff(), 1e-13);
  EXPECT_EQ(data.moments.R.diagonal(), Vector::Ones(4));
}

TEST(Prepare, LeavesOutAndNamesWhatCarriesNothing) {
  Matrix X = correlated_samples(20, 6, 2);
  X.col(1).setConstant(3);
  X.col(4).setConstant(kNaN);
  X.row(7).setConstant(kNaN);
  Table table = table_of(X);
  table.left_out = {{6, "species", "setosa", 2}};
  const Prepared data = prepare_samples(table, {}, "t");
  EXPECT_THAT(data.names, ElementsAre("a", "c", "d", "f"));
  EXPECT_EQ(data.X.rows(), 19);
  EXPECT_EQ(data.missing, 0u);
  const std::string text = text_of(data);
  EXPECT_THAT(text, HasSubstr("'species' is not numeric (line 2 has 'setosa'): left out"));
  EXPECT_THAT(text, HasSubstr("'e' has no value at all: left out"));
  EXPECT_THAT(text, HasSubstr("'b' is constant"));
  EXPECT_THAT(text, HasSubstr("1 row without any value: left out"));
}

TEST(Prepare, SaysThatTheFirstColumnNamesTheRows) {
  Table table = table_of(correlated_samples(3, 2, 2));
  table.rows = {"s1", "s2", "s3"};
  EXPECT_THAT(text_of(prepare_samples(table, {}, "t")), HasSubstr("names the rows ('s1', ...)"));
  table.rows = {"male", "female", "male"};
  const Prepared data = prepare_samples(table, {}, "t");
  EXPECT_TRUE(data.notes.front().warning);
  EXPECT_THAT(data.notes.front().text, HasSubstr("only 2 of 3 differ"));
}

TEST(Prepare, CountsMissingValuesAndSaysWhatWasDone) {
  const Matrix X = with_missing(correlated_samples(40, 5, 3), 0.1, 4);
  const auto gone = std::size_t(X.array().isNaN().count());
  const std::string count = std::to_string(gone) + " of 200 values are missing";
  const Prepared pairs = prepare_samples(table_of(X), {.missing = Missing::pairwise}, "t");
  EXPECT_EQ(pairs.missing, gone);
  EXPECT_THAT(text_of(pairs), HasSubstr(count));
  EXPECT_LT(pairs.moments.n, 40);
  const Prepared em = prepare_samples(table_of(X), {.missing = Missing::em}, "t");
  EXPECT_THAT(text_of(em), testing::AllOf(HasSubstr(count), HasSubstr("EM converged")));
  EXPECT_LT((em.moments.covariance() - em_covariance(X).S).norm(), 1e-10);
  EXPECT_NEAR(em.moments.n, 40 - double(gone) / 5, 1e-12);  // a row tells of what it misses
  const Prepared dropped = prepare_samples(table_of(X), {.missing = Missing::drop}, "t");
  EXPECT_THAT(text_of(dropped),
              testing::AllOf(HasSubstr(count), HasSubstr("of 40 rows: these were dropped")));
  EXPECT_EQ(dropped.missing, 0u);
  EXPECT_LT((dropped.moments.covariance() - empirical_covariance(complete_rows(X))).norm(), 1e-12);
}

TEST(Prepare, RepairsWhatPairsContradict) {
  Matrix X(30, 3);
  X.setConstant(kNaN);
  RandomStream random(5);
  for (Eigen::Index i = 0; i < 30; ++i) {  // each pair is seen in ten rows of its own
    const Eigen::Index a = i % 3, b = (i + 1) % 3;
    X(i, a) = random.normal();
    X(i, b) = (a == 2 ? -1 : 1) * X(i, a) + 0.01 * random.normal();
  }
  const Prepared data = prepare_samples(table_of(X), {}, "t");
  EXPECT_TRUE(data.moments.repair.needed);
  EXPECT_THAT(text_of(data), HasSubstr("pairwise correlations contradict each other; some were"));
  EXPECT_GT(Eigen::SelfAdjointEigenSolver<Matrix>(data.moments.R).eigenvalues()[0], 0);
}

TEST(Prepare, RanksForgetOutliers) {
  Matrix X = correlated_samples(200, 3, 6);
  const Prepared clean = prepare_samples(table_of(X), {}, "t");
  X(3, 0) = 1e6, X(50, 1) = -1e7;
  const Prepared ranks = prepare_samples(table_of(X), {.ranks = RankCorrelation::spearman}, "t");
  EXPECT_LT((ranks.moments.R - clean.moments.R).cwiseAbs().maxCoeff(), 0.15);
  EXPECT_LT(ranks.moments.scale.maxCoeff(), 10);
  EXPECT_THAT(text_of(ranks), HasSubstr("Spearman"));
  EXPECT_THAT(text_of(prepare_samples(table_of(X), {}, "t")),
              testing::AllOf(HasSubstr("heavy tails"), HasSubstr("from ranks")));
  EXPECT_THAT(text_of(ranks), testing::Not(HasSubstr("heavy tails")));
}

TEST(Prepare, LeavesOutColumnsThatStandTwice) {
  Matrix X = correlated_samples(30, 3, 7);
  X.col(2) = -2 * X.col(0).array() + 5;
  const Prepared data = prepare_samples(table_of(X), {}, "t");
  EXPECT_EQ(data.p(), 2u);
  EXPECT_THAT(text_of(data), HasSubstr("'a' with its sign reversed: left out"));
}

TEST(Prepare, NamesAreAllDifferent) {
  std::vector<DataNote> notes;
  EXPECT_THAT(unique_names({"a", "a", "", "a (2)", "a"}, 5, notes),
              ElementsAre("a", "a (3)", "x3", "a (2)", "a (4)"));
  ASSERT_EQ(notes.size(), 1u);
  EXPECT_TRUE(notes[0].warning);
  notes.clear();
  EXPECT_THAT(unique_names({}, 3, notes), ElementsAre("x1", "x2", "x3"));
  EXPECT_TRUE(notes.empty());
}

TEST(Prepare, RefusesWhatCannotBeAGraph) {
  const auto refuse = [](Matrix X, const PrepareOptions& options,
                         const std::vector<std::string>& parts) {
    expect_error([&] { prepare_samples(table_of(X), options, "dir/t.csv"); }, parts);
  };
  Matrix X = correlated_samples(6, 3, 8);
  refuse(X.topRows(1), {}, {"dir/t.csv: ", "1 sample", "at least 2"});
  Matrix constant = X;
  constant.leftCols(2).setConstant(1);
  refuse(constant, {}, {"1 variable is left", "'a' and 'b' are constant"});
  Matrix infinite = X;
  infinite(2, 1) = std::numeric_limits<double>::infinity();
  refuse(infinite, {}, {"sample 3", "'b'", "infinite", "NA"});
  Matrix apart = X;
  apart.col(0).head(4).setConstant(kNaN);
  apart.col(1).tail(2).setConstant(kNaN);
  refuse(apart, {.missing = Missing::drop}, {"0 of 6 rows", "keep rows"});
  refuse(1e200 * X, {}, {"rescale"});
}

TEST(Prepare, PairsThatAreNeverObservedTogetherGetNoEdge) {
  Matrix X = correlated_samples(40, 4, 3);
  X.col(0).head(20).setConstant(kNaN);
  X.col(1).tail(20).setConstant(kNaN);
  for (const Missing missing : {Missing::pairwise, Missing::em}) {
    const Prepared data = prepare_samples(table_of(X), {.missing = missing}, "t");
    ASSERT_EQ(data.apart.size(), 1u);
    EXPECT_THAT(text_of(data), HasSubstr("'a - b' is observed together in fewer than 10 rows"));
    const auto constraints = constraints_for(data, nullptr);
    ASSERT_TRUE(constraints);
    EXPECT_EQ((*constraints)(0, 1), PairRule::zero);
    EXPECT_EQ((*constraints)(0, 2), PairRule::free);
  }
  const Prepared asked = prepare_samples(table_of(X), {.link_unobserved = true}, "t");
  EXPECT_TRUE(asked.apart.empty());
}

TEST(Prepare, CovarianceIsTakenAsItIs) {
  const Matrix S = empirical_covariance(correlated_samples(50, 4, 9));
  Matrix padded = Matrix::Zero(5, 5);
  padded.topLeftCorner(4, 4) = S;
  const Prepared data = prepare_covariance(table_of(padded), 50, "t");
  EXPECT_THAT(data.names, ElementsAre("a", "b", "c", "d"));
  EXPECT_THAT(text_of(data), HasSubstr("'e' has variance 0: left out"));
  EXPECT_EQ(data.moments.n, 50);
  EXPECT_EQ(data.X.size(), 0);
  EXPECT_LT((data.moments.covariance() - S).norm(), 1e-14);
  Matrix indefinite = Matrix::Identity(4, 4);
  indefinite(0, 1) = indefinite(1, 0) = indefinite(0, 2) = indefinite(2, 0) = 0.9;
  indefinite(1, 2) = indefinite(2, 1) = -0.5;
  const Prepared repaired = prepare_covariance(table_of(indefinite), 50, "t");
  EXPECT_THAT(text_of(repaired), HasSubstr("W the covariance has negative eigenvalues"));
  expect_error([&] { prepare_covariance(table_of(S.topRows(3)), 50, "t"); }, {"square"});
  Matrix beyond = S;
  beyond(0, 1) = beyond(1, 0) = 3 * std::sqrt(S(0, 0) * S(1, 1));
  expect_error([&] { prepare_covariance(table_of(beyond), 50, "t"); },
               {"'a' and 'b'", "correlation of 3"});
}

TEST(Diagnose, WarnsOfWhatTheGaussianModelFitsBadly) {
  RandomStream random(10);
  Matrix X(300, 5);
  double walk = 0;
  for (Eigen::Index i = 0; i < 300; ++i) {
    walk = 0.95 * walk + random.normal();
    X.row(i) << walk, double(random.below(2)), double(random.below(6)),
        std::pow(random.normal(), 3), double(i + 1);
  }
  std::string text;
  for (const DataNote& note : diagnose(X, names_of(5), false)) text += note.text + "\n";
  EXPECT_THAT(text, HasSubstr("'b' has only two values"));
  EXPECT_THAT(text, HasSubstr("'c' looks like small counts"));
  EXPECT_THAT(text, HasSubstr("'d' has heavy tails"));
  EXPECT_THAT(text, HasSubstr("'e' counts the rows"));
  EXPECT_THAT(text, HasSubstr("successive rows resemble"));
}

TEST(Diagnose, IsSilentAboutGaussianSamples) {
  for (std::uint64_t seed = 0; seed < 20; ++seed)
    for (const Eigen::Index n : {10, 100})
      for (const DataNote& note : diagnose(correlated_samples(n, 6, seed), names_of(6), false))
        ADD_FAILURE() << n << " " << seed << " " << note.text;
}

TEST(Diagnose, KurtosisAndListedNames) {
  Vector values(4);
  values << -1, 1, -1, 1;
  EXPECT_NEAR(excess_kurtosis(values), -2, 1e-15);
  EXPECT_EQ(listed({"a"}), "'a'");
  EXPECT_EQ(listed({"a", "b"}), "'a' and 'b'");
  EXPECT_EQ(listed({"a", "b", "c", "d"}, 2), "'a', 'b' and 2 more");
}

TEST(Moments, AgreeOnCompleteData) {
  const Matrix X = correlated_samples(60, 4, 11);
  const Moments plain = moments(X);
  for (const Missing missing : {Missing::pairwise, Missing::em, Missing::drop}) {
    const Moments other = moments(X, {.missing = missing});
    EXPECT_EQ(other.R, plain.R);
    EXPECT_EQ(other.scale, plain.scale);
    EXPECT_EQ(missing_from(to_string(missing)), missing);
  }
  expect_error([] { missing_from("mean"); }, {"mean", "pairwise"});
  expect_error([] { rank_correlation_from("pearson"); }, {"pearson", "kendall"});
  expect_error(
      [&] {
        moments(with_missing(X, 0.2, 1),
                {.missing = Missing::em, .ranks = RankCorrelation::kendall});
      },
      {"EM", "pairwise"});
}

}  // namespace
}  // namespace spodnet::test
