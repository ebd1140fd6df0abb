#include "spodnet/generate/mixed_dataset.hpp"

#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <algorithm>
#include <set>

#include "spodnet/core/error.hpp"

namespace spodnet {
namespace {

MixedDataSet generate_pairs(const DataSetOptions& options, int threads = 1,
                            CovarianceFrom from = CovarianceFrom::samples) {
  ThreadPool pool(threads);
  return generate_mixed(options, pool, from);
}

void expect_same(const MatrixPair& a, const MatrixPair& b) {
  EXPECT_EQ(a.S, b.S);
  EXPECT_EQ(a.Theta_true, b.Theta_true);
  EXPECT_EQ(a.n, b.n);
}

DataSetOptions many_shapes() {
  DataSetOptions options{.p = {3, 12}, .n = {2, 60}, .count = 60, .seed = 4};
  options.alpha = sparsity_levels_from("0.5:0.98");
  options.generator.families = families_from("mix");
  return options;
}

TEST(MixedDataSet, OfOneShapeHasTheNumbersOfADataSet) {
  const DataSetOptions options{.p = 7, .n = 9, .count = 5, .seed = 2, .first_index = 3};
  ThreadPool pool(1);
  const DataSet expected = generate_dataset(options, pool);
  const MixedDataSet got = generate_pairs(options);
  ASSERT_EQ(got.size(), 5u);
  for (std::size_t k = 0; k < 5; ++k) {
    EXPECT_EQ(got[k].S, Matrix(expected.S[k]));
    EXPECT_EQ(got[k].Theta_true, Matrix(expected.Theta_true[k]));
    EXPECT_EQ(got[k].n, 9);
  }
}

TEST(MixedDataSet, EachMatrixHasItsOwnShapeWithinTheRanges) {
  std::set<Eigen::Index> sizes;
  std::set<double> counts;
  for (const MatrixPair& pair : generate_pairs(many_shapes())) {
    const Eigen::Index p = pair.S.rows();
    EXPECT_TRUE(p >= 3 && p <= 12 && pair.n >= 2 && pair.n <= 60);
    EXPECT_EQ(pair.Theta_true.rows(), p);
    EXPECT_EQ(pair.S, Matrix(pair.S.transpose()));
    EXPECT_EQ(pair.Theta_true, Matrix(pair.Theta_true.transpose()));
    EXPECT_EQ(Eigen::LLT<Matrix>(pair.Theta_true).info(), Eigen::Success);
    sizes.insert(p), counts.insert(pair.n);
  }
  EXPECT_EQ(sizes.size(), 10u);
  EXPECT_GT(counts.size(), 20u);
}

TEST(MixedDataSet, DependsOnSeedAndIndexAlone) {
  DataSetOptions options = many_shapes();
  for (CovarianceFrom from : {CovarianceFrom::samples, CovarianceFrom::wishart}) {
    const MixedDataSet all = generate_pairs(options, 1, from),
                       again = generate_pairs(options, 3, from);
    DataSetOptions rest = options;
    rest.first_index = 50;
    rest.count = 10;
    const MixedDataSet last = generate_pairs(rest, 2, from);
    for (std::size_t k = 0; k < all.size(); ++k) expect_same(all[k], again[k]);
    for (std::size_t k = 0; k < 10; ++k) expect_same(all[50 + k], last[k]);
  }
}

TEST(MixedDataSet, TheTrueMatrixDoesNotDependOnTheNumberOfSamples) {
  DataSetOptions few = many_shapes(), more = many_shapes();
  few.n = 5;
  more.n = {50, 500};
  const MixedDataSet a = generate_pairs(few), b = generate_pairs(more);
  const MixedDataSet c = generate_pairs(more, 1, CovarianceFrom::wishart);
  for (std::size_t k = 0; k < a.size(); ++k) {
    EXPECT_EQ(a[k].Theta_true, b[k].Theta_true);
    EXPECT_EQ(a[k].Theta_true, c[k].Theta_true);
    EXPECT_EQ(b[k].n, c[k].n);
    EXPECT_NE(b[k].S, c[k].S);
  }
}

TEST(MixedDataSet, BothWaysToACovarianceHaveTheSameMean) {
  // <Theta, E S> = (n - 1)/n p; its variance is 2 p (n - 1)/n^2.
  for (CovarianceFrom from : {CovarianceFrom::samples, CovarianceFrom::wishart}) {
    double sum = 0;
    const MixedDataSet data = generate_pairs({.p = 4, .n = 10, .count = 2000, .seed = 6}, 1, from);
    for (const MatrixPair& pair : data) sum += (pair.S.array() * pair.Theta_true.array()).sum();
    EXPECT_NEAR(sum / 2000, 0.9 * 4, 5 * std::sqrt(2 * 4 * 9 / 100.0 / 2000));
  }
}

TEST(MixedDataSet, OneSampleAndUncentredDataAreDrawnFromSamples) {
  DataSetOptions options{.p = 3, .n = 1, .count = 2};
  expect_same(generate_pairs(options)[1], generate_pairs(options, 1, CovarianceFrom::wishart)[1]);
  options.n = 30;
  options.centred = false;
  expect_same(generate_pairs(options)[1], generate_pairs(options, 1, CovarianceFrom::wishart)[1]);
}

TEST(MixedDataSet, SamplesViewTheMatrices) {
  const MixedDataSet data = generate_pairs(many_shapes());
  const std::vector<Sample> all = samples(data);
  ASSERT_EQ(all.size(), data.size());
  for (std::size_t k = 0; k < all.size(); ++k) {
    EXPECT_EQ(all[k].S, data[k].S.data());
    EXPECT_EQ(all[k].Theta_true, data[k].Theta_true.data());
    EXPECT_EQ(all[k].p, std::size_t(data[k].S.rows()));
    EXPECT_EQ(all[k].n, data[k].n);
  }
}

TEST(MixedDataSet, RefusesBadOptions) {
  EXPECT_THROW(generate_pairs({.p = {9, 3}}), Error);
  EXPECT_THROW(generate_pairs({.n = {0, 3}}), Error);
  EXPECT_THROW(generate_pairs({.p = {1, std::size_t(1) << 40}}), Error);
}

}  // namespace
}  // namespace spodnet
