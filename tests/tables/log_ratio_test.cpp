#include "spodnet/tables/log_ratio.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "spodnet/core/random.hpp"
#include "support/expect_error.hpp"

namespace spodnet::test {
namespace {

using testing::ElementsAre, testing::HasSubstr;

/// Counts of four species and an age.
Table counts(std::uint64_t seed, Eigen::Index n = 60) {
  RandomStream random(seed);
  Table table{{"a", "b", "age", "c", "d"}, {}, Matrix(n, 5)};
  for (double& x : table.values.reshaped()) x = std::floor(std::exp(random.uniform(0, 5)));
  table.values.col(2).array() += 0.5;
  table.values(0, 0) = 0;
  return table;
}

Prepared with_ratios(Table table, const std::string& transform, std::optional<double> pseudo = {}) {
  PrepareOptions options;
  options.composition = composition_from(transform);
  options.composition.pseudo_count = pseudo;
  return prepare_samples(std::move(table), options, "t.csv");
}

std::string all_notes(const Prepared& data) {
  std::string text;
  for (const DataNote& note : data.notes) text += note.text + "\n";
  return text;
}

TEST(LogRatio, IsTheLogarithmOverTheGeometricMeanAndKeepsAllParts) {
  const Table table = counts(1);
  const Prepared data = with_ratios(table, "clr:a,b,4-5");
  EXPECT_THAT(data.names, ElementsAre("a", "b", "age", "c", "d"));  // no "dependent" column
  EXPECT_EQ(data.X.col(2), table.values.col(2));
  for (Eigen::Index i = 0; i < data.X.rows(); ++i) {
    EXPECT_NEAR(data.X(i, 0) - data.X(i, 1),
                std::log((table.values(i, 0) + 1) / (table.values(i, 1) + 1)), 1e-12);
  }
  EXPECT_THAT(all_notes(data), HasSubstr("after 1 was added to each (one count"));
}

/// Unrelated parts look unrelated, as far as 4000 rows tell, though each follows from the others.
TEST(LogRatio, ASizeIsPutBackSoThatUnrelatedPartsAreUnrelated) {
  RandomStream random(8);
  Table table{{"a", "b", "c", "d"}, {}, Matrix(4000, 4)};
  for (double& x : table.values.reshaped()) x = std::exp(random.normal());
  table.values = (table.values.array().colwise() / table.values.rowwise().sum().array()).eval();
  const Matrix R = with_ratios(table, "clr").moments.R;
  EXPECT_LT((R - Matrix::Identity(4, 4)).cwiseAbs().maxCoeff(), 0.06);  // -1/3 untransformed
}

/// cov(log-ratios + size) = cov(log-ratios) + variance 1 1^T, whatever was drawn.
TEST(LogRatio, TheCovarianceDependsOnNoDrawAndNoOrderOfRows) {
  const Table table = counts(9);
  const Matrix S = with_ratios(table, "clr:a,b,c,d").moments.R;
  Matrix expected = (table.values.array() + 1).log();
  expected.col(2) = table.values.col(2);
  Vector mean = Vector::Zero(60), part{{1, 1, 0, 1, 1}};
  for (const int j : {0, 1, 3, 4}) mean += expected.col(j) / 4;
  expected -= mean * part.transpose();
  expected.rowwise() -= expected.colwise().mean().eval();
  expected = (expected.transpose() * expected / 60).eval();
  const double variance = (expected.trace() - expected(2, 2)) / 12;
  expected += variance * part * part.transpose();
  const Vector scale = expected.diagonal().cwiseSqrt().cwiseInverse();
  expected = (scale.asDiagonal() * expected * scale.asDiagonal()).eval();
  EXPECT_LT((S - expected).cwiseAbs().maxCoeff(), 1e-12);
  Table turned = table;
  turned.values = table.values.colwise().reverse().eval();
  const Matrix again = with_ratios(turned, "clr:a,b,c,d").moments.R;
  EXPECT_LT((S - again).cwiseAbs().maxCoeff(), 1e-12);
}

TEST(LogRatio, AddsHalfTheSmallestShareAndNothingWhereNoPartIsZero) {
  Table table = counts(2);
  table.values(0, 0) = 3;
  Prepared data = with_ratios(table, "clr:a,b,c,d");
  EXPECT_NEAR(data.X(0, 0) - data.X(0, 1), std::log(table.values(0, 0) / table.values(0, 1)),
              1e-12);
  table.values /= 1000;
  table.values(0, 0) = 0;
  data = with_ratios(table, "clr:a,b,c,d");
  EXPECT_THAT(all_notes(data), HasSubstr("half of the smallest value above 0"));
  data = with_ratios(table, "clr:a,b,c,d", 0.25);
  EXPECT_NEAR(data.X(0, 0) - data.X(0, 1), std::log(0.25 / (table.values(0, 1) + 0.25)), 1e-12);
}

TEST(LogRatio, EmptyPartsAndRowsAreLeftOutAndSaid) {
  Table table = counts(3);
  table.values.col(3).setZero();
  table.values(5, 0) = table.values(5, 1) = table.values(5, 4) = 0;
  const Prepared data = with_ratios(table, "clr:a,b,c,d");
  EXPECT_THAT(data.names, ElementsAre("a", "b", "age", "d"));
  EXPECT_TRUE(std::isnan(data.X(5, 0)));
  EXPECT_THAT(all_notes(data), HasSubstr("'c' is 0 in every row: left out"));
  EXPECT_THAT(all_notes(data), HasSubstr("1 row is 0 in every part"));
}

TEST(LogRatio, ATrueCopyOfAPartIsStillFound) {
  Table table = counts(4);
  table.values.col(4) = table.values.col(1);
  EXPECT_THAT(with_ratios(table, "clr:a,b,c,d").names, ElementsAre("a", "b", "age", "c"));
}

TEST(LogRatio, RefusesWhatIsNoPart) {
  Table table = counts(5);
  table.values(7, 2) = -1;
  expect_error([&] { with_ratios(table, "clr"); }, {"t.csv", "sample 8", "'age'", "0 or more"});
  expect_error([&] { with_ratios(table, "clr:a"); }, {"two parts"});
  expect_error([&] { with_ratios(table, "clr:nothing,a"); }, {"t.csv", "nothing"});
  expect_error([&] { with_ratios(table, "ilr"); }, {"ilr", "clr"});
  expect_error([&] { with_ratios(table, "clr:"); }, {"no column behind the colon"});
  expect_error([&] { with_ratios(table, "clr:a,b", 0.0); }, {"add a pseudo-count"});
}

}  // namespace
}  // namespace spodnet::test
