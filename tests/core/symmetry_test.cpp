#include "spodnet/core/symmetry.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <vector>

#include "spodnet/core/random.hpp"

namespace spodnet {
namespace {

TEST(Symmetry, EveryEntryCounts) {
  RandomStream random(1);
  for (std::size_t p = 1; p <= 20; ++p) {
    std::vector<double> A(p * p);
    for (std::size_t i = 0; i < p; ++i)
      for (std::size_t j = 0; j <= i; ++j) A[i * p + j] = A[j * p + i] = random.normal();
    EXPECT_TRUE(finite_and_symmetric(A.data(), p)) << p;
    for (std::size_t e = 0; e < p * p; ++e) {
      const double a = A[e];
      A[e] = std::nextafter(a, 9.0);
      EXPECT_EQ(finite_and_symmetric(A.data(), p), e / p == e % p) << p << ' ' << e;
      A[e] = std::numeric_limits<double>::quiet_NaN();
      EXPECT_FALSE(finite_and_symmetric(A.data(), p));
      A[e] = std::numeric_limits<double>::infinity();
      EXPECT_FALSE(finite_and_symmetric(A.data(), p));
      A[e] = a;
    }
  }
}

}  // namespace
}  // namespace spodnet
