#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "spodnet/core/random.hpp"
#include "spodnet/tables/prepare.hpp"
#include "spodnet/tables/prepare_columns.hpp"
#include "support/expect_error.hpp"

namespace spodnet::test {
namespace {

using testing::HasSubstr;

/// Two continuous columns, one of three levels and one of two, correlated; 60 rows.
Matrix mixed_rows(std::uint64_t seed) {
  RandomStream random(seed);
  Matrix X(60, 4);
  for (Eigen::Index i = 0; i < 60; ++i) {
    const double z = random.normal();
    X.row(i) << z, 0.6 * z + random.normal(),
        std::round(std::clamp(z + random.normal(), -1.0, 1.0)), z + random.normal() > 0 ? 1 : 0;
  }
  return X;
}

std::string notes_of(const Prepared& data) {
  std::string text;
  for (const DataNote& note : data.notes) text += note.text + "\n";
  return text;
}

TEST(PrepareRows, FactsFollowTheRowsThatStay) {
  Matrix X = mixed_rows(1).leftCols(2);
  PrepareOptions options;
  options.rows.weight = Vector::LinSpaced(60, 1, 60);
  for (std::uint32_t i = 0; i < 60; ++i) options.rows.cluster.push_back(i / 3);
  X.row(5).setConstant(std::nan(""));     // no value at all
  options.rows.weight[9] = std::nan("");  // no weight
  options.rows.weight[20] = 0;
  const Prepared data = prepare_samples({{}, {}, X}, options, "t");
  ASSERT_EQ(data.X.rows(), 57);
  EXPECT_NEAR(data.rows.weight[5], 7, 1e-12);  // row 6 took the place of row 5
  EXPECT_EQ(data.rows.cluster[5], 2u);
  EXPECT_NEAR(data.rows.weight[56], 60, 1e-12);
  EXPECT_EQ(data.X.row(56), X.row(59));
  EXPECT_THAT(notes_of(data), HasSubstr("2 rows without a weight or a covariate: left out"));
  EXPECT_THAT(notes_of(data), HasSubstr("20 clusters"));
  options.rows.weight[3] = -1;
  expect_error([&] { prepare_samples({{}, {}, X}, options, "t"); }, {"t: sample 4", "weight -1"});
}

TEST(PrepareRows, LevelsAreFoundAndCountedForWhatTheyTell) {
  const Matrix X = mixed_rows(2);
  PrepareOptions options;
  options.kind = TableKind::automatic;
  const Prepared data = prepare_samples({{}, {}, X}, options, "t");
  EXPECT_EQ(data.kinds, (std::vector<ColumnKind>{ColumnKind::gaussian, ColumnKind::gaussian,
                                                 ColumnKind::ordinal, ColumnKind::ordinal}));
  const Vector& e = data.moments.information;
  double mean = 0;
  for (Eigen::Index i = 0; i < 4; ++i)
    for (Eigen::Index j = 0; j < i; ++j) mean += e[i] * e[j] / 6;
  EXPECT_EQ(e[0], 1);
  EXPECT_LT(e[3], e[2]);
  EXPECT_LT(data.moments.n,
            60 * mean);  // levels tell less of strong correlations than of weak ones
  EXPECT_GT(data.moments.n, 0.9 * 60 * mean);
  EXPECT_THAT(notes_of(data), HasSubstr("'x3' and 'x4' are taken for ordered levels"));
  EXPECT_TRUE(
      prepare_samples({{}, {}, X}, {}, "t").kinds.empty());  // the library takes them as they are
  EXPECT_TRUE(
      prepare_samples({{}, {}, X.topRows(12)}, options, "t").kinds.empty());  // too few rows
}

TEST(PrepareRows, HeavyTailsAreTakenByTheirRanks) {
  RandomStream random(6);
  Matrix X(300, 3);
  for (double& x : X.reshaped()) x = random.normal();
  X.col(1) = (2 * X.col(1)).array().exp();
  const auto kinds = [&](PrepareOptions options) {
    options.kind = TableKind::automatic;
    return prepare_samples({{}, {}, X}, options, "t");
  };
  const Prepared data = kinds({});
  EXPECT_EQ(data.kinds, (std::vector<ColumnKind>{ColumnKind::gaussian, ColumnKind::ranks,
                                                 ColumnKind::gaussian}));
  EXPECT_THAT(notes_of(data), HasSubstr("'x2' has heavy tails"));
  EXPECT_TRUE(prepare_samples({{}, {}, X}, {}, "t").kinds.empty());
  EXPECT_TRUE(kinds({.ranks = RankCorrelation::kendall}).kinds.empty());
  Prepared fewer = data;
  keep_columns(fewer, {1, 2});
  EXPECT_EQ(fewer.kinds, (std::vector<ColumnKind>{ColumnKind::ranks, ColumnKind::gaussian}));
  X = X.array().exp();  // parts of a whole: logarithms of their shares
  EXPECT_TRUE(kinds({.composition = {.log_ratios = true}}).kinds.empty());
}

TEST(PrepareRows, LevelsThatTellTooLittleAreAWarning) {
  RandomStream random(5);
  PrepareOptions options;
  options.kind = TableKind::automatic;
  const auto notes = [&](double none) {
    Matrix X = Matrix::Zero(200, 4);
    for (double& x : X.reshaped())
      if (random.uniform() > none) x = double(1 + random.below(2));
    return prepare_samples({{}, {}, X}, options, "t").notes;
  };
  const auto warned = [](const std::vector<DataNote>& all) {
    return std::any_of(all.begin(), all.end(), [](const DataNote& note) {
      return note.warning && note.text.starts_with("too few non-zero answers to estimate any link");
    });
  };
  EXPECT_TRUE(warned(notes(0.985)));
  EXPECT_FALSE(warned(notes(0.5)));
}

TEST(PrepareRows, CovariatesLeaveTheGraphAndCostARowEach) {
  const Matrix X = mixed_rows(3);
  PrepareOptions options;
  options.rows.covariates = X.leftCols(1);
  const Prepared data = prepare_samples({{"b", "c"}, {}, X.middleCols(1, 2)}, options, "t");
  EXPECT_EQ(data.moments.n, 59);
  EXPECT_FALSE(data.plain());
  EXPECT_LT(data.moments.R(0, 1),
            prepare_samples({{"b", "c"}, {}, X.middleCols(1, 2)}, {}, "t").moments.R(0, 1));
  options.kind = TableKind::ordinal;
  expect_error(
      [&] {
        prepare_samples({{"b", "c"}, {}, X.middleCols(1, 2)}, options, "t");
      },
      {"levels cannot be adjusted"});
}

}  // namespace
}  // namespace spodnet::test
