#pragma once

#include "spodnet/problem/problem.hpp"

namespace spodnet {

/// n / k, k the tail factor of the samples (tail_factor.hpp) but at most 100 p / n, and at least 1;
/// n where there are no samples. At least 2. With k alone the network `tables` was trained; that k
/// fades from 50 samples a variable on keeps it consistent: whatever the tails, n is not reduced
/// from n = 100 p on.
double effective_samples(const Problem& problem);

}  // namespace spodnet
