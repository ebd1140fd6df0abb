#pragma once

#include <cmath>

namespace spodnet::test {

/// The larger of two errors, NaN when either is: std::max would lose it.
inline double worse(double a, double b) { return std::isnan(a) || b <= a ? a : b; }

}  // namespace spodnet::test
