#pragma once

#include <string>

#include "spodnet/core/aligned.hpp"
#include "spodnet/core/kernels.hpp"
#include "spodnet/models/column_features.hpp"
#include "spodnet/models/column_mlp.hpp"

namespace spodnet {

/// A network that every entry j of a column goes through, out_j = c + B relu(A x_j + C x + b), with
/// x_j the entry's features (entry_kernels.hpp) and x the column's (column_features.hpp). The
/// kernels do the work per entry; this class keeps the weights and the part of the column.
/// With `adapt` units a second network of the column changes the first: b + b'(x) for b and
/// B + B'(x) for B, (b', B') = MLP(x), so that one set of weights serves problems that differ.
class EntryNetwork {
 public:
  static constexpr std::size_t kFeatureStride = padded(kMostFeatures);

  struct Prepared {
    const double* weights = nullptr;
    AlignedVector C, C_T;  ///< hidden x features and its transpose, rows padded
    ColumnMlp::Prepared adapt;
  };

  /// Sums of the weights' gradients wait for finish.
  struct Tape {
    AlignedVector b, d_b, B, d_x;                   ///< of one column
    AlignedVector partial_A, partial_b, partial_B;  ///< kBlock sums each
    AlignedVector d_C;                              ///< features x hidden
    AlignedVector adapt_h;                          ///< activations, rows of every column
    AlignedVector change, d_change;                 ///< (b', B') of one column
    ColumnMlp::Pending pending;
  };

  struct Options {
    std::size_t features = 0;  ///< of a column
    std::size_t hidden = 0;    ///< units
    std::size_t adapt = 0;     ///< units of the network that changes it; begins with no change
    double start = 0, spread = 0.1;  ///< the output begins within `spread` of `start`
  };

  /// Adds {name}.0.weight, .0.column, .0.bias, .1.weight and .1.bias to the layout, and the tensors
  /// of {name}_adapt.
  EntryNetwork(ParameterLayout& layout, const std::string& name, const Options& options);

  void prepare(const double* weights, Prepared& prepared) const;
  void reserve(Tape& tape, std::size_t rows) const;

  /// What the kernels need for a column with features x, kept in this row of the tape.
  EntryWeights weights(const Prepared& prepared, const double* x, Tape& tape,
                       std::size_t row) const;
  /// The adjoint whose weight sums are the tape's.
  EntryAdjoint adjoint(Tape& tape) const;
  /// After a kernel's backward: adds to the features' adjoint d_x and to d_weights.
  void column_backward(const Prepared& prepared, const double* x, Tape& tape, std::size_t row,
                       double* d_weights, double* d_x) const;
  /// Adds what waits to d_weights.
  void finish(Tape& tape, double* d_weights) const;

 private:
  void adapt_backward(const Prepared& prepared, const double* x, Tape& tape, std::size_t row,
                      double* d_weights, double* d_x) const;

  std::size_t features_, hidden_, adapt_units_;
  ColumnMlp adapt_;
  std::size_t A_ = 0, C_ = 0, b_ = 0, B_ = 0, c_ = 0;  ///< where they start among the weights
};

}  // namespace spodnet
