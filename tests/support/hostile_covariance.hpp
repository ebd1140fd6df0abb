#pragma once

#include <cmath>
#include <cstdint>

#include "support/random_covariance.hpp"

namespace spodnet::test {

/// One covariance as users bring them, the unpleasant kinds included.
struct HostileCovariance {
  Matrix S;
  std::size_t n = 1;
  double decade = 0;       ///< the data's scale is 10^decade
  bool uneven = false;     ///< each column has its own scale, within 10^+-|decade|
  bool isolated = false;   ///< some variables are uncorrelated with all others
  bool constant = false;   ///< some columns never change
  bool duplicate = false;  ///< some columns are copies of others
};

/// S of n centred samples of p variables, 1 <= p <= max_p, 1 <= n <= 5p, data scale 1e-6 to 1e6.
inline HostileCovariance hostile_covariance(std::size_t max_p, RandomStream& random) {
  HostileCovariance out;
  const auto p = Eigen::Index(1 + random.below(max_p));
  out.n = std::size_t(1 + random.below(std::uint64_t(5 * p)));
  out.decade = random.uniform(-6, 6);
  out.uneven = random.below(4) == 0;
  out.isolated = random.below(4) == 0;
  out.constant = random.below(4) == 0;
  out.duplicate = random.below(4) == 0;

  Matrix X = correlated_samples(Eigen::Index(out.n), p, random);
  const auto some = [&](auto change) {  // about one column in five
    for (Eigen::Index j = 0; j < p; ++j)
      if (random.below(5) == 0) change(j);
  };
  if (out.constant) some([&](Eigen::Index j) { X.col(j).setConstant(random.normal()); });
  if (out.duplicate)
    some([&](Eigen::Index j) { X.col(j) = X.col(Eigen::Index(random.below(std::uint64_t(p)))); });
  for (Eigen::Index j = 0; j < p; ++j) {
    const double size = std::abs(out.decade);
    X.col(j) *= std::pow(10.0, out.uneven ? random.uniform(-size, size) : out.decade);
  }
  out.S = empirical_covariance(X);
  if (out.isolated)
    some([&](Eigen::Index j) {
      const double s_22 = out.S(j, j);
      out.S.row(j).setZero();
      out.S.col(j).setZero();
      out.S(j, j) = s_22;
    });
  return out;
}

}  // namespace spodnet::test
