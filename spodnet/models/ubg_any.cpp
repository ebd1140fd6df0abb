#include "spodnet/models/ubg_any.hpp"

#include <algorithm>
#include <cmath>

namespace spodnet {
namespace {

constexpr std::size_t kUsualWidth = 16;
constexpr double kStartStep = -3.0;       ///< gamma is about 0.14
constexpr double kStartThreshold = -5.0;  ///< lambda / m is about 0.05

}  // namespace

UbgAnyRule::UbgAnyRule(const RuleShape& shape)
    : gamma_(layout_, "f.gamma", kColumnFeatures, shape.width("gamma", kUsualWidth), 1,
             {kStartStep}),
      g_(layout_, "g", kMarginFeatures, shape.width("g", kUsualWidth), 1, {0.0}),
      hidden_(shape.width("lambda", kUsualWidth)) {
  const double bound = 1 / std::sqrt(double(kEntryFeatures + kColumnFeatures));
  A_ = layout_.add("f.lambda.0.weight", {hidden_, kEntryFeatures}, bound);
  C_ = layout_.add("f.lambda.0.column", {hidden_, kColumnFeatures}, bound);
  b_ = layout_.add("f.lambda.0.bias", {hidden_}, bound);
  B_ = layout_.add("f.lambda.1.weight", {1, hidden_}, 1 / std::sqrt(double(hidden_)));
  c_ = layout_.add_values("f.lambda.1.bias", {1}, {kStartThreshold});
}

void UbgAnyRule::prepare(const double* weights, Prepared& prepared) const {
  prepared.weights = weights;
  gamma_.prepare(weights, prepared.gamma);
  g_.prepare(weights, prepared.g);
  const std::size_t lh = padded(hidden_);
  prepared.C.assign(hidden_ * kFeatureStride, 0.0);
  prepared.C_T.assign(kColumnFeatures * lh, 0.0);
  for (std::size_t k = 0; k < hidden_; ++k)
    for (std::size_t f = 0; f < kColumnFeatures; ++f)
      prepared.C[k * kFeatureStride + f] = prepared.C_T[f * lh + k] =
          weights[C_ + k * kColumnFeatures + f];
}

void UbgAnyRule::reserve(Tape& tape, std::size_t slots, std::size_t p) const {
  const std::size_t rows = slots * p, lh = padded(hidden_);
  tape.slots = slots;
  tape.x.assign(rows * kFeatureStride, 0.0);
  tape.gamma_h.assign(rows * gamma_.hidden_stride(), 0.0);
  tape.gamma.assign(rows * kBlock, 0.0);
  tape.g_h.assign(rows * g_.hidden_stride(), 0.0);
  tape.sums.resize(rows);
  tape.g_x.assign(g_.in_stride(), 0.0);
  tape.d_x.assign(kFeatureStride, 0.0);
  tape.d_in.assign(g_.in_stride(), 0.0);
  tape.b.assign(lh, 0.0);
  tape.d_b.assign(lh, 0.0);
  tape.partial_A.assign(hidden_ * kEntryFeatures * kBlock, 0.0);
  tape.partial_b.assign(hidden_ * kBlock, 0.0);
  tape.partial_B.assign((hidden_ + 1) * kBlock, 0.0);
  tape.d_C.assign(kColumnFeatures * lh, 0.0);
  gamma_.reserve(tape.pending_gamma);
  g_.reserve(tape.pending_g);
}

}  // namespace spodnet
