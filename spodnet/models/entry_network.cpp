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

EntryNetwork::EntryNetwork(ParameterLayout& layout, const std::string& name, const Options& options)
    : features_(options.features), hidden_(options.hidden), adapt_units_(options.adapt) {
  const double bound = 1 / std::sqrt(double(kEntryFeatures + features_));
  A_ = layout.add(name + ".0.weight", {hidden_, kEntryFeatures}, bound);
  C_ = layout.add(name + ".0.column", {hidden_, features_}, bound);
  b_ = layout.add(name + ".0.bias", {hidden_}, bound);
  B_ = layout.add(name + ".1.weight", {1, hidden_}, options.spread / std::sqrt(double(hidden_)));
  c_ = layout.add_values(name + ".1.bias", {1}, {options.start});
  if (adapt_units_ > 0)
    adapt_ = ColumnMlp(layout, name + "_adapt", features_, adapt_units_, 2 * hidden_,
                       std::vector<double>(2 * hidden_, 0.0), 0.0);
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
  if (adapt_units_ > 0) adapt_.prepare(weights, prepared.adapt);
}

void EntryNetwork::reserve(Tape& tape, std::size_t rows) const {
  const std::size_t lh = padded(hidden_);
  tape.b.assign(lh, 0.0);
  tape.d_b.assign(lh, 0.0);
  tape.partial_A.assign(hidden_ * kEntryFeatures * kBlock, 0.0);
  tape.partial_b.assign(hidden_ * kBlock, 0.0);
  tape.partial_B.assign((hidden_ + 1) * kBlock, 0.0);
  tape.d_C.assign(features_ * lh, 0.0);
  if (adapt_units_ == 0) return;
  tape.B.assign(lh, 0.0);
  tape.d_x.assign(adapt_.in_stride(), 0.0);
  tape.adapt_h.assign(rows * adapt_.hidden_stride(), 0.0);
  tape.change.assign(adapt_.out_stride(), 0.0);
  tape.d_change.assign(adapt_.out_stride(), 0.0);
  adapt_.reserve(tape.pending);
}

EntryWeights EntryNetwork::weights(const Prepared& prepared, const double* x, Tape& tape,
                                   std::size_t row) const {
  const std::size_t lh = padded(hidden_);
  const double* rows[kMostFeatures];
  for (std::size_t f = 0; f < features_; ++f) rows[f] = &prepared.C_T[f * lh];
  std::copy_n(prepared.weights + b_, hidden_, tape.b.data());
  kernels().combine(lh, features_, x, rows, tape.b.data());
  EntryWeights net{hidden_, prepared.weights + A_, tape.b.data(), prepared.weights + B_,
                   prepared.weights[c_]};
  if (adapt_units_ == 0) return net;
  adapt_.forward(prepared.adapt, 1, x, &tape.adapt_h[row * adapt_.hidden_stride()],
                 tape.change.data());
  for (std::size_t k = 0; k < hidden_; ++k) {
    tape.b[k] += tape.change[k];
    tape.B[k] = net.B[k] + tape.change[hidden_ + k];
  }
  net.B = tape.B.data();
  return net;
}

EntryAdjoint EntryNetwork::adjoint(Tape& tape) const {
  return {.d_A = tape.partial_A.data(),
          .d_b = tape.partial_b.data(),
          .d_B = tape.partial_B.data(),
          .d_c = tape.partial_B.data() + hidden_ * kBlock};
}

void EntryNetwork::column_backward(const Prepared& prepared, const double* x, Tape& tape,
                                   std::size_t row, double* d_weights, double* d_x) const {
  std::fill(tape.d_b.begin(), tape.d_b.end(), 0.0);
  collect(tape.partial_b, tape.d_b.data());
  for (std::size_t k = 0; k < hidden_; ++k) d_weights[b_ + k] += tape.d_b[k];
  const std::size_t lh = padded(hidden_);
  kernels().gemm(features_, lh, 1, x, 1, 1, tape.d_b.data(), lh, tape.d_C.data(), lh);
  kernels().gemm(1, kFeatureStride, hidden_, tape.d_b.data(), lh, 1, prepared.C.data(),
                 kFeatureStride, d_x, kFeatureStride);
  if (adapt_units_ > 0) adapt_backward(prepared, x, tape, row, d_weights, d_x);
}

void EntryNetwork::adapt_backward(const Prepared& prepared, const double* x, Tape& tape,
                                  std::size_t row, double* d_weights, double* d_x) const {
  for (std::size_t k = 0; k < hidden_; ++k) {
    const double d_B = block_sum(&tape.partial_B[k * kBlock]);
    d_weights[B_ + k] += d_B;
    tape.d_change[k] = tape.d_b[k];
    tape.d_change[hidden_ + k] = d_B;
  }
  std::fill_n(tape.partial_B.begin(), hidden_ * kBlock, 0.0);
  adapt_.backward(prepared.adapt, 1, x, &tape.adapt_h[row * adapt_.hidden_stride()],
                  tape.d_change.data(), tape.d_x.data(), tape.pending);
  for (std::size_t f = 0; f < features_; ++f) d_x[f] += tape.d_x[f];
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
  if (adapt_units_ > 0) adapt_.finish(tape.pending, d_weights);
}

}  // namespace spodnet
