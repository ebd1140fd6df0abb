#pragma once

#include <cstdint>
#include <span>

namespace spodnet {

/// Random stream keyed by (seed, index): counter-based (Philox 4x32-10), so that item `index` of
/// a data set is the same for any number of threads, and streams never overlap.
class RandomStream {
 public:
  explicit RandomStream(std::uint64_t seed, std::uint64_t index = 0);

  std::uint64_t bits();
  double uniform();                              ///< in [0, 1), 53 bits
  double uniform(double low, double high);       ///< in [low, high)
  double normal();                               ///< standard normal (Box-Muller)
  std::uint64_t below(std::uint64_t bound);      ///< unbiased integer in [0, bound), bound > 0
  void shuffle(std::span<std::uint32_t> items);  ///< Fisher-Yates

 private:
  void refill();

  std::uint32_t key_[2];
  std::uint32_t counter_[4];
  std::uint64_t block_[2];
  int used_ = 2;
  double spare_normal_ = 0;
  bool has_spare_ = false;
};

}  // namespace spodnet
