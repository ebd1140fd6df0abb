#include "spodnet/core/random.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <set>
#include <vector>

namespace spodnet {
namespace {

using Words = std::array<std::uint32_t, 4>;

/// Philox 4x32-10 as published (Salmon et al. 2011), round by round.
Words philox(Words x, std::array<std::uint32_t, 2> key) {
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t a = 0xD2511F53ull * x[0], b = 0xCD9E8D57ull * x[2];
    x = {std::uint32_t(b >> 32) ^ x[1] ^ key[0], std::uint32_t(b),
         std::uint32_t(a >> 32) ^ x[3] ^ key[1], std::uint32_t(a)};
    key = {key[0] + 0x9E3779B9u, key[1] + 0xBB67AE85u};
  }
  return x;
}

TEST(Philox, TheReferenceMeetsThePublishedVectors) {
  EXPECT_EQ(philox({0, 0, 0, 0}, {0, 0}), (Words{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  const std::uint32_t f = 0xffffffff;
  EXPECT_EQ(philox({f, f, f, f}, {f, f}), (Words{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  EXPECT_EQ(philox({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}),
            (Words{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

TEST(RandomStream, IsPhiloxCountingWithinTheIndex) {
  const std::uint64_t seed = 0x123456789abcdef0, index = 0xfedcba9876543210;
  RandomStream random(seed, index);
  for (std::uint32_t block = 0; block < 50; ++block) {
    const Words x = philox({block, 0, std::uint32_t(index), std::uint32_t(index >> 32)},
                           {std::uint32_t(seed), std::uint32_t(seed >> 32)});
    EXPECT_EQ(random.bits(), x[0] | (std::uint64_t(x[1]) << 32));
    EXPECT_EQ(random.bits(), x[2] | (std::uint64_t(x[3]) << 32));
  }
}

TEST(RandomStream, FirstValuesNeverChange) {
  // Data sets and initial weights are named by their seeds: these values are part of the format.
  RandomStream zero(0, 0);
  EXPECT_EQ(zero.bits(), 0xe169c58d6627e8d5u);
  EXPECT_EQ(zero.bits(), 0x9b00dbd8bc57ac4cu);
  RandomStream uniform(0, 0);
  EXPECT_EQ(uniform.uniform(), double(0xe169c58d6627e8d5u >> 11) / 9007199254740992.0);
  RandomStream normal(0, 0), u(0, 0);
  const double radius = std::sqrt(-2 * std::log(1 - u.uniform()));
  const double angle = 2 * std::acos(-1.0) * u.uniform();
  EXPECT_NEAR(normal.normal(), radius * std::cos(angle), 1e-14);
  EXPECT_NEAR(normal.normal(), radius * std::sin(angle), 1e-14);
}

TEST(RandomStream, SeedsAndIndicesGiveDifferentStreams) {
  std::set<std::uint64_t> first;
  for (std::uint64_t seed : {std::uint64_t(0), std::uint64_t(1), std::uint64_t(1) << 32})
    for (std::uint64_t index = 0; index < 1000; ++index)
      first.insert(RandomStream(seed, index).bits());
  EXPECT_EQ(first.size(), 3000u);
}

TEST(RandomStream, UniformIsFlatWithTheRightMoments) {
  RandomStream random(5, 0);
  const int count = 200000, bins = 20;
  std::vector<int> histogram(bins, 0);
  double sum = 0, squares = 0;
  for (int k = 0; k < count; ++k) {
    const double u = random.uniform();
    ASSERT_GE(u, 0);
    ASSERT_LT(u, 1);
    ++histogram[std::size_t(u * bins)];
    sum += u, squares += u * u;
  }
  EXPECT_NEAR(sum / count, 0.5, 5 / std::sqrt(12.0 * count));
  EXPECT_NEAR(squares / count, 1.0 / 3, 0.003);
  double chi_squared = 0;
  for (const int n : histogram) chi_squared += std::pow(n - count / bins, 2) / (count / bins);
  EXPECT_LT(chi_squared, 50);  // 19 degrees of freedom: 1e-4 above
}

TEST(RandomStream, NormalMomentsAndTails) {
  RandomStream random(6, 0);
  const int count = 200000;
  double m1 = 0, m2 = 0, m3 = 0, m4 = 0, product = 0, last = 0;
  int beyond_two = 0;
  for (int k = 0; k < count; ++k) {
    const double z = random.normal();
    m1 += z / count, m2 += z * z / count, m3 += z * z * z / count, m4 += z * z * z * z / count;
    product += z * last / count;
    beyond_two += std::abs(z) > 2;
    last = z;
  }
  const double s = 5 / std::sqrt(double(count));
  EXPECT_NEAR(m1, 0, s);
  EXPECT_NEAR(m2, 1, s * std::sqrt(2.0));
  EXPECT_NEAR(m3, 0, s * std::sqrt(15.0));
  EXPECT_NEAR(m4, 3, s * std::sqrt(96.0));
  EXPECT_NEAR(product, 0, s);  // neighbours, the two of one Box-Muller pair among them
  EXPECT_NEAR(double(beyond_two) / count, 0.0455, 0.0025);
}

TEST(RandomStream, NeighbouringStreamsAreUncorrelated) {
  const int streams = 400, length = 200;
  double product = 0;
  for (int k = 0; k < streams; ++k) {
    RandomStream a(1, std::uint64_t(k)), b(1, std::uint64_t(k) + 1), c(2, std::uint64_t(k));
    for (int i = 0; i < length; ++i) product += a.normal() * (b.normal() + c.normal());
  }
  const double count = streams * length;
  EXPECT_NEAR(product / count, 0, 5 * std::sqrt(2 / count));
}

TEST(RandomStream, BelowIsInRangeAndEven) {
  RandomStream random(8, 0);
  for (std::uint64_t bound : {1ull, 2ull, 3ull, 7ull, 1ull << 63, ~0ull})
    for (int k = 0; k < 100; ++k) EXPECT_LT(random.below(bound), bound);
  std::vector<int> histogram(7, 0);
  for (int k = 0; k < 70000; ++k) ++histogram[random.below(7)];
  for (const int n : histogram) EXPECT_NEAR(n, 10000, 5 * std::sqrt(10000 * 6.0 / 7));
  // A bound of 3/4 of 2^64: with a plain modulus, values below 2^62 would come up half the time.
  const std::uint64_t bound = 3ull << 62;
  int low = 0;
  for (int k = 0; k < 10000; ++k) low += random.below(bound) < (1ull << 62);
  EXPECT_NEAR(low / 10000.0, 1.0 / 3, 0.025);
}

TEST(RandomStream, ShuffleIsAnEvenPermutationOfTheItems) {
  RandomStream random(9, 0);
  const int trials = 24000;
  std::vector<std::uint32_t> items(4);
  std::vector<int> histogram(256, 0);
  for (int k = 0; k < trials; ++k) {
    std::iota(items.begin(), items.end(), 0u);
    random.shuffle(items);
    ++histogram[items[0] * 64 + items[1] * 16 + items[2] * 4 + items[3]];
  }
  int seen = 0;
  for (const int n : histogram)
    if (n > 0) {
      ++seen;
      EXPECT_NEAR(n, 1000, 5 * std::sqrt(1000.0));
    }
  EXPECT_EQ(seen, 24);
  std::vector<std::uint32_t> none;
  random.shuffle(none);
}

}  // namespace
}  // namespace spodnet
