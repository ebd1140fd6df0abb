#include "spodnet/models/ubg_any.hpp"

namespace spodnet {
namespace {

constexpr std::size_t kUsualWidthUbg = 16;
constexpr double kStartStep = -3.0;       ///< gamma is about 0.14
constexpr double kStartThreshold = -5.0;  ///< lambda / m is about 0.05

}  // namespace

UbgAnyRule::UbgAnyRule(const RuleShape& shape, bool signs)
    : features_(features_of(shape)),
      gamma_(layout_, "f.gamma", features_, shape.width("gamma", kUsualWidthUbg), 1, {kStartStep}),
      g_(layout_, features_, shape.width("g", kUsualWidthUbg)),
      lambda_(layout_, "f.lambda",
              {.features = features_,
               .hidden = shape.width("lambda", kUsualWidthUbg),
               .adapt = shape.extra("lambda_adapt"),
               .start = kStartThreshold,
               .spread = 1}),
      signs_(signs) {}

void UbgAnyRule::prepare(const double* weights, Prepared& prepared) const {
  gamma_.prepare(weights, prepared.gamma);
  g_.prepare(weights, prepared.g);
  lambda_.prepare(weights, prepared.lambda);
}

void UbgAnyRule::reserve(Tape& tape, std::size_t slots, std::size_t p) const {
  const std::size_t rows = slots * p;
  tape.slots = slots;
  tape.x.assign(rows * kFeatureStride, 0.0);
  tape.gamma_h.assign(rows * gamma_.hidden_stride(), 0.0);
  tape.gamma.assign(rows * kBlock, 0.0);
  tape.sums.resize(rows);
  tape.d_x.assign(kFeatureStride, 0.0);
  tape.d_in.assign(gamma_.in_stride(), 0.0);
  lambda_.reserve(tape.lambda, rows);
  gamma_.reserve(tape.pending_gamma);
  g_.reserve(tape.g, rows);
}

}  // namespace spodnet
