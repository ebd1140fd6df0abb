#include "spodnet/core/stop.hpp"

#include <gtest/gtest.h>

#include <functional>

#include "spodnet/core/random.hpp"
#include "spodnet/tables/copied_rows.hpp"
#include "spodnet/tables/dependence.hpp"
#include "spodnet/tables/diagnose.hpp"
#include "spodnet/tables/gaussian_rows.hpp"
#include "spodnet/tables/mixed_correlation.hpp"
#include "spodnet/tables/ranks.hpp"

namespace spodnet {
namespace {

/// Every step of a table that takes seconds where rows or columns are many leaves when asked to.
TEST(StopScope, EndsTheStepsOfATable) {
  RandomStream random(3);
  Matrix X(40, 5);
  for (double& x : X.reshaped()) x = random.normal();
  X.row(0) = X.row(1) = X.row(2);  // copies
  Matrix R = Matrix::Ones(5, 5);   // columns that are one
  const Matrix levels = (2 * X.array()).round().cwiseMax(-2).cwiseMin(2);
  const std::vector<ColumnKind> kinds(5, ColumnKind::ordinal);
  const std::vector<std::function<void()>> steps = {
      [&] { (void)gaussian_rank_correlation(X, RankCorrelation::kendall); },
      [&] { (void)gaussian_rank_correlation(X, RankCorrelation::spearman); },
      [&] { (void)mixed_correlation(levels, kinds, {}, nullptr); },
      [&] { (void)pairs_with_empty_corners(levels, kinds, {}); },
      [&] { (void)find_dependences(R); },
      [&] { (void)find_copied_rows(X); },
      [&] {
        (void)diagnose(X, {"a", "b", "c", "d", "e"}, false, {});
      },
      [&] { (void)could_be_gaussian(X); }};
  for (std::size_t k = 0; k < steps.size(); ++k) {
    SCOPED_TRACE(k);
    EXPECT_NO_THROW(steps[k]());
    const std::atomic<bool> stop = true;
    const StopScope scope(&stop);
    EXPECT_THROW(steps[k](), Stopped);
  }
}

}  // namespace
}  // namespace spodnet
