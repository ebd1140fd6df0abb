#include "spodnet/workflow/node_confidence.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "spodnet/metrics/centrality.hpp"
#include "spodnet/metrics/edge_agreement.hpp"
#include "spodnet/workflow/case_dropping.hpp"
#include "support/shaped_table.hpp"

namespace spodnet::test {
namespace {

const std::vector<std::size_t> kTwoGroups = {0, 0, 0, 1, 1, 1};

struct NodeCase {
  WorkingData data = working_data(shaped_table(6, 80, 3).prepared(), true, {});
  std::shared_ptr<const Method> method = make_method("glasso:lambda=0.1", builtin_models());
  Estimate estimate = method->estimate(problem_of(data, data.all));
  Matrix value = measures_of(estimate, data.all.S, kTwoGroups);

  AnswerNodes ranges(int threads, std::vector<Matrix>* kept = nullptr) const {
    ThreadPool pool(threads);
    NodeResamples nodes(30, kTwoGroups);
    if (kept) kept->resize(30);
    const BootstrapResult result =
        bootstrap(data, *method, {}, value,
                  {.resamples = 30,
                   .seed = 5,
                   .each =
                       [&](std::size_t b, const Estimate& each, const Matrix& S) {
                         nodes.add(b, each, S);
                         if (kept) (*kept)[b] = measures_of(each, S, kTwoGroups);
                       }},
                  pool);
    EXPECT_EQ(result.failures, 0u);
    AnswerNodes out{.value = value, .low = {}, .high = {}, .stability = {}};
    nodes.fill_ranges(out);
    return out;
  }
};

TEST(NodeConfidence, RangesAreQuantilesOverTheResamplesForAnyNumberOfThreads) {
  const NodeCase c;
  std::vector<Matrix> resamples;
  const AnswerNodes one = c.ranges(1, &resamples), three = c.ranges(3);
  EXPECT_EQ(one.low, three.low);
  EXPECT_EQ(one.high, three.high);
  EXPECT_NE(resamples[0], resamples[1]);
  for (Eigen::Index i = 0; i < 6; ++i)
    for (Eigen::Index m = 0; m < 6; ++m) {
      std::vector<double> all;
      for (const Matrix& each : resamples) all.push_back(each(i, m));
      std::sort(all.begin(), all.end());
      EXPECT_EQ(one.low(i, m), quantile(all, 0.025));
      EXPECT_EQ(one.high(i, m), quantile(all, 0.975));
    }
}

TEST(NodeConfidence, ADifferenceIsTakenResampleByResample) {
  const std::vector<std::vector<double>> values = {{5, 6, 7, 8}, {1, 2, 3, 4}, {4, 3, 2, 1}};
  const auto found = difference_tests(values, {7, 3, 9});
  ASSERT_EQ(found.size(), 3u);
  EXPECT_EQ(found[0].a, 7u);
  EXPECT_EQ(found[0].b, 3u);
  EXPECT_EQ(found[0].low, 4);  // 4 in each resample although the lists overlap in range
  EXPECT_EQ(found[0].high, 4);
  EXPECT_TRUE(found[0].differs());
  EXPECT_FALSE(found[2].differs());  // -3, -1, 1, 3
  EXPECT_NEAR(found[2].low, -2.85, 1e-12);
}

/// The same graph whatever it is given, or one that follows the rows' order of nothing.
class GivenGraph : public Method {
 public:
  explicit GivenGraph(bool noise) : noise_(noise) {}
  std::string name() const override { return "given"; }
  Estimate estimate(const Problem& problem) const override {
    Estimate out;
    const Eigen::Index p = problem.S.rows();
    out.Theta = Matrix::Identity(p, p);
    for (Eigen::Index i = 1; i < p; ++i) {
      const double digits = 1e6 * std::abs(problem.S(i, i - 1));
      const double weight = noise_ ? digits - std::floor(digits) : double(i) / double(p);
      out.Theta(i, i - 1) = out.Theta(i - 1, i) = 0.4 * weight;
    }
    return out;
  }

 private:
  bool noise_;
};

CaseDropping dropped_by(const Method& method, const CaseDroppingOptions& options, int threads) {
  const NodeCase c;
  ThreadPool pool(threads);
  const Estimate all = method.estimate(problem_of(c.data, c.data.all));
  return drop_cases(c.data, method, measures_of(all, c.data.all.S, kTwoGroups), kTwoGroups, options,
                    pool);
}

TEST(CaseDropping, AGraphThatNeverChangesIsStableAndNoiseIsNot) {
  const CaseDropping firm = dropped_by(GivenGraph(false), {}, 1);
  ASSERT_EQ(firm.dropped.size(), 10u);
  EXPECT_DOUBLE_EQ(firm.dropped.front(), 0.05);
  EXPECT_DOUBLE_EQ(firm.stability[0], 0.75);
  EXPECT_DOUBLE_EQ(dropped_by(GivenGraph(true), {}, 1).stability[0], 0);
}

TEST(CaseDropping, TheCoefficientIsTheLargestShareThatReachesTheCorrelation) {
  const NodeCase c;
  const CaseDropping found = dropped_by(*c.method, {.subsets = 12, .seed = 2}, 1);
  const CaseDropping again = dropped_by(*c.method, {.subsets = 12, .seed = 2}, 3);
  EXPECT_EQ(found.least, again.least);
  for (Eigen::Index m = 0; m < 6; ++m) {
    double largest = 0;
    for (std::size_t level = 0; level < 10; ++level)
      if (found.least(Eigen::Index(level), m) >= 0.7) largest = found.dropped[level];
    EXPECT_EQ(found.stability[m], largest);
  }
  EXPECT_GT(found.least(0, 0), found.least(9, 0));
}

TEST(CaseDropping, ACorrelationIsPearsons) {
  const Vector x = Vector::LinSpaced(4, 1, 4);
  EXPECT_NEAR(correlation_of(x, 3 - 2 * x.array()), -1, 1e-15);
  EXPECT_NEAR(correlation_of(x, Vector{{1, 3, 2, 4}}), 0.8, 1e-15);
  EXPECT_EQ(correlation_of(x, Vector::Ones(4)), 0);
}

}  // namespace
}  // namespace spodnet::test
