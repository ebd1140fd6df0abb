#include "spodnet/tables/gaussian_rows.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "spodnet/core/random.hpp"

namespace spodnet {
namespace {

/// n x p numbers made of equally correlated Gaussian ones.
Matrix made_of_gaussians(Eigen::Index n, Eigen::Index p, double correlation, std::uint64_t seed,
                         const std::function<double(double)>& make) {
  RandomStream random(seed);
  Matrix X(n, p);
  for (Eigen::Index i = 0; i < n; ++i) {
    const double common = random.normal();
    for (Eigen::Index j = 0; j < p; ++j)
      X(i, j) =
          make(std::sqrt(correlation) * common + std::sqrt(1 - correlation) * random.normal());
  }
  return X;
}

TEST(GaussianRows, GaussianOnesCouldBe) {
  int yes = 0;
  for (std::uint64_t seed = 0; seed < 200; ++seed)
    for (const double correlation : {0.0, 0.99})
      for (const Eigen::Index n : {2, 5, 20, 300})
        yes += could_be_gaussian(made_of_gaussians(n, 1 + Eigen::Index(seed % 20), correlation,
                                                   seed, [](double x) { return 3 * x + 7; }));
  EXPECT_GE(yes, 1596);  // of 1600
}

TEST(GaussianRows, LevelsAndTailsCouldNot) {
  const auto cut = [](double x) { return std::floor(2 * x); };
  const auto cube = [](double x) { return x * x * x; };
  const auto skewed = [](double x) { return std::exp(x); };
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    EXPECT_FALSE(could_be_gaussian(made_of_gaussians(30, 10, 0.3, seed, cut)));
    EXPECT_FALSE(could_be_gaussian(made_of_gaussians(100, 10, 0.3, seed, cube)));
    EXPECT_FALSE(could_be_gaussian(made_of_gaussians(100, 10, 0.3, seed, skewed)));
  }
  Matrix gap = made_of_gaussians(100, 3, 0, 1, [](double x) { return x; });
  gap(4, 1) = std::nan("");
  EXPECT_FALSE(could_be_gaussian(gap));
}

}  // namespace
}  // namespace spodnet
