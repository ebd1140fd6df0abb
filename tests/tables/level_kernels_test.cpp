// The inner loops of polychoric correlations in every instruction set, against their definitions.
#include "spodnet/tables/level_kernels.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "spodnet/core/aligned.hpp"
#include "spodnet/core/random.hpp"
#include "support/instruction_sets.hpp"

namespace spodnet::test {
namespace {

class LevelKernelsTest : public EachInstructionSet {};

TEST_P(LevelKernelsTest, ExponentialsAreExactToTwoUnitsInTheLastPlace) {
  constexpr std::size_t n = 64;
  const double zero = 0, one = 1;
  RandomStream random(3);
  AlignedVector x(n), y(n), out(n);
  for (const double size : {1e-12, 0.3, 5.0, 60.0, 690.0}) {
    for (double& each : x) each = -size * random.uniform();
    std::fill(out.begin(), out.end(), 0.0);
    level_kernels().add_exponentials(n, 1, &one, &one, &zero, x.data(), y.data(), out.data());
    for (std::size_t j = 0; j < n; ++j)
      EXPECT_NEAR(out[j] / std::exp(x[j]), 1, 4 * std::numeric_limits<double>::epsilon()) << x[j];
  }
}

TEST_P(LevelKernelsTest, ExponentialsAreAddedUpWithTheirWeights) {
  constexpr std::size_t n = 24, terms = 10;
  RandomStream random(4);
  AlignedVector x(n), y(n), out(n, 2.0);
  std::vector<double> weight(terms), a(terms), b(terms);
  for (std::size_t j = 0; j < n; ++j) x[j] = random.normal(), y[j] = 3 + std::abs(x[j]);
  for (std::size_t k = 0; k < terms; ++k)
    weight[k] = random.normal(), a[k] = random.uniform(), b[k] = -1 - random.uniform();
  x[5] = y[5] = 0;
  y[6] = 1e6;  // nothing is left of it, and nothing goes wrong
  level_kernels().add_exponentials(n, terms, weight.data(), a.data(), b.data(), x.data(), y.data(),
                                   out.data());
  for (std::size_t j = 0; j < n; ++j) {
    double sum = 2;
    for (std::size_t k = 0; k < terms; ++k) sum += weight[k] * std::exp(a[k] * x[j] + b[k] * y[j]);
    EXPECT_NEAR(out[j], sum, 1e-14 * terms);
  }
}

TEST_P(LevelKernelsTest, CommonBits) {
  const std::vector<std::uint64_t> A = {0, ~std::uint64_t(0), 5, 1},
                                   B = {7, 2, ~std::uint64_t(0), 3};
  std::vector<double> counts(4);
  level_kernels().common_bits(2, 2, A.data(), 2, B.data(), counts.data());
  EXPECT_EQ(counts, (std::vector<double>{1, 2, 2, 3}));
}

SPODNET_EACH_INSTRUCTION_SET(LevelKernelsTest);

}  // namespace
}  // namespace spodnet::test
