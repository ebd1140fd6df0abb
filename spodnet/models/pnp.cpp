#include "spodnet/models/pnp.hpp"

#include <algorithm>

namespace spodnet {

void PnpRule::prepare(const double* weights, Prepared& prepared) const {
  PaperRule::prepare(weights, prepared);
  step_.prepare(weights, prepared.gamma);
  psi_.prepare(weights, prepared.psi);
}

void PnpRule::reserve(Tape& tape, std::size_t slots) const {
  const std::size_t p = step_.p();
  step_.reserve(tape.step, slots);
  psi_.reserve(tape.map, slots);
  tape.x.assign(slots * padded(p), 0.0);
  tape.d_x.assign(slots * padded(p), 0.0);
}

void PnpRule::preactivation(const Prepared& prepared, std::span<const Column> columns,
                            std::span<double* const> z, Tape& tape) const {
  std::array<const double*, kLockstep> input;
  for (std::size_t s = 0; s < columns.size(); ++s) {
    double* x = &tape.x[s * padded(columns[s].p)];
    step_.forward(prepared.gamma, columns[s], x, tape.step);
    input[s] = x;
  }
  psi_.forward(prepared.psi, columns, std::span(input).first(columns.size()), z, tape.map);
}

void PnpRule::preactivation_backward(const Prepared& prepared, std::span<const Column> columns,
                                     std::span<const double* const> d_z, Tape& tape,
                                     double* /*d_weights*/,
                                     std::span<ColumnAdjoint> adjoints) const {
  const std::size_t count = columns.size();
  std::array<const double*, kLockstep> input;
  std::array<double*, kLockstep> d_input;
  for (std::size_t s = 0; s < count; ++s) {
    const std::size_t n = padded(columns[s].p);
    step_.recall(columns[s], &tape.x[s * n], tape.step);
    std::fill_n(&tape.d_x[s * n], n, 0.0);
    input[s] = &tape.x[s * n];
    d_input[s] = &tape.d_x[s * n];
  }
  psi_.backward(prepared.psi, columns, std::span(input).first(count), d_z,
                std::span(d_input).first(count), columns[0].p, tape.map);
  for (std::size_t s = 0; s < count; ++s)
    step_.backward(prepared.gamma, columns[s], d_input[s], tape.step, adjoints[s]);
}

void PnpRule::finish_backward(Tape& tape, double* d_weights) const {
  step_.finish_backward(tape.step, d_weights);
  psi_.finish_backward(tape.map, d_weights);
}

}  // namespace spodnet
