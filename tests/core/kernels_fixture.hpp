#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "spodnet/core/aligned.hpp"
#include "spodnet/core/random.hpp"
#include "spodnet/core/types.hpp"
#include "support/instruction_sets.hpp"

namespace spodnet::test {

constexpr double kRounding = 1e-13;
inline const double kNaN = std::nan(""), kInfinity = INFINITY;

/// Random numbers at an address that is 64-byte aligned or one double off.
class Numbers {
 public:
  Numbers(std::size_t n, bool aligned, RandomStream& random)
      : shift_(aligned ? 0 : 1), values_(n + 9) {
    for (double& x : values_) x = random.normal();
  }
  double* data() { return values_.data() + shift_; }
  double& operator[](std::size_t j) { return data()[j]; }
  /// Zeros from entry `used` on, as the library pads its vectors.
  Numbers& pad(std::size_t used) {
    std::fill(values_.begin() + std::ptrdiff_t(shift_ + used), values_.end(), 0.0);
    return *this;
  }
  Vector vector(std::size_t n) { return Eigen::Map<Vector>(data(), Eigen::Index(n)); }

 private:
  std::size_t shift_;
  AlignedVector values_;
};

/// A size and an alignment to try.
struct Place {
  std::size_t p;
  bool aligned;
};

inline std::vector<Place> places() {
  std::vector<Place> all;
  for (std::size_t p = 1; p <= 40; ++p) all.push_back({p, true});
  for (std::size_t p : {64, 100}) all.push_back({p, true});
  for (std::size_t p : {1, 7, 8, 9, 31, 40, 64, 100}) all.push_back({p, false});
  return all;
}

class KernelsTest : public EachInstructionSet {
 protected:
  /// body(p, padded p, aligned) at every size.
  template <class Body>
  void everywhere(Body body) {
    for (const Place& place : places()) {
      SCOPED_TRACE("p = " + std::to_string(place.p) + (place.aligned ? "" : ", not aligned"));
      body(place.p, padded(place.p), place.aligned);
    }
  }

  RandomStream random{17};
};

}  // namespace spodnet::test
