#pragma once

#include <string>
#include <vector>

#include "spodnet/core/aligned.hpp"
#include "spodnet/core/kernels.hpp"
#include "spodnet/layer/parameters.hpp"

namespace spodnet {

/// Perceptron with one hidden ReLU layer, out = A2 relu(A1 x + b1) + b2, evaluated for `rows`
/// inputs at once. Rows are padded: strides padded(in), padded(hidden), padded(out).
class ColumnMlp {
 public:
  /// Weights in padded, also transposed, form: every product then runs along contiguous rows.
  struct Prepared {
    AlignedVector A1, A1_T, A2, A2_T, b1, b2;
  };

  /// Weight gradients wait for a few rows and are then summed by one matrix product.
  struct Pending {
    AlignedVector x, d_h, d_out;   ///< the waiting rows
    std::vector<const double*> h;  ///< where their activations are
    AlignedVector d_A1, d_b1, d_b2;
    AlignedVector d_A2;     ///< transposed
    AlignedVector scratch;  ///< one d_x
    std::size_t rows = 0;
  };

  ColumnMlp() = default;
  /// Adds {name}.0.weight, {name}.0.bias, {name}.1.weight, {name}.1.bias to the layout. With
  /// `start` (out numbers) the output begins near these values whatever the input, the nearer the
  /// smaller `spread`.
  ColumnMlp(ParameterLayout& layout, const std::string& name, std::size_t in, std::size_t hidden,
            std::size_t out, std::vector<double> start = {}, double spread = 0.1);

  std::size_t in_stride() const { return padded(in_); }
  std::size_t hidden_stride() const { return padded(hidden_); }
  std::size_t out_stride() const { return padded(out_); }

  void prepare(const double* weights, Prepared& prepared) const;
  void reserve(Pending& pending) const;

  /// h (rows x hidden) and out (rows x out) from x (rows x in).
  void forward(const Prepared& prepared, std::size_t rows, const double* x, double* h,
               double* out) const;
  /// The first `wanted` entries of d_x (overwritten) from d_out; leaves the weight gradients
  /// pending, for which h must stay where it is until `finish`.
  void backward(const Prepared& prepared, std::size_t rows, const double* x, const double* h,
                const double* d_out, double* d_x, std::size_t wanted, Pending& pending) const;
  /// All of d_x.
  void backward(const Prepared& prepared, std::size_t rows, const double* x, const double* h,
                const double* d_out, double* d_x, Pending& pending) const {
    backward(prepared, rows, x, h, d_out, d_x, in_, pending);
  }

  // One input that is x (in + 1 numbers, x_i = 0) without its entry i, and one output.
  /// What h begins with, for all i: b1 + A1 times the part of row i of X (in + 1 rows, ldx apart)
  /// right of the diagonal block. Rows of `begun` are `stride` apart.
  void begin_without(const Prepared& prepared, const double* X, std::size_t ldx, double* begun,
                     std::size_t stride) const;
  /// h and the output, which is returned. `begun`: h holds its row of begin_without.
  double forward_without(const Prepared& prepared, std::size_t i, const double* x, bool begun,
                         double* h) const;
  /// Adds to the first `wanted` entries of d_x.
  void backward_without(const Prepared& prepared, std::size_t i, const double* x, const double* h,
                        double d_out, std::size_t wanted, double* d_x, Pending& pending) const;

  /// Adds the weight gradients collected since `reserve` or the last `finish` to d_weights.
  void finish(Pending& pending, double* d_weights) const;

 private:
  void flush(Pending& pending) const;

  std::size_t in_ = 0, hidden_ = 0, out_ = 0;
  std::size_t A1_ = 0, b1_ = 0, A2_ = 0, b2_ = 0;  ///< offsets
};

/// compact = x without entry i (length p - 1, then zeros up to padded(p - 1)).
void remove_entry(std::size_t p, std::size_t i, const double* x, double* compact);
/// x += compact, entry i of x untouched.
void add_without_entry(std::size_t p, std::size_t i, const double* compact, double* x);

}  // namespace spodnet
