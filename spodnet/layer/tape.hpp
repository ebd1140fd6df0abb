#pragma once

#include <cstddef>
#include <vector>

#include "spodnet/core/aligned.hpp"
#include "spodnet/core/kernels.hpp"

namespace spodnet {

/// Vectors of padded length, one per column of the walk: of all p columns, or of the last few.
class ColumnHistory {
 public:
  ColumnHistory() = default;
  explicit ColumnHistory(std::size_t p) : ColumnHistory(p, p) {}
  ColumnHistory(std::size_t p, std::size_t kept)
      : ld_(padded(p)), kept_(kept), values_(kept * ld_) {}
  double* operator[](std::size_t i) { return values_.data() + place(i) * ld_; }
  const double* operator[](std::size_t i) const { return values_.data() + place(i) * ld_; }

 private:
  std::size_t place(std::size_t i) const { return i < kept_ ? i : i % kept_; }

  std::size_t ld_ = 0, kept_ = 0;
  AlignedVector values_;
};

/// Scalars of one column step.
struct ColumnScalars {
  double theta_22 = 0;  ///< diagonal entries before the step
  double w_22 = 0;
  double q0 = 0;     ///< z' inv_theta_11 z, before scaling
  double scale = 1;  ///< scaled z = scale * z
  double q = 0;      ///< theta_12^+' inv_theta_11 theta_12^+
  double v_raw = 0;  ///< margin as the rule gave it
  double v = 0;      ///< margin after the floor
};

/// What one layer's backward needs of its forward, for one matrix: 6 p^2 numbers. The state W
/// itself is not stored: it is recovered by undoing the rank-2 updates with the stored w and y.
/// An estimate, which has no backward, keeps 2 p^2 numbers (forward_only) for all its layers.
struct LayerTape {
  ColumnHistory Theta_in;  ///< the layer's input, right of the diagonal; row i becomes theta_12
  ColumnHistory w;         ///< column i of W before step i; entry i is 0 while a rule reads it
  ColumnHistory z;         ///< scaled preactivation
  ColumnHistory h;         ///< inv_theta_11 times the unscaled preactivation
  ColumnHistory u;         ///< theta_12^+
  ColumnHistory y;         ///< inv_theta_11 theta_12^+, with -1 at entry i
  std::vector<ColumnScalars> scalars;
  AlignedVector diag_out;  ///< diagonal of the layer's output

  LayerTape() = default;
  explicit LayerTape(std::size_t p)
      : Theta_in(p), w(p), z(p), h(p), u(p), y(p), scalars(p), diag_out(padded(p)) {}

  static LayerTape forward_only(std::size_t p) {
    LayerTape tape;
    tape.Theta_in = tape.u = ColumnHistory(p);
    tape.w = tape.z = tape.h = tape.y = ColumnHistory(p, 2);  // this column's and the pending one's
    tape.scalars.resize(p);
    tape.diag_out.resize(padded(p));
    return tape;
  }

  /// Makes Theta_in the layer's input again: right of the diagonal it never changed.
  void restore_input();
};

}  // namespace spodnet
