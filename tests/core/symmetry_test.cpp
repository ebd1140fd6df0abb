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

TEST(Symmetry, TheLargestNumbersAreFinite) {
  constexpr double kLargest = std::numeric_limits<double>::max();
  EXPECT_TRUE(
      finite_and_symmetric(std::vector<double>{kLargest, -kLargest, -kLargest, 0}.data(), 2));
  EXPECT_FALSE(finite_and_symmetric(std::vector<double>{1, 2, -2, 1}.data(), 2));
}

TEST(Symmetry, TheLowerTriangleIsMirrored) {
  RandomStream random(2);
  for (std::size_t p = 1; p <= 20; ++p) {
    std::vector<double> A(p * p);
    for (double& a : A) a = random.normal();
    std::vector<double> B = A;
    mirror_lower(B.data(), p);
    for (std::size_t i = 0; i < p; ++i)
      for (std::size_t j = 0; j <= i; ++j) {
        EXPECT_EQ(B[i * p + j], A[i * p + j]);
        EXPECT_EQ(B[j * p + i], A[i * p + j]);
      }
  }
}

}  // namespace
}  // namespace spodnet
