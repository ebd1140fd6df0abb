#include "spodnet/tables/dependence.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <set>

#include "spodnet/core/random.hpp"
#include "spodnet/tables/moments.hpp"
#include "spodnet/tables/prepare.hpp"
#include "support/random_covariance.hpp"

namespace spodnet::test {
namespace {

Matrix samples(Eigen::Index n, Eigen::Index p, std::uint64_t seed) {
  RandomStream random(seed);
  Matrix X(n, p);
  for (double& x : X.reshaped()) x = random.normal();
  for (Eigen::Index j = 1; j < p; ++j) X.col(j) += 0.5 * X.col(j - 1);
  return X;
}

Matrix with_sum(Eigen::Index at) {
  const Matrix items = samples(60, 5, 1);
  Matrix X(60, 6);
  for (Eigen::Index j = 0, k = 0; j < 6; ++j)
    X.col(j) = j == at ? items.rowwise().sum().eval() : items.col(k++).eval();
  return X;
}

TEST(Dependence, ASumIsFoundWhereverItStands) {
  for (const Eigen::Index at : {0, 2, 5}) {
    const auto found = find_dependences(moments(with_sum(at)).R);
    ASSERT_EQ(found.size(), 1u) << at;
    EXPECT_EQ(found[0].leave_out, std::size_t(at));
    EXPECT_EQ(found[0].columns.size(), 6u);
  }
}

TEST(Dependence, OnlyTheColumnsInItAreNamed) {
  Matrix X = samples(80, 7, 2);
  X.col(6) = 2 * X.col(1) - X.col(3);
  const auto found = find_dependences(moments(X).R);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_THAT(found[0].columns, testing::ElementsAre(1u, 3u, 6u));
}

TEST(Dependence, WhatIsLeftHasFullRank) {
  Matrix X = samples(90, 8, 3);
  X.col(2) = -3 * X.col(5);
  X.col(6) = X.col(3) - X.col(4);
  X.col(7) = X.col(0) + X.col(1) + X.col(2);
  const Matrix R = moments(X).R;
  const auto found = find_dependences(R);
  EXPECT_EQ(found.size(), 3u);
  std::vector<Eigen::Index> kept;
  for (Eigen::Index j = 0; j < 8; ++j)
    if (std::none_of(found.begin(), found.end(),
                     [&](const auto& each) { return each.leave_out == std::size_t(j); }))
      kept.push_back(j);
  const Matrix left = R(kept, kept);
  EXPECT_GT(Eigen::SelfAdjointEigenSolver<Matrix>(left).eigenvalues()[0], 1e-4);
}

TEST(Dependence, IndependentColumnsHaveNone) {
  EXPECT_TRUE(find_dependences(moments(samples(50, 10, 4)).R).empty());
  EXPECT_TRUE(equal_columns(moments(samples(50, 10, 4)).R).empty());
}

TEST(Dependence, ATableKeepsWhatIsIndependentAndSaysSo) {
  Matrix X = with_sum(5);
  const Prepared data = prepare_samples({{"a", "b", "c", "d", "e", "total"}, {}, X}, {}, "t.csv");
  EXPECT_THAT(data.names, testing::ElementsAre("a", "b", "c", "d", "e"));
  bool said = false;
  for (const DataNote& note : data.notes)
    said = said || (note.warning && note.text.find("'total'") != std::string::npos);
  EXPECT_TRUE(said);
}

TEST(Dependence, AColumnThatStandsTwiceIsLeftOutWithItsSign) {
  Matrix X = samples(40, 4, 5);
  X.col(3) = 5 - 2 * X.col(1).array();
  const Prepared data = prepare_samples({{"a", "b", "c", "d"}, {}, X}, {}, "t.csv");
  EXPECT_THAT(data.names, testing::ElementsAre("a", "b", "c"));
  std::string notes;
  for (const DataNote& note : data.notes) notes += note.text + "\n";
  EXPECT_THAT(notes, testing::HasSubstr("with its sign reversed"));
}

/// A sum rounded to two decimals is no exact dependence, but links beside it cannot be
/// distinguished.
TEST(Dependence, ARoundedSumIsNamedAndItsLinksAreDoubtful) {
  const Matrix items = correlated_samples(200, 5, 8);
  Matrix X(200, 6);
  X.leftCols(5) = items;
  X.col(5) = ((items.leftCols(3).rowwise().sum() * 100).array().round() / 100);
  const Prepared data = prepare_samples({{"a", "b", "c", "d", "e", "sum"}, {}, X}, {}, "t");
  EXPECT_EQ(data.p(), 6u);
  using Pair = std::pair<std::size_t, std::size_t>;
  EXPECT_EQ(std::set<Pair>(data.doubtful.begin(), data.doubtful.end()),
            (std::set<Pair>{{0, 1}, {0, 2}, {1, 2}, {0, 5}, {1, 5}, {2, 5}}));
  ASSERT_EQ(data.notes.size(), 1u);
  EXPECT_TRUE(data.notes[0].warning);
  EXPECT_EQ(data.notes[0].text.find("'a', 'b', 'c' and 'sum' follow from each other but for"), 0u)
      << data.notes[0].text;
  EXPECT_TRUE(prepare_samples({{}, {}, items}, {}, "t").doubtful.empty());
}

}  // namespace
}  // namespace spodnet::test
