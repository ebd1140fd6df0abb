#pragma once

#include <span>
#include <vector>

#include "spodnet/layer/rule.hpp"
#include "spodnet/layer/tape.hpp"
#include "spodnet/models/column_mlp.hpp"

namespace spodnet {

/// theta_12 - gamma (s_12 - w_12) with gamma = |MLP(theta_12)| (Eq. 6): the gradient step that UBG
/// and PNP share.
class GradientStep {
 public:
  using Prepared = ColumnMlp::Prepared;
  struct Tape {
    AlignedVector h;  ///< hidden activations, [column][slot], or what they begin with
    std::vector<const double*> input;  ///< of each slot, row i is theta_12 of column i; or null
    std::vector<std::size_t> next;     ///< of each slot: from this column on h holds a beginning
    AlignedVector sigma;               ///< gamma = |sigma|, [column][slot]
    ColumnMlp::Pending pending;
    std::size_t slots = 1;
  };

  GradientStep(ParameterLayout& layout, const RuleShape& shape);

  std::size_t p() const { return p_; }
  void prepare(const double* weights, Prepared& prepared) const { mlp_.prepare(weights, prepared); }
  void reserve(Tape& tape, std::size_t slots) const;
  /// At the beginning of a layer: what its input Theta_in adds to h of all columns, by one product.
  void begin(const Prepared& prepared, std::span<const LayerTape> tapes, Tape& tape) const;
  void forward(const Prepared& prepared, const Column& column, double* z, Tape& tape) const;
  void backward(const Prepared& prepared, const Column& column, const double* d_z, Tape& tape,
                ColumnAdjoint& adjoint) const;
  /// The step again, from the tape.
  void recall(const Column& column, double* z, Tape& tape) const;
  void finish_backward(Tape& tape, double* d_weights) const {
    mlp_.finish(tape.pending, d_weights);
  }

 private:
  std::size_t row(const Column& column, const Tape& tape) const {
    return column.i * tape.slots + column.slot;
  }

  std::size_t p_;
  ColumnMlp mlp_;
};

}  // namespace spodnet
