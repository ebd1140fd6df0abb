#include "spodnet/tables/copied_rows.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "spodnet/core/random.hpp"
#include "spodnet/tables/prepare.hpp"
#include "support/expect_error.hpp"
#include "support/random_covariance.hpp"

namespace spodnet::test {
namespace {

Matrix every_row_five_times(const Matrix& rows, std::uint64_t seed) {
  RowList order;
  for (Eigen::Index k = 0; k < 5 * rows.rows(); ++k) order.push_back(std::uint32_t(k / 5));
  RandomStream(seed, 0).shuffle(order);
  return rows(order, Eigen::all);
}

TEST(CopiedRows, AreFoundAndNumberedAlike) {
  Matrix X = every_row_five_times(correlated_samples(40, 4, 3), 7);
  X.row(0).setConstant(std::nan(""));
  X.row(9).setConstant(std::nan(""));
  const auto found = find_copied_rows(X);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->different, 41u);
  EXPECT_EQ(found->number[0], found->number[9]);
  for (Eigen::Index i = 1; i < 9; ++i)
    for (Eigen::Index k = i + 1; k < 9; ++k)
      EXPECT_EQ(found->number[std::size_t(i)] == found->number[std::size_t(k)],
                X.row(i) == X.row(k));
}

TEST(CopiedRows, ChanceMakesThemWhereAnswersAreFew) {
  EXPECT_FALSE(find_copied_rows(correlated_samples(200, 4, 3)));
  EXPECT_FALSE(find_copied_rows((2 * correlated_samples(200, 4, 3)).array().round()));
  EXPECT_FALSE(find_copied_rows(correlated_samples(300, 6, 3).array().sign()));
}

TEST(CopiedRows, CountOnceInATable) {
  const Matrix rows = correlated_samples(60, 5, 4);
  const Prepared data = prepare_samples({{}, {}, every_row_five_times(rows, 1)}, {}, "t");
  EXPECT_NEAR(data.moments.n, 60, 1e-9);
  EXPECT_EQ(data.rows.cluster.size(), 300u);
  ASSERT_EQ(data.notes.size(), 2u);
  EXPECT_TRUE(data.notes[0].warning);
  EXPECT_EQ(data.notes[0].text.find("240 of 300 rows are copies of others: the 60 different"), 0u)
      << data.notes[0].text;
  EXPECT_EQ(data.notes[0].advice, Advice::weights);
  EXPECT_EQ(data.notes[1].text.find("effective sample size 60 of 300 rows"), 0u)
      << data.notes[1].text;
}

TEST(CopiedRows, BlocksThatAreTooFewAreAWarningAndTooLongAreRefused) {
  const Matrix X = correlated_samples(60, 4, 4);
  const auto with = [&](std::size_t length) {
    PrepareOptions options;
    options.rows.block_length = length;
    return prepare_samples({{}, {}, X}, options, "t");
  };
  EXPECT_EQ(with(6).notes.size(), 1u);
  ASSERT_EQ(with(7).notes.size(), 2u);
  EXPECT_TRUE(with(7).notes[0].warning);
  EXPECT_EQ(with(7).notes[0].text.find("60 rows hold 8 blocks of 7 successive ones"), 0u);
  expect_error([&] { (void)with(60); }, {"t: blocks of 60", "at most 6 rows here"});
}

}  // namespace
}  // namespace spodnet::test
