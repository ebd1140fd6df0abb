#include "spodnet/estimators/compare.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "spodnet/estimators/glasso.hpp"
#include "support/random_covariance.hpp"

namespace spodnet::test {
namespace {

NamedMethod named(const std::string& text) { return {text, make_method(text, builtin_models())}; }

TEST(CompareMethods, RanksByTheCommonFolds) {
  Matrix X = correlated_samples(80, 6, 3);
  X.col(1) += 2 * X.col(0);  // what an almost empty graph misses
  const std::vector<NamedMethod> methods = {named("glasso:lambda=0.9"), named("glasso-cv"),
                                            named("oas")};
  const CompareOptions options{.held_out = {.folds = 4, .seed = 7}};
  const Comparison all = compare_methods(methods, X, options);
  ASSERT_EQ(all.methods.size(), 3u);
  EXPECT_EQ(all.p, 6u);
  EXPECT_EQ(all.n, 80);
  EXPECT_EQ(all.methods[0].behind, 0);
  std::set<std::string> names;
  for (std::size_t k = 0; k < 3; ++k) {
    const ComparedMethod& m = all.methods[k];
    names.insert(m.name);
    ASSERT_TRUE(m.done) << m.note;
    const HeldOut alone =
        held_out_likelihood(*make_method(m.name, builtin_models()), X, options.held_out);
    EXPECT_EQ(m.held_out.folds, alone.folds);
    double behind = 0;
    for (std::size_t f = 0; f < 4; ++f)
      behind += (all.methods[0].held_out.folds[f] - m.held_out.folds[f]) / 4;
    EXPECT_NEAR(m.behind, behind, 1e-12);
    EXPECT_GE(m.behind, k == 0 ? 0 : all.methods[k - 1].behind);
    EXPECT_EQ(m.edges, count_edges(m.estimate.Theta));
    EXPECT_DOUBLE_EQ(m.scores.density, double(m.edges) / 15);
  }
  EXPECT_EQ(names.size(), 3u);
  EXPECT_EQ(all.methods.back().name, "glasso:lambda=0.9");
  EXPECT_EQ(all.agreement(0, 1).edges_a, all.methods[0].edges);
}

TEST(CompareMethods, AMethodThatRefusesHasANoteAndTheOthersGoOn) {
  const Matrix X = correlated_samples(30, 5, 4);
  Constraints none(5);
  none.narrow_all(PairRule::zero);
  const std::vector<NamedMethod> methods = {named("oas"), named("glasso:lambda=0.1")};
  const Comparison all =
      compare_methods(methods, X, {.held_out = {.constraints = &none}, .louvain_restarts = 0});
  EXPECT_EQ(all.methods[0].name, "glasso:lambda=0.1");
  EXPECT_TRUE(all.methods[0].done);
  EXPECT_EQ(all.methods[0].edges, 0u);
  EXPECT_TRUE(std::isnan(all.methods[0].scores.modularity));
  EXPECT_FALSE(all.methods[1].done);
  EXPECT_NE(all.methods[1].note.find("cannot keep"), std::string::npos);
}

TEST(CompareMethods, StopsOnRequest) {
  const std::atomic<bool> stop = true;
  const std::vector<NamedMethod> methods = {named("oas")};
  const Comparison all = compare_methods(methods, correlated_samples(30, 5, 4), {.stop = &stop});
  EXPECT_TRUE(all.interrupted);
  EXPECT_TRUE(all.methods.empty());
}

}  // namespace
}  // namespace spodnet::test
