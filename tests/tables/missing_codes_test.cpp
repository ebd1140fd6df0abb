#include "spodnet/tables/missing_codes.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "spodnet/tables/prepare.hpp"
#include "support/random_covariance.hpp"

namespace spodnet::test {
namespace {

double code_in(const std::vector<double>& values) {
  const auto found =
      find_missing_code(Eigen::Map<const Vector>(values.data(), Eigen::Index(values.size())));
  return found ? found->value : 0;
}

TEST(MissingCodes, AreNinesAndTheirLikeAwayFromTheOthers) {
  EXPECT_EQ(code_in({1, 2, 3, 4, 5, 9, 9}), 9);
  EXPECT_EQ(code_in({1, 2, 3, 4, 5, -99}), -99);
  EXPECT_EQ(code_in({0, 1, 0, 1, 88}), 88);
  EXPECT_EQ(code_in({1, 2, 3, 4, -1, -1}), -1);
  EXPECT_EQ(code_in({1, 2, 3, 998, 999}), 0);  // two codes: neither is alone
  EXPECT_EQ(code_in({36.6, 37.1, 38.2, 999, 999}), 999);
  EXPECT_EQ(code_in({-0.4, 1.2, 0.3, -999, -999}), -999);
}

TEST(MissingCodes, OtherNumbersAreNone) {
  EXPECT_EQ(code_in({5, 6, 7, 8, 9, 9}), 0);
  EXPECT_EQ(code_in({0, 1, 2, 3, 7}), 0);  // once: a count
  EXPECT_EQ(code_in({-1, 0, 1, -1, 0, 1}), 0);
  EXPECT_EQ(code_in({1, 2, 3, 4, 12, 12}), 0);
  EXPECT_EQ(code_in({20.5, 98, 97, 60, 80, 99}), 0);
  EXPECT_EQ(code_in({0.1, 0.5, 999}), 0);  // once among decimals: an outlier
}

TEST(MissingCodes, AreNamedWithTheirColumnAndCount) {
  Matrix X = correlated_samples(100, 3, 2);
  for (const Eigen::Index i : {4, 40, 77}) X(i, 1) = -99;
  const Prepared data = prepare_samples({{"a", "b", "c"}, {}, X}, {}, "t");
  ASSERT_GE(data.notes.size(), 1u);
  EXPECT_TRUE(data.notes[0].warning);
  EXPECT_EQ(data.notes[0].text.find("'b' has -99 3 times, away from its other values (-"), 0u)
      << data.notes[0].text;
  EXPECT_EQ(data.notes[0].advice, Advice::missing_word);
  EXPECT_EQ(data.notes[0].value, "-99");
}

}  // namespace
}  // namespace spodnet::test
