#include "spodnet/models/input_offset.hpp"

#include <array>
#include <cmath>

#include "spodnet/models/shape_features.hpp"

namespace spodnet {
namespace {

constexpr double kLargestLogOffset = 30;  ///< the exponential stays finite whatever the weights

std::array<double, InputOffset::kShapeTerms> shape_terms(double n, std::size_t p) {
  const ShapeFeatures x(n, double(p));
  return {1, x.samples, x.ratio, x.samples * x.samples, x.samples * x.ratio, x.ratio * x.ratio};
}

}  // namespace

double InputOffset::operator()(double n, std::size_t p, const double* summary) const {
  if (learned_.empty()) return given_;
  if (learned_.size() == 1) return std::exp(learned_[0]);
  const auto terms = shape_terms(n, p);
  double log_a = 0;
  for (std::size_t k = 0; k < kShapeTerms; ++k) log_a += learned_[k] * terms[k];
  for (std::size_t k = kShapeTerms; k < learned_.size(); ++k)
    log_a += learned_[k] * summary[k - kShapeTerms];
  return std::exp(std::clamp(log_a, -kLargestLogOffset, kLargestLogOffset));
}

void InputOffset::backward(double n, std::size_t p, const double* summary, double d_a,
                           double* gradient) const {
  const double a = (*this)(n, p, summary), d_log_a = a * d_a;
  if (learned_.size() == 1) {
    gradient[0] += d_log_a;
    return;
  }
  if (std::abs(std::log(a)) >= kLargestLogOffset) return;
  const auto terms = shape_terms(n, p);
  for (std::size_t k = 0; k < kShapeTerms; ++k) gradient[k] += d_log_a * terms[k];
  for (std::size_t k = kShapeTerms; k < learned_.size(); ++k)
    gradient[k] += d_log_a * summary[k - kShapeTerms];
}

}  // namespace spodnet
