#include "spodnet/generate/dataset.hpp"

#include <gtest/gtest.h>

#include <Eigen/LU>
#include <cmath>
#include <set>

#include "spodnet/core/error.hpp"
#include "spodnet/tables/covariance.hpp"

namespace spodnet {
namespace {

DataSet generate(const DataSetOptions& options, int threads = 1) {
  ThreadPool pool(threads);
  return generate_dataset(options, pool);
}

TEST(DataSet, SameForAnyNumberOfThreads) {
  const DataSetOptions options{.p = 13, .n = 20, .count = 40, .seed = 3, .keep_samples = true};
  const DataSet one = generate(options, 1), four = generate(options, 4);
  EXPECT_EQ(one.S.values, four.S.values);
  EXPECT_EQ(one.Theta_true.values, four.Theta_true.values);
  EXPECT_EQ(one.X.values, four.X.values);
}

TEST(DataSet, DependsOnSeedAndIndexAlone) {
  const DataSet all = generate({.p = 7, .n = 9, .count = 12, .seed = 5});
  const DataSet rest = generate({.p = 7, .n = 9, .count = 4, .seed = 5, .first_index = 8});
  for (std::size_t k = 0; k < 4; ++k) {
    EXPECT_EQ(Matrix(rest.S[k]), Matrix(all.S[8 + k]));
    EXPECT_EQ(Matrix(rest.Theta_true[k]), Matrix(all.Theta_true[8 + k]));
  }
  EXPECT_NE(Matrix(all.S[0]), Matrix(all.S[1]));
  EXPECT_NE(generate({.p = 7, .n = 9, .count = 12, .seed = 6}).S.values, all.S.values);
}

TEST(DataSet, RecordedValuesNeverChange) {
  // A data set is named by its seed: a release that draws otherwise would make results
  // incomparable.
  const DataSet data = generate({.p = 4, .n = 3, .alpha = {{0.5}}, .count = 2, .seed = 1});
  Matrix Theta(4, 4);
  Theta << 1.1000000000000001, 0, -0.66901446126135544, -0.6248825347936886,  //
      0, 1.6885119559460131, 0, -0.76714532909091804,                         //
      -0.66901446126135544, 0, 1.5475803493768217, -0.41921521107231807,      //
      -0.6248825347936886, -0.76714532909091804, -0.41921521107231807, 2.1915003461456815;
  EXPECT_LT((data.Theta_true[0] - Theta).norm(), 1e-15);
  EXPECT_NEAR(data.S[0](0, 1), -0.23755644282820443, 1e-14);
  EXPECT_NEAR(data.S[1](3, 3), 0.0031713183249819804, 1e-15);
}

TEST(DataSet, MoreSamplesBeginWithTheFewer) {
  const DataSet few = generate({.p = 6, .n = 5, .count = 3, .keep_samples = true});
  const DataSet more = generate({.p = 6, .n = 11, .count = 3, .keep_samples = true});
  EXPECT_EQ(few.Theta_true.values, more.Theta_true.values);
  for (std::size_t k = 0; k < 3; ++k) EXPECT_EQ(Matrix(few.X[k]), Matrix(more.X[k].topRows(5)));
}

TEST(DataSet, CovariancesAreThoseOfTheSamples) {
  for (bool centred : {true, false}) {
    const DataSet data =
        generate({.p = 8, .n = 15, .count = 5, .centred = centred, .keep_samples = true});
    for (std::size_t k = 0; k < 5; ++k)
      EXPECT_EQ(Matrix(data.S[k]), empirical_covariance(data.X[k], {.centred = centred}));
  }
}

TEST(DataSet, MeanOfManyCovariancesIsTheMeanInverse) {
  // E S = (n - 1)/n Theta^{-1} for centred data: the traces, averaged, must agree.
  const std::size_t n = 10, count = 3000;
  const DataSet data = generate({.p = 4, .n = n, .alpha = {{0.5}}, .count = count, .seed = 2});
  double trace_S = 0, trace_W = 0;
  for (std::size_t k = 0; k < count; ++k) {
    trace_S += data.S[k].trace() / double(count);
    trace_W += Matrix(Matrix(data.Theta_true[k]).inverse()).trace() / double(count);
  }
  EXPECT_NEAR(trace_S / trace_W, 0.9, 0.02);
}

TEST(DataSet, ListsAndRangesOfSparsity) {
  const DataSet list =
      generate({.p = 30, .n = 2, .alpha = sparsity_levels_from("1,0.2"), .count = 6});
  for (std::size_t k = 0; k < 6; ++k) {
    const auto zeros = (list.Theta_true[k].array() == 0).count();
    if (k % 2 == 0)
      EXPECT_EQ(zeros, 30 * 29);
    else
      EXPECT_LT(zeros, 30 * 10);
  }
  const DataSet range =
      generate({.p = 30, .n = 2, .alpha = sparsity_levels_from("0.5:1"), .count = 50});
  std::set<Eigen::Index> levels;
  for (std::size_t k = 0; k < 50; ++k) levels.insert((range.Theta_true[k].array() == 0).count());
  EXPECT_GT(levels.size(), 20u);
  EXPECT_EQ(range.info.at("alpha"), "0.5:1");
}

TEST(DataSet, SmallestSizes) {
  const DataSet data = generate({.p = 1, .n = 1, .count = 1, .keep_samples = true});
  EXPECT_EQ(data.S.values, std::vector<double>{0.0});
  EXPECT_EQ(data.Theta_true.values, std::vector<double>{1.1});
  EXPECT_EQ(data.X.values.size(), 1u);
}

TEST(DataSet, RefusesBadOptions) {
  EXPECT_THROW(generate({.p = 0}), Error);
  EXPECT_THROW(generate({.n = 0}), Error);
  EXPECT_THROW(generate({.p = {5, 10}}), Error);
  EXPECT_THROW(generate({.n = {10, 50}}), Error);
  EXPECT_THROW(generate({.count = 0}), Error);
  EXPECT_THROW(generate({.alpha = {{2.0}}}), Error);
  EXPECT_THROW(generate({.alpha = {{}}}), Error);
  EXPECT_THROW(generate({.p = std::size_t(1) << 40, .count = std::size_t(1) << 40}), Error);
}

TEST(Samples, ViewTheSet) {
  DataSet data = generate({.p = 3, .n = 4, .count = 5});
  const auto all = samples(data);
  ASSERT_EQ(all.size(), 5u);
  EXPECT_EQ(all[2].S, data.S.data(2));
  EXPECT_EQ(all[2].Theta_true, data.Theta_true.data(2));
  EXPECT_EQ(all[2].p, 3u);
  EXPECT_EQ(all[2].n, 4.0);
  data.Theta_true = {};
  EXPECT_EQ(samples(data)[2].Theta_true, nullptr);
}

TEST(Split, IsAPartitionChosenByTheSeed) {
  const DataSet data = generate({.p = 2, .n = 2, .count = 50});
  const auto all = samples(data);
  const TrainValid parts = split_validation(all, 0.1, 7);
  EXPECT_EQ(parts.valid.size(), 5u);
  EXPECT_EQ(parts.train.size(), 45u);
  std::set<const double*> seen;
  const double* last = nullptr;
  for (const Sample& sample : parts.train) {
    EXPECT_LT(last, sample.S);
    seen.insert(last = sample.S);
  }
  for (const Sample& sample : parts.valid) seen.insert(sample.S);
  EXPECT_EQ(seen.size(), 50u);
  const auto first = [](const TrainValid& p) { return p.valid.front().S; };
  EXPECT_EQ(first(split_validation(all, 0.1, 7)), first(parts));
  std::set<const double*> firsts;
  for (std::uint64_t seed = 0; seed < 20; ++seed)
    firsts.insert(first(split_validation(all, 0.1, seed)));
  EXPECT_GT(firsts.size(), 3u);
}

TEST(Split, LeavesBothPartsSomething) {
  const DataSet data = generate({.p = 2, .n = 2, .count = 3});
  const auto all = samples(data);
  EXPECT_EQ(split_validation(all, 0.0, 0).valid.size(), 0u);
  EXPECT_EQ(split_validation(all, 0.01, 0).valid.size(), 1u);
  EXPECT_EQ(split_validation(all, 0.99, 0).train.size(), 1u);
  for (double fraction : {-0.1, 1.0, std::nan("")})
    EXPECT_THROW(split_validation(all, fraction, 0), Error);
  EXPECT_THROW(split_validation({all[0]}, 0.5, 0), Error);
}

}  // namespace
}  // namespace spodnet
