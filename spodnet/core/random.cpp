#include "spodnet/core/random.hpp"

#include <cmath>
#include <numbers>
#include <utility>

namespace spodnet {
namespace {

constexpr std::uint32_t kMultiplier[2] = {0xD2511F53u, 0xCD9E8D57u};
constexpr std::uint32_t kWeyl[2] = {0x9E3779B9u, 0xBB67AE85u};

}  // namespace

RandomStream::RandomStream(std::uint64_t seed, std::uint64_t index)
    : key_{std::uint32_t(seed), std::uint32_t(seed >> 32)},
      counter_{0, 0, std::uint32_t(index), std::uint32_t(index >> 32)} {}

void RandomStream::refill() {
  std::uint32_t x[4] = {counter_[0], counter_[1], counter_[2], counter_[3]};
  std::uint32_t key[2] = {key_[0], key_[1]};
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t a = std::uint64_t(kMultiplier[0]) * x[0];
    const std::uint64_t b = std::uint64_t(kMultiplier[1]) * x[2];
    const std::uint32_t next[4] = {std::uint32_t(b >> 32) ^ x[1] ^ key[0], std::uint32_t(b),
                                   std::uint32_t(a >> 32) ^ x[3] ^ key[1], std::uint32_t(a)};
    for (int k = 0; k < 4; ++k) x[k] = next[k];
    key[0] += kWeyl[0];
    key[1] += kWeyl[1];
  }
  block_[0] = x[0] | (std::uint64_t(x[1]) << 32);
  block_[1] = x[2] | (std::uint64_t(x[3]) << 32);
  if (++counter_[0] == 0) ++counter_[1];
  used_ = 0;
}

std::uint64_t RandomStream::bits() {
  if (used_ == 2) refill();
  return block_[used_++];
}

double RandomStream::uniform() { return double(bits() >> 11) * 0x1.0p-53; }

double RandomStream::uniform(double low, double high) { return low + (high - low) * uniform(); }

double RandomStream::normal() {
  if (has_spare_) {
    has_spare_ = false;
    return spare_normal_;
  }
  const double radius = std::sqrt(-2.0 * std::log(1.0 - uniform()));
  const double angle = 2.0 * std::numbers::pi * uniform();
  spare_normal_ = radius * std::sin(angle);
  has_spare_ = true;
  return radius * std::cos(angle);
}

std::uint64_t RandomStream::below(std::uint64_t bound) {
  const std::uint64_t limit = -bound % bound;  // 2^64 mod bound: reject the uneven tail
  std::uint64_t x = bits();
  while (x < limit) x = bits();
  return x % bound;
}

void RandomStream::shuffle(std::span<std::uint32_t> items) {
  for (std::size_t k = items.size(); k > 1; --k) std::swap(items[k - 1], items[below(k)]);
}

}  // namespace spodnet
