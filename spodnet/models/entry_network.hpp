#pragma once

#include <string>

#include "spodnet/core/aligned.hpp"
#include "spodnet/core/kernels.hpp"
#include "spodnet/models/column_features.hpp"
#include "spodnet/nn/parameters.hpp"

namespace spodnet {

/// A network that every entry j of a column goes through, out_j = c + B relu(A x_j + C x + b), with
/// x_j the entry's features (entry_kernels.hpp) and x the column's (column_features.hpp). The
/// kernels do the work per entry; this class keeps the weights and the part of the column.
class EntryNetwork {
 public:
  static constexpr std::size_t kFeatureStride = padded(kMostFeatures);

  struct Prepared {
    const double* weights = nullptr;
    AlignedVector C, C_T;  ///< hidden x features and its transpose, rows padded
  };

  /// Sums of the weights' gradients wait for finish.
  struct Tape {
    AlignedVector b, d_b;                           ///< of one column
    AlignedVector partial_A, partial_b, partial_B;  ///< kBlock sums each
    AlignedVector d_C;                              ///< features x hidden
  };

  /// Adds {name}.0.weight, .0.column, .0.bias, .1.weight and .1.bias to the layout, for columns of
  /// so many features. The output begins near `start`, within `spread` of it.
  EntryNetwork(ParameterLayout& layout, const std::string& name, std::size_t features,
               std::size_t hidden, double start, double spread);

  void prepare(const double* weights, Prepared& prepared) const;
  void reserve(Tape& tape) const;

  /// What the kernels need for a column with features x.
  EntryWeights weights(const Prepared& prepared, const double* x, Tape& tape) const;
  /// The adjoint whose weight sums are the tape's.
  EntryAdjoint adjoint(Tape& tape) const;
  /// After a kernel's backward: adds to the features' adjoint d_x and to d_weights.
  void column_backward(const Prepared& prepared, const double* x, Tape& tape, double* d_weights,
                       double* d_x) const;
  /// Adds what waits to d_weights.
  void finish(Tape& tape, double* d_weights) const;

 private:
  std::size_t features_, hidden_;
  std::size_t A_ = 0, C_ = 0, b_ = 0, B_ = 0, c_ = 0;  ///< where they start among the weights
};

}  // namespace spodnet
