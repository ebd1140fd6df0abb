#pragma once

#include <atomic>
#include <map>
#include <tuple>

#include "spodnet/core/scaling.hpp"

namespace spodnet::cuda {

/// What is known of a fast walk for one kind of launches.
enum class Verdict { unknown, agrees, differs };

/// Whether an engine trusts the one-warp walk, decided from the engine's own first launches: a
/// training does not depend on what else the process computed.
class WalkTrust {
 public:
  /// Kernel size, backward or not, layers (2: or more), scaling.
  using Kind = std::tuple<int, bool, int, Scaling>;

  Verdict verdict(const Kind& kind) { return known_[kind].verdict; }
  /// Of one compared launch. Error where the third of a kind differs: matrices of extreme numbers
  /// may, working ones do not.
  void add(const Kind& kind, Verdict of_launch);
  /// Whether a kind is walked by the fast walk.
  bool any() const { return any_; }

 private:
  struct Known {
    Verdict verdict = Verdict::unknown;
    int differed = 0;
  };
  std::map<Kind, Known> known_;
  std::atomic<bool> any_ = false;
};

}  // namespace spodnet::cuda
