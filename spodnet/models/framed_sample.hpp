#pragma once

#include <optional>
#include <vector>

#include "spodnet/models/variable_frame.hpp"
#include "spodnet/problem/constraints.hpp"
#include "spodnet/problem/sample.hpp"

namespace spodnet {

/// A sample as a size-free network sees it: in the order (and, if standardized, the units) of its
/// VariableFrame. Owns the matrices that the view points to; its memory is used again.
class FramedSample {
 public:
  /// The view, valid until the next call.
  const Sample& enter(const Sample& outside, bool standardized) {
    const std::size_t size = outside.p * outside.p;
    const std::size_t needed = outside.Theta_true ? 2 * size : size;
    if (matrices_.size() < needed) matrices_.resize(needed);
    frame_.emplace(outside.S, outside.p, standardized);
    inside_ = outside;
    frame_->enter_covariance(outside.S, matrices_.data());
    inside_.S = matrices_.data();
    if (outside.Theta_true) {
      frame_->enter_precision(outside.Theta_true, matrices_.data() + size);
      inside_.Theta_true = matrices_.data() + size;
    }
    if (outside.constraints) {
      constraints_ = outside.constraints->among(frame_->order());
      inside_.constraints = &*constraints_;
    }
    return inside_;
  }

  const VariableFrame& frame() const { return *frame_; }

 private:
  std::optional<VariableFrame> frame_;
  std::vector<double> matrices_;  ///< S then Theta_true
  std::optional<Constraints> constraints_;
  Sample inside_;
};

}  // namespace spodnet
