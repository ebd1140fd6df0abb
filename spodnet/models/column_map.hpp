#pragma once

#include <span>

#include "spodnet/layer/rule.hpp"
#include "spodnet/models/column_mlp.hpp"

namespace spodnet {

/// A perceptron from a column to a column (p - 1 numbers to p - 1), for several matrices in
/// lockstep: psi of PNP and phi of E2E.
class ColumnMap {
 public:
  static constexpr std::size_t kLockstep = 5;
  using Prepared = ColumnMlp::Prepared;
  struct Tape {
    AlignedVector h;                   ///< hidden activations, [column][slot]
    AlignedVector x, out, d_x, d_out;  ///< one row per slot
    ColumnMlp::Pending pending;
    std::size_t slots = 1;
  };

  ColumnMap(ParameterLayout& layout, const std::string& name, const RuleShape& shape,
            std::size_t hidden)
      : p_(shape.p), mlp_(layout, name, shape.p - 1, hidden, shape.p - 1) {}

  void prepare(const double* weights, Prepared& prepared) const { mlp_.prepare(weights, prepared); }
  void reserve(Tape& tape, std::size_t slots) const;
  /// z[s] = map(input[s]) for each column; slots are those of columns (consecutive).
  void forward(const Prepared& prepared, std::span<const Column> columns,
               std::span<const double* const> input, std::span<double* const> z, Tape& tape) const;
  /// The first `wanted` entries of d_input[s] += the adjoint of input[s].
  void backward(const Prepared& prepared, std::span<const Column> columns,
                std::span<const double* const> input, std::span<const double* const> d_z,
                std::span<double* const> d_input, std::size_t wanted, Tape& tape) const;
  void finish_backward(Tape& tape, double* d_weights) const {
    mlp_.finish(tape.pending, d_weights);
  }

 private:
  double* hidden_rows(std::span<const Column> columns, Tape& tape) const {
    return &tape.h[(columns[0].i * tape.slots + columns[0].slot) * mlp_.hidden_stride()];
  }

  std::size_t p_;
  ColumnMlp mlp_;
};

}  // namespace spodnet
