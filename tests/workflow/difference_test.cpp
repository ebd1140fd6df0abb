#include "spodnet/workflow/difference.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "spodnet/generate/gaussian.hpp"
#include "spodnet/metrics/edge_agreement.hpp"
#include "spodnet/report/difference_page.hpp"
#include "spodnet/workflow/groups.hpp"
#include "spodnet/workflow/joint.hpp"
#include "support/csv_cells.hpp"
#include "support/expect_error.hpp"

namespace spodnet::test {
namespace {

/// A chain of p variables whose links have this partial correlation, the first one another.
Matrix chain(Eigen::Index p, double link, double first) {
  Matrix Theta = Matrix::Identity(p, p);
  for (Eigen::Index i = 1; i < p; ++i) Theta(i, i - 1) = Theta(i - 1, i) = -(i == 1 ? first : link);
  return Theta;
}

Prepared two_groups(double first_a, double first_b, std::size_t n, std::uint64_t seed) {
  RandomStream random(seed);
  const Matrix A = sample_gaussian(chain(5, 0.4, first_a), n, random);
  const Matrix B = sample_gaussian(chain(5, 0.4, first_b), n, random);
  Table table;
  table.values.resize(Eigen::Index(2 * n), 5);
  table.values << A, (B.array() * 3 + 10).matrix();  // other means and scales: no difference
  PrepareOptions options;
  for (std::size_t i = 0; i < 2 * n; ++i) options.rows.group.push_back(i < n ? 0 : 1);
  return prepare_samples(std::move(table), options, "table");
}

Difference found(double first_a, double first_b, std::uint64_t seed, int threads = 1,
                 std::size_t permutations = 99) {
  ThreadPool pool(threads);
  return difference(two_groups(first_a, first_b, 150, seed), {"A", "B"},
                    {.permutations = permutations, .seed = 3}, {.pool = pool});
}

TEST(Difference, FindsTheEdgeThatDiffersAndNoOther) {
  const Difference d = found(0.5, -0.4, 1, 1, 199);
  ASSERT_EQ(d.pairs.size(), 1u);
  const PermutationTest& test = d.pairs[0].test;
  EXPECT_EQ(test.done, 199u);
  EXPECT_LE(test.p_structure, 0.01);
  EXPECT_LE(test.p_max(0, 1), 0.01);
  EXPECT_GT(test.partial_a(0, 1), 0.2);
  EXPECT_LT(test.partial_b(0, 1), -0.2);
  for (Eigen::Index i = 1; i < 5; ++i)
    for (Eigen::Index j = i + 1; j < 5; ++j) EXPECT_GT(test.p_max(i, j), 0.05);
}

/// Columns negated, in another order and other units: the same differences and p-values.
TEST(Difference, DependsOnNoCodingOrderOrUnits) {
  Prepared data = two_groups(0.5, -0.4, 150, 1);
  const std::vector<Eigen::Index> order = {3, 0, 4, 2, 1};
  const Vector unit{{-100, 1, -0.01, 3, -1}};
  Table table;
  table.values = data.X(Eigen::all, order) * unit.asDiagonal();
  PrepareOptions options;
  options.rows.group = data.rows.group;
  ThreadPool pool(1);
  const auto tested = [&](Prepared each) {
    return difference(std::move(each), {"A", "B"}, {.permutations = 49, .seed = 3}, {.pool = pool})
        .pairs[0]
        .test;
  };
  const PermutationTest given = tested(std::move(data));
  const PermutationTest other = tested(prepare_samples(std::move(table), options, "table"));
  EXPECT_EQ(other.p_structure, given.p_structure);
  EXPECT_EQ(other.p_strength, given.p_strength);
  EXPECT_EQ(other.p_edge, Matrix(given.p_edge(order, order)));
  const Vector sign = unit.array().sign();
  const Matrix turned = sign.asDiagonal() * other.partial_a * sign.asDiagonal();
  EXPECT_LT((turned - Matrix(given.partial_a(order, order))).cwiseAbs().maxCoeff(), 1e-6);
}

TEST(Difference, IsTheSameForAnyNumberOfThreads) {
  const Difference one = found(0.4, 0.1, 2, 1), three = found(0.4, 0.1, 2, 3);
  EXPECT_EQ(differences_csv(one), differences_csv(three));
  EXPECT_EQ(difference_json(one), difference_json(three));
}

/// P-values of equal groups are uniform: at most 5 % lie below 0.05, whatever means and scales are.
TEST(Difference, KeepsItsLevelWhereNothingDiffers) {
  int structure = 0, edges = 0, strength = 0;
  constexpr int kTimes = 60;
  for (int k = 0; k < kTimes; ++k) {
    const PermutationTest test = found(0.4, 0.4, 100 + std::uint64_t(k), 1, 39).pairs[0].test;
    structure += test.p_structure <= 0.05;
    strength += test.p_strength <= 0.05;
    Matrix p = test.p_max;
    p.diagonal().setOnes();
    edges += p.minCoeff() <= 0.05;
  }
  EXPECT_LE(structure, 8);  // 3 expected; 9 or more once in 250 times
  EXPECT_LE(strength, 8);
  EXPECT_EQ(edges, structure);  // the largest difference is the structure's
}

TEST(PermutationTest, CountsWhatDealingByHandGives) {
  Prepared data = two_groups(0.5, 0.2, 40, 5);
  const auto parts = split_groups(data, {"A", "B"});
  const WorkingData a = working_data(parts[0], true, {}), b = working_data(parts[1], true, {});
  const auto method = make_method("glasso:lambda=0.1", builtin_models());
  ThreadPool pool(1);
  const PermutationTest test =
      permutation_test(a, b, *method, {.permutations = 19, .seed = 8}, pool);
  const Matrix Z = pooled_rows(a, b).Y;
  EXPECT_LT(Z.topRows(40).colwise().mean().cwiseAbs().maxCoeff(), 1e-12);
  const auto difference_of = [&](const RowList& rows) {  // of the first 40 and the others
    Matrix partial[2];
    for (const int side : {0, 1}) {
      Matrix part(40, 5);
      for (Eigen::Index i = 0; i < 40; ++i) part.row(i) = Z.row(rows[std::size_t(40 * side + i)]);
      const Moments m = moments(part);
      const Matrix Theta = method->estimate({m.R, 40}).Theta;
      partial[side] = partial_correlations(Theta, Theta);
    }
    return Matrix((partial[0] - partial[1]).cwiseAbs());
  };
  RowList rows(80);
  for (std::uint32_t i = 0; i < 80; ++i) rows[i] = i;
  const Matrix seen = difference_of(rows);
  EXPECT_NEAR(test.largest, seen.maxCoeff(), 1e-6);
  double structure = 1, edge = 1, max = 1;
  for (std::uint64_t k = 1; k <= 19; ++k) {
    RowList dealt = rows;
    RandomStream(8, k).shuffle(dealt);
    const Matrix drawn = difference_of(dealt);
    structure += drawn.maxCoeff() >= seen.maxCoeff();
    edge += drawn(0, 1) >= seen(0, 1);
    max += drawn.maxCoeff() >= seen(0, 1);
  }
  EXPECT_DOUBLE_EQ(test.p_structure, structure / 20);
  EXPECT_DOUBLE_EQ(test.p_edge(0, 1), edge / 20);
  EXPECT_DOUBLE_EQ(test.p_max(0, 1), max / 20);
  EXPECT_EQ(test.p_max, test.p_max.transpose());
}

/// The same people twice: what is common to a person's two rows hides a difference from rows dealt
/// to anybody, and not from rows exchanged within persons.
Prepared the_same_people(double first_b, std::size_t people, std::uint64_t seed, bool paired) {
  RandomStream random(seed);
  const Matrix common = sample_gaussian(Matrix::Identity(4, 4), people, random);
  const Matrix A = sample_gaussian(chain(4, 0.4, 0.45), people, random);
  const Matrix B = sample_gaussian(chain(4, 0.4, first_b), people, random);
  Table table;
  table.values.resize(Eigen::Index(2 * people), 4);
  table.values << A + common, B + common;
  PrepareOptions options;
  for (std::size_t i = 0; i < 2 * people; ++i) {
    options.rows.group.push_back(i < people ? 0 : 1);
    if (paired) options.rows.person.push_back(std::uint32_t(i < people ? i : 2 * people - 1 - i));
  }
  if (paired)  // the second group's people stand in another order than the first one's
    table.values.bottomRows(Eigen::Index(people)) =
        Matrix(table.values.bottomRows(Eigen::Index(people)).colwise().reverse());
  return prepare_samples(std::move(table), options, "table");
}

PermutationTest tested(double first_b, std::uint64_t seed, bool paired) {
  ThreadPool pool(1);
  return difference(the_same_people(first_b, 80, seed, paired), {"A", "B"},
                    {.method = "glasso:lambda=0.05", .permutations = 39, .seed = seed},
                    {.pool = pool})
      .pairs[0]
      .test;
}

TEST(PairedDifference, KeepsItsLevelAndFindsMoreThanUnpaired) {
  int level = 0, paired = 0, unpaired = 0;
  for (std::uint64_t k = 0; k < 40; ++k) {
    level += tested(0.45, 200 + k, true).p_structure <= 0.05;
    if (k >= 20) continue;
    paired += tested(-0.1, 300 + k, true).p_structure <= 0.05;
    unpaired += tested(-0.1, 300 + k, false).p_structure <= 0.05;
  }
  EXPECT_LE(level, 6);  // 2 expected; 7 or more once in 300 times
  EXPECT_GE(paired, unpaired);
  EXPECT_GE(paired, 8);
}

TEST(PairedDifference, PeopleOfOneGroupAloneAreLeftOutAndTwiceIsRefused) {
  Prepared data = the_same_people(0.4, 30, 1, true);
  data.rows.person[0] = 1000;
  keep_whole_pairs(data, 2);
  EXPECT_EQ(data.X.rows(), 58);
  EXPECT_EQ(data.rows.group.size(), 58u);
  const DataNote& note = data.notes.at(data.notes.size() - 2);
  EXPECT_TRUE(note.warning);
  EXPECT_THAT(note.text, testing::HasSubstr("2 of 31 persons have no row in every group"));
  data.rows.person[0] = data.rows.person[1];
  expect_error([&] { keep_whole_pairs(data, 2); }, {"row 2", "second one in its group"});
}

TEST(Holm, MultipliesTheSmallestByThemAllAndNeverFalls) {
  Matrix p = Matrix::Ones(3, 3);
  p(0, 1) = p(1, 0) = 0.01, p(0, 2) = p(2, 0) = 0.04, p(1, 2) = p(2, 1) = 0.03;
  const Matrix corrected = holm(p);
  EXPECT_DOUBLE_EQ(corrected(0, 1), 0.03);
  EXPECT_DOUBLE_EQ(corrected(1, 2), 0.06);
  EXPECT_DOUBLE_EQ(corrected(0, 2), 0.06);
}

TEST(Joint, BorrowsTheMeanOfAllAndCountsItsSamples) {
  std::vector<TrainingPart> parts(2);
  parts[0].S = Matrix{{1, 0.2}, {0.2, 1}}, parts[0].n = 30;
  parts[1].S = Matrix{{1, 0.8}, {0.8, 1}}, parts[1].n = 90;
  EXPECT_DOUBLE_EQ(borrowed(parts, 0, 1).S(0, 1), 0.65);
  EXPECT_DOUBLE_EQ(borrowed(parts, 0, 1).n, 120);
  EXPECT_DOUBLE_EQ(borrowed(parts, 1, 0).S(0, 1), 0.8);
  EXPECT_DOUBLE_EQ(borrowed(parts, 1, 0).n, 90);
  EXPECT_DOUBLE_EQ(borrowed(parts, 0, 0.5).S(0, 1), 0.425);
}

TEST(Joint, EqualGroupsBorrowAndOppositeOnesDoNot) {
  EXPECT_GT(found(0.4, 0.4, 6, 1, 1).joint, 0);
  EXPECT_LT(found(0.6, -0.6, 7, 1, 1).joint, 0.75);
}

TEST(Groups, TablesAreMatchedByTheNamesOfTheirColumns) {
  const Table a{{"x", "y", "z"}, {}, Matrix{{1, 2, 3}, {4, 5, 6}}};
  const Table b{{"z", "x", "w"}, {}, Matrix{{7, 8, 9}}};
  const Table both = stacked({a, b}, {"a.csv", "b.csv"});
  EXPECT_EQ(both.columns, (std::vector<std::string>{"x", "z"}));
  EXPECT_EQ(both.values, (Matrix{{1, 3}, {4, 6}, {8, 7}}));
  ASSERT_EQ(both.remarks.size(), 1u);
  EXPECT_THAT(both.remarks[0], testing::HasSubstr("'y' and 'w' are not in every table"));
  const Table other{{"u"}, {}, Matrix{{7}}};
  expect_error([&] { stacked({a, other}, {"a.csv", "o.csv"}); }, {"a.csv", "no column"});
}

TEST(Groups, AVariableThatIsConstantInOneGroupIsLeftOutOfBoth) {
  Prepared data = two_groups(0.3, 0.3, 20, 9);
  data.X.topRows(20).col(2).setConstant(1);
  const auto parts = split_groups(data, {"A", "B"});
  EXPECT_EQ(parts[0].names, (std::vector<std::string>{"x1", "x2", "x4", "x5"}));
  EXPECT_EQ(parts[1].X.cols(), 4);
  EXPECT_THAT(data.notes.back().text, testing::HasSubstr("'x3' is constant in a group"));
  data.rows.group.assign(40, 0);
  data.rows.group[0] = 1;
  expect_error([&] { split_groups(data, {"A", "B"}); }, {"group 'B' has 1 rows"});
}

TEST(DifferenceFiles, HoldEveryPair) {
  const Difference d = found(0.5, -0.4, 1, 1, 99);
  const auto rows = csv_cells(differences_csv(d));
  ASSERT_EQ(rows.size(), 11u);
  EXPECT_EQ(rows[0], (std::vector<std::string>{"source", "target", "A", "B", "difference", "p",
                                               "p_holm", "p_max"}));
  const auto json = nlohmann::json::parse(difference_json(d));
  EXPECT_EQ(json["groups"][1]["rows"], 150);
  EXPECT_EQ(json["tests"][0]["edges"][0]["target"], "x2");
  EXPECT_EQ(json["tests"][0]["permutations"], 99);
}

TEST(Difference, TheVerdictDoesNotContradictItself) {
  Difference found;
  found.groups = {{"a", 10, {}, 0}, {"b", 10, {}, 0}};
  GroupPair pair{0, 1, {}};
  const auto said = [&](double structure, double strength) {
    pair.test.p_structure = structure, pair.test.p_strength = strength;
    return verdict(found, pair);
  };
  using testing::HasSubstr, testing::StartsWith;
  EXPECT_THAT(said(0.4, 0.3), StartsWith("No difference was found, neither in single edges"));
  EXPECT_THAT(said(0.01, 0.3), StartsWith("The graphs differ in single edges"));
  EXPECT_THAT(said(0.01, 0.02), StartsWith("The graphs differ, in single edges"));
  const std::string strength = said(0.4, 0.02);
  EXPECT_THAT(strength, StartsWith("The graphs differ in total strength"));
  EXPECT_THAT(strength, HasSubstr("p = 0.02"));
  EXPECT_THAT(strength, testing::Not(HasSubstr("No difference")));
}

}  // namespace
}  // namespace spodnet::test
