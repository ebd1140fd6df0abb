#pragma once

#include <algorithm>
#include <cmath>

namespace spodnet {

/// The problem's shape as a size-free network sees it: two numbers of order 1, constant beyond
/// n = 22,000 and outside 1/400 < n/p < 3000.
struct ShapeFeatures {
  double samples = 0;  ///< (log n - 4) / 2
  double ratio = 0;    ///< log(n / p) / 2

  ShapeFeatures(double n, double p)
      : samples(std::clamp((std::log(n) - 4) / 2, -2.0, 3.0)),
        ratio(std::clamp(std::log(n / p) / 2, -3.0, 4.0)) {}
};

}  // namespace spodnet
