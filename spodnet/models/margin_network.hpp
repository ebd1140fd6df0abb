#pragma once

#include "spodnet/layer/rule.hpp"
#include "spodnet/models/column_mlp.hpp"

namespace spodnet {

/// The network behind the margin v of the size-free rules: y = MLP(x, log(1 + q w_22), log(1 + q)),
/// x the column's features and q as g reads it. The rule makes v of y.
class MarginNetwork {
 public:
  using Prepared = ColumnMlp::Prepared;

  /// Rows per (column, slot).
  struct Tape {
    AlignedVector h;
    AlignedVector x, d_x;  ///< scratch of one column
    ColumnMlp::Pending pending;
  };

  struct Adjoint {
    double d_q = 0, d_w_22 = 0;
  };

  MarginNetwork(ParameterLayout& layout, std::size_t features, std::size_t hidden);

  void prepare(const double* weights, Prepared& prepared) const { g_.prepare(weights, prepared); }
  void reserve(Tape& tape, std::size_t rows) const;

  /// y of the column in row k.
  double forward(const Prepared& prepared, const Column& column, const double* features, double q,
                 std::size_t k, Tape& tape) const;
  /// After forward of the same column; adds to the adjoint of its features.
  Adjoint backward(const Prepared& prepared, const Column& column, double q, double d_y,
                   std::size_t k, Tape& tape, double* d_features) const;
  void finish(Tape& tape, double* d_weights) const { g_.finish(tape.pending, d_weights); }

 private:
  std::size_t features_;
  ColumnMlp g_;
};

}  // namespace spodnet
