#pragma once

#include <limits>

#include "spodnet/core/random.hpp"
#include "spodnet/core/types.hpp"

namespace spodnet::test {

/// X with each value missing with probability `share`, except in the first three rows.
inline Matrix with_missing(Matrix X, double share, std::uint64_t seed) {
  RandomStream random(seed, 99);
  for (Eigen::Index i = 3; i < X.rows(); ++i)
    for (Eigen::Index j = 0; j < X.cols(); ++j)
      if (random.uniform() < share) X(i, j) = std::numeric_limits<double>::quiet_NaN();
  return X;
}

}  // namespace spodnet::test
