#include "spodnet/workflow/resampler.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "spodnet/core/random.hpp"
#include "support/shaped_table.hpp"

namespace spodnet::test {
namespace {

constexpr Eigen::Index kRows = kLargeTable + 1017;  // some without a value

ShapedTable large_table(double gaps) {
  ShapedTable table = shaped_table(3, kRows, 4);
  RandomStream random(9);
  for (double& x : table.X.reshaped()) x = random.uniform() < gaps ? std::nan("") : 1e5 + x;
  return table;
}

/// Spread of each correlation over `count` parts.
Vector spreads(int count, const std::function<Matrix(std::uint64_t)>& draw) {
  Vector sum = Vector::Zero(3), squares = sum;
  for (int k = 0; k < count; ++k) {
    const Matrix S = draw(std::uint64_t(k));
    const Vector r(Eigen::Vector3d(S(1, 0), S(2, 0), S(2, 1)));
    sum += r, squares += r.cwiseAbs2();
  }
  return (squares / count - (sum / count).cwiseAbs2()).cwiseMax(0).cwiseSqrt();
}

class LargeTable : public testing::TestWithParam<double> {};

TEST_P(LargeTable, BlocksVaryAsRowsDo) {
  const auto method = make_method("glasso:lambda=0.1", builtin_models());
  const WorkingData data = working_data(large_table(GetParam()).prepared(), true, {});
  const Resampler draw(data, *method);
  const auto by_blocks = [&](std::uint64_t k) { return draw.resampled(RandomStream(1, k)).S; };
  const auto by_rows = [&](std::uint64_t k) {
    const RowList rows = resampled_rows({}, false, std::size_t(data.Y.rows()), RandomStream(2, k));
    return moments(data.Y(rows, Eigen::all)).R;
  };
  const Vector ratio = spreads(400, by_blocks).cwiseQuotient(spreads(60, by_rows));
  EXPECT_GT(ratio.minCoeff(), 0.65);  // 60 resamples know a spread within 9 %
  EXPECT_LT(ratio.maxCoeff(), 1.5);
  const double expected = std::pow(1 - GetParam(), 2);
  EXPECT_NEAR(draw.resampled(RandomStream(1)).n, expected * kRows, 0.02 * kRows);
}

TEST_P(LargeTable, NothingLeftOutIsTheWholeTable) {
  const auto method = make_method("glasso:lambda=0.1", builtin_models());
  const WorkingData data = working_data(large_table(GetParam()).prepared(), false, {});
  const Resampler draw(data, *method);
  const TrainingPart all = draw.without(0, RandomStream(3)),
                     half = draw.without(0.5, RandomStream(4));
  EXPECT_LT((all.S - data.all.S).cwiseAbs().maxCoeff(), 1e-9 * data.all.S.maxCoeff());
  EXPECT_LT((all.mean - data.all.mean).cwiseAbs().maxCoeff(), 1e-9);
  EXPECT_NEAR(all.n, data.all.n, 1e-6);
  EXPECT_NEAR(half.n, data.all.n / 2, 0.005 * data.all.n);
  EXPECT_EQ(draw.problem_of(half).X, &data.all.X);
}

INSTANTIATE_TEST_SUITE_P(Gaps, LargeTable, testing::Values(0.0, 0.1));

TEST(Resampler, MakesPartsOfRowsWhereSumsWouldNotDo) {
  const WorkingData large = working_data(large_table(0).prepared(), true, {});
  const auto splits = make_method("ledoit-wolf", builtin_models());
  EXPECT_EQ(Resampler(large, *splits).resampled(RandomStream(1)).X.rows(), kRows);
  const WorkingData small = working_data(shaped_table(3, 50, 4).prepared(), true, {});
  const auto method = make_method("glasso:lambda=0.1", builtin_models());
  const Resampler draw(small, *method);
  const TrainingPart part = draw.resampled(RandomStream(1, 2));
  const RowList rows = resampled_rows({}, false, 50, RandomStream(1, 2));
  EXPECT_EQ(part.S, part_of(small, rows).S);
  EXPECT_EQ(draw.problem_of(part).X, &part.X);
}

}  // namespace
}  // namespace spodnet::test
