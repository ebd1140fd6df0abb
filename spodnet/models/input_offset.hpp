#pragma once

#include <span>

#include "spodnet/models/model.hpp"

namespace spodnet {

/// The offset a of the network's input W = S + a I: the number of the configuration, or learned as
///   a = exp(a0)                                  one parameter
///   a = exp(a . (1, s, r, s^2, s r, r^2, y))     a function of the problem's shape (s and r of
///                                                shape_features.hpp) and of the summary y of S
///                                                (covariance_summary.hpp) where there is one
class InputOffset {
 public:
  static constexpr std::size_t kShapeTerms = 6;

  InputOffset() = default;
  /// `learned` are the parameters, empty when the offset is given.
  InputOffset(double given, std::span<const double> learned) : given_(given), learned_(learned) {}

  /// `summary` has kSummaryNumbers, or is null.
  double operator()(double n, std::size_t p, const double* summary = nullptr) const;
  /// Adds to the gradient of the parameters from the adjoint of a.
  void backward(double n, std::size_t p, const double* summary, double d_a, double* gradient) const;

 private:
  double given_ = 1;
  std::span<const double> learned_;
};

}  // namespace spodnet
