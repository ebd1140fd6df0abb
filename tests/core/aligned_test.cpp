// Memory of vectors: aligned to a cache line, and to a large page where it is large.
#include "spodnet/core/aligned.hpp"

#include <gtest/gtest.h>

#include <cstdint>

namespace spodnet::test {
namespace {

TEST(AlignedVector, IsAlignedAndClearedAtAnySize) {
  const std::size_t page = kHugePage / sizeof(double);
  for (const std::size_t n : {std::size_t{1}, page - 1, page, page + 1, 3 * page + 5}) {
    AlignedVector x(n), y;
    const auto address = reinterpret_cast<std::uintptr_t>(x.data());
    EXPECT_EQ(address % (n < page ? 64 : kHugePage), 0u) << n;
    EXPECT_EQ(x.front(), 0);
    x.back() = 2;
    y = x;
    x.resize(2 * n, 1.0);
    EXPECT_EQ(x[n - 1] + x[n] + x.back(), 4) << n;
    EXPECT_EQ(y.back(), 2);
  }
}

}  // namespace
}  // namespace spodnet::test
