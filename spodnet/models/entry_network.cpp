#include "spodnet/models/entry_network.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace spodnet {
namespace {

double block_sum(const double* partial) { return std::accumulate(partial, partial + kBlock, 0.0); }

/// Adds the partial sums to `to` and empties them.
void collect(AlignedVector& partial, double* to) {
  for (std::size_t k = 0; k < partial.size() / kBlock; ++k)
    to[k] += block_sum(&partial[k * kBlock]);
  std::fill(partial.begin(), partial.end(), 0.0);
}

}  // namespace

EntryNetwork::EntryNetwork(ParameterLayout& layout, const std::string& name, std::size_t features,
                           std::size_t hidden, double start, double spread)
    : features_(features), hidden_(hidden) {
  const double bound = 1 / std::sqrt(double(kEntryFeatures + features_));
  A_ = layout.add(name + ".0.weight", {hidden_, kEntryFeatures}, bound);
  C_ = layout.add(name + ".0.column", {hidden_, features_}, bound);
  b_ = layout.add(name + ".0.bias", {hidden_}, bound);
  B_ = layout.add(name + ".1.weight", {1, hidden_}, spread / std::sqrt(double(hidden_)));
  c_ = layout.add_values(name + ".1.bias", {1}, {start});
}

void EntryNetwork::prepare(const double* weights, Prepared& prepared) const {
  prepared.weights = weights;
  const std::size_t lh = padded(hidden_);
  prepared.C.assign(hidden_ * kFeatureStride, 0.0);
  prepared.C_T.assign(features_ * lh, 0.0);
  for (std::size_t k = 0; k < hidden_; ++k)
    for (std::size_t f = 0; f < features_; ++f)
      prepared.C[k * kFeatureStride + f] = prepared.C_T[f * lh + k] =
          weights[C_ + k * features_ + f];
}

void EntryNetwork::reserve(Tape& tape) const {
  const std::size_t lh = padded(hidden_);
  tape.b.assign(lh, 0.0);
  tape.d_b.assign(lh, 0.0);
  tape.partial_A.assign(hidden_ * kEntryFeatures * kBlock, 0.0);
  tape.partial_b.assign(hidden_ * kBlock, 0.0);
  tape.partial_B.assign((hidden_ + 1) * kBlock, 0.0);
  tape.d_C.assign(features_ * lh, 0.0);
}

EntryWeights EntryNetwork::weights(const Prepared& prepared, const double* x, Tape& tape) const {
  const std::size_t lh = padded(hidden_);
  const double* rows[kMostFeatures];
  for (std::size_t f = 0; f < features_; ++f) rows[f] = &prepared.C_T[f * lh];
  std::copy_n(prepared.weights + b_, hidden_, tape.b.data());
  kernels().combine(lh, features_, x, rows, tape.b.data());
  return {hidden_, prepared.weights + A_, tape.b.data(), prepared.weights + B_,
          prepared.weights[c_]};
}

EntryAdjoint EntryNetwork::adjoint(Tape& tape) const {
  return {.d_A = tape.partial_A.data(),
          .d_b = tape.partial_b.data(),
          .d_B = tape.partial_B.data(),
          .d_c = tape.partial_B.data() + hidden_ * kBlock};
}

void EntryNetwork::column_backward(const Prepared& prepared, const double* x, Tape& tape,
                                   double* d_weights, double* d_x) const {
  std::fill(tape.d_b.begin(), tape.d_b.end(), 0.0);
  collect(tape.partial_b, tape.d_b.data());
  for (std::size_t k = 0; k < hidden_; ++k) d_weights[b_ + k] += tape.d_b[k];
  const std::size_t lh = padded(hidden_);
  kernels().gemm(features_, lh, 1, x, 1, 1, tape.d_b.data(), lh, tape.d_C.data(), lh);
  kernels().gemm(1, kFeatureStride, hidden_, tape.d_b.data(), lh, 1, prepared.C.data(),
                 kFeatureStride, d_x, kFeatureStride);
}

void EntryNetwork::finish(Tape& tape, double* d_weights) const {
  collect(tape.partial_A, d_weights + A_);
  for (std::size_t k = 0; k < hidden_; ++k)
    d_weights[B_ + k] += block_sum(&tape.partial_B[k * kBlock]);
  d_weights[c_] += block_sum(&tape.partial_B[hidden_ * kBlock]);
  std::fill(tape.partial_B.begin(), tape.partial_B.end(), 0.0);
  for (std::size_t k = 0; k < hidden_; ++k)
    for (std::size_t f = 0; f < features_; ++f)
      d_weights[C_ + k * features_ + f] += tape.d_C[f * padded(hidden_) + k];
  std::fill(tape.d_C.begin(), tape.d_C.end(), 0.0);
}

}  // namespace spodnet
