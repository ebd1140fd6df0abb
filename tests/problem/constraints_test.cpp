#include "spodnet/problem/constraints.hpp"

#include <gtest/gtest.h>

#include "support/expect_error.hpp"
#include "support/random_constraints.hpp"

namespace spodnet::test {
namespace {

TEST(Constraints, RulesOfAPairHoldTogetherInBothOrders) {
  Constraints c(4);
  EXPECT_EQ(c(0, 2), PairRule::free);
  c.narrow(0, 2, PairRule::not_negative);
  EXPECT_EQ(c(2, 0), PairRule::not_negative);
  c.narrow(2, 0, PairRule::not_negative);
  EXPECT_EQ(c(0, 2), PairRule::not_negative);
  c.narrow(2, 0, PairRule::not_positive);
  EXPECT_EQ(c(0, 2), PairRule::zero);
  c.narrow(2, 0, PairRule::free);
  EXPECT_EQ(c(0, 2), PairRule::zero);
  c.narrow_all(PairRule::not_positive);
  EXPECT_EQ(c(0, 2), PairRule::zero);
  EXPECT_EQ(c(3, 1), PairRule::not_positive);
  expect_error([&] { c.narrow(1, 1, PairRule::zero); }, {"(1, 1)", "pair"});
  expect_error([&] { c.narrow(1, 4, PairRule::zero); }, {"(1, 4)", "4 variables"});
}

TEST(Constraints, PartialCorrelationAndThetaHaveOppositeSigns) {
  Constraints c(3);
  c.narrow(0, 1, PairRule::not_negative);
  c.narrow(0, 2, PairRule::not_positive);
  c.narrow(1, 2, PairRule::zero);
  EXPECT_TRUE(c.allow(0, 1, -0.5));  // Theta < 0: a positive partial correlation
  EXPECT_FALSE(c.allow(1, 0, 0.5));
  EXPECT_FALSE(c.allow(0, 2, -1e-300));
  EXPECT_TRUE(c.allow(0, 2, 1e-300));
  EXPECT_FALSE(c.allow(1, 2, 1e-300));
  EXPECT_FALSE(c.allow(2, 1, -1e-300));
  for (auto [i, j] : {std::pair(0, 1), std::pair(0, 2), std::pair(1, 2)})
    EXPECT_TRUE(c.allow(std::size_t(i), std::size_t(j), 0.0));
}

TEST(Constraints, ImposeChangesWhatIsForbiddenAndNothingElse) {
  RandomStream random(4);
  for (std::size_t p = 1; p < 12; ++p) {
    const Constraints c = random_constraints(p, random);
    Matrix A(p, p);
    for (double& x : A.reshaped()) x = random.normal();
    A = Matrix(A + A.transpose());
    Matrix B = A;
    c.impose(B);
    EXPECT_EQ(c.hold(A), broken_rules(c, A) == 0);
    EXPECT_TRUE(c.hold(B));
    EXPECT_EQ(broken_rules(c, B), 0);
    for (std::size_t i = 0; i < p; ++i) {
      Matrix row = A;
      c.mask(i, &row(Eigen::Index(i), 0));
      EXPECT_EQ(row.row(Eigen::Index(i)), B.row(Eigen::Index(i)));
      for (std::size_t j = 0; j < p; ++j)
        EXPECT_TRUE(B(i, j) == A(i, j) || (B(i, j) == 0 && !c.allow(i, j, A(i, j))));
    }
  }
}

TEST(Constraints, FollowTheirVariablesThroughPermutationsAndSelections) {
  RandomStream random(5);
  const Constraints c = random_constraints(6, random);
  const std::vector<std::size_t> order = {4, 0, 5, 2};
  const Constraints some = c.among(order);
  ASSERT_EQ(some.p(), 4u);
  for (std::size_t a = 0; a < 4; ++a)
    for (std::size_t b = 0; b < 4; ++b) {
      if (a == b) continue;
      EXPECT_EQ(some(a, b), c(order[a], order[b]));
    }
}

}  // namespace
}  // namespace spodnet::test
