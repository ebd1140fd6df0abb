#pragma once

#include <algorithm>

namespace spodnet {

/// When the next checkpoint is due, so that all of them together cost less than 2 % of the time
/// and a killed training loses at most 5 % of it, or a minute.
class CheckpointClock {
 public:
  explicit CheckpointClock(double now) : last_(now) {}

  bool due(double now) const {
    return now - last_ >= std::max(std::clamp(0.05 * now, 0.1, 60.0), 50 * cost_);
  }
  void written(double before, double after) {
    cost_ = after - before;
    last_ = after;
  }

 private:
  double last_;
  double cost_ = 0;
};

}  // namespace spodnet
