#include "spodnet/models/margin_network.hpp"

#include <algorithm>
#include <cmath>

namespace spodnet {

MarginNetwork::MarginNetwork(ParameterLayout& layout, std::size_t features, std::size_t hidden)
    : features_(features), g_(layout, "g", features + 2, hidden, 1, {0.0}) {}

void MarginNetwork::reserve(Tape& tape, std::size_t rows) const {
  tape.h.assign(rows * g_.hidden_stride(), 0.0);
  tape.x.assign(g_.in_stride(), 0.0);
  tape.d_x.assign(g_.in_stride(), 0.0);
  g_.reserve(tape.pending);
}

double MarginNetwork::forward(const Prepared& prepared, const Column& column,
                              const double* features, double q, std::size_t k, Tape& tape) const {
  std::copy_n(features, features_, tape.x.data());
  tape.x[features_] = std::log1p(q * column.w_22);
  tape.x[features_ + 1] = std::log1p(q);
  alignas(64) double y[kBlock];
  g_.forward(prepared, 1, tape.x.data(), &tape.h[k * g_.hidden_stride()], y);
  return y[0];
}

MarginNetwork::Adjoint MarginNetwork::backward(const Prepared& prepared, const Column& column,
                                               double q, double d_y, std::size_t k, Tape& tape,
                                               double* d_features) const {
  alignas(64) double d_out[kBlock] = {d_y};
  g_.backward(prepared, 1, tape.x.data(), &tape.h[k * g_.hidden_stride()], d_out, tape.d_x.data(),
              tape.pending);
  for (std::size_t f = 0; f < features_; ++f) d_features[f] += tape.d_x[f];
  const double d_relative = tape.d_x[features_] / (1 + q * column.w_22);
  return {d_relative * column.w_22 + tape.d_x[features_ + 1] / (1 + q), d_relative * q};
}

}  // namespace spodnet
