#include "spodnet/models/consistent_any.hpp"

#include <algorithm>

namespace spodnet {
namespace {

constexpr std::size_t kConsistentWidth = 16;
constexpr double kStartGamma = -1.5;   ///< g is about 0.3
constexpr double kStartLambda = -5.0;  ///< lambda / (c m) is about 0.05
constexpr double kStartPsi = 0.1;      ///< the shift begins small

}  // namespace

ConsistentAnyRule::ConsistentAnyRule(const RuleShape& shape)
    : features_(kMostFeatures),
      gamma_(layout_, "f.gamma", features_, shape.width("gamma", kConsistentWidth), 1,
             {kStartGamma}),
      g_(layout_, features_, shape.width("g", kConsistentWidth)),
      lambda_(layout_, "f.lambda",
              {.features = features_,
               .hidden = shape.width("lambda", kConsistentWidth),
               .adapt = shape.extra("lambda_adapt"),
               .start = kStartLambda,
               .spread = 1}),
      psi_(layout_, "f.psi",
           {.features = features_,
            .hidden = shape.width("psi", kConsistentWidth),
            .adapt = shape.extra("psi_adapt"),
            .spread = kStartPsi}) {}

void ConsistentAnyRule::prepare(const double* weights, Prepared& prepared) const {
  gamma_.prepare(weights, prepared.gamma);
  g_.prepare(weights, prepared.g);
  lambda_.prepare(weights, prepared.lambda);
  psi_.prepare(weights, prepared.psi);
}

void ConsistentAnyRule::reserve(Tape& tape, std::size_t slots, std::size_t p) const {
  reserve_rows(tape, slots, p, slots * p);
}

void ConsistentAnyRule::reserve_rows(Tape& tape, std::size_t slots, std::size_t p,
                                     std::size_t kept) const {
  const std::size_t rows = slots * p;
  tape.slots = slots;
  tape.ld = padded(p);
  tape.x.assign(rows * kFeatureStride, 0.0);
  tape.gamma_h.assign(rows * gamma_.hidden_stride(), 0.0);
  tape.gamma.assign(rows * kBlock, 0.0);
  tape.shift = tape.lambda = ColumnHistory(p, kept);
  tape.sums.resize(rows);
  for (AlignedVector* x : {&tape.u, &tape.d_u, &tape.scaled}) x->assign(tape.ld, 0.0);
  tape.d_in.assign(gamma_.in_stride(), 0.0);
  tape.d_x.assign(kFeatureStride, 0.0);
  lambda_.reserve(tape.lambda_net, rows);
  psi_.reserve(tape.psi_net, rows);
  gamma_.reserve(tape.pending_gamma);
  g_.reserve(tape.g, rows);
}

void ConsistentAnyRule::finish_backward(Tape& tape, double* d_weights) const {
  gamma_.finish(tape.pending_gamma, d_weights);
  g_.finish(tape.g, d_weights);
  lambda_.finish(tape.lambda_net, d_weights);
  psi_.finish(tape.psi_net, d_weights);
}

}  // namespace spodnet
