#pragma once

#include <cstddef>
#include <string>

namespace spodnet {

/// A positive number, or a range low..high from which one is drawn log-uniformly.
struct LogRange {
  double low = 1, high = 1;

  /// low (high / low)^u, u in [0, 1).
  double at(double u) const;
};

/// The same for a whole number, both ends included: k has probability log((k + 1) / k), scaled.
struct SizeRange {
  std::size_t low = 1, high = 1;

  SizeRange(std::size_t value) : low(value), high(value) {}
  SizeRange(std::size_t low_, std::size_t high_) : low(low_), high(high_) {}

  bool single() const { return low == high; }
  std::size_t at(double u) const;
};

/// Read `30` or `5:100`, written back by to_string. Throw Error, its line starting with `where`, on
/// anything else, on ends that are not positive and on low > high.
LogRange log_range_from(const std::string& text, const std::string& where);
SizeRange size_range_from(const std::string& text, const std::string& where);

std::string to_string(const LogRange& range);
std::string to_string(const SizeRange& range);

}  // namespace spodnet
