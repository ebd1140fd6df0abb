#pragma once

#include "spodnet/core/tri_matrix.hpp"

namespace spodnet {

/// G = dL/dTheta (symmetric, W = Theta^{-1} substituted) while an ExternalRuleLayer goes back. As
/// AdjointState, but any number of terms may belong to a column, and the vectors given stay as they
/// are: a second backward finds them unchanged.
class ExternalRuleAdjoint {
 public:
  ExternalRuleAdjoint() = default;
  explicit ExternalRuleAdjoint(std::size_t p);

  std::size_t p() const { return G_.p(); }
  std::size_t bytes() const { return (G_.ld() * G_.ld() + vectors_.size()) * sizeof(double); }

  /// G = the symmetric part of d_Theta (p x p). Not `whole`: columns are replaced from the last to
  /// the first, and what is read is only column i of each i that was not replaced yet.
  void start(const double* d_Theta, bool whole);
  /// column (padded length) = G[:, i], pending terms included.
  void get_column(std::size_t i, double* column) const;

  /// G -= c x x'. Vectors have padded length and 0 in the padding.
  void subtract(double c, const double* x);
  /// G -= c (x y' + y x') / 2.
  void subtract(double c, const double* x, const double* y);

  /// Row and column i become d_theta_12 / 2 (whose entry i is not read) and d_theta_22; what
  /// pending terms would add there is dropped.
  void replace_column(std::size_t i, const double* d_theta_12, double d_theta_22);
  void add_diagonal(const double* d_diag);
  /// Applies the pending terms.
  void flush();
  /// G (p x p), with nothing pending.
  void read(double* G) const;

 private:
  double* keep(const double* x);
  void append(double coef, double* left, double* right);

  TriMatrix G_;
  AlignedVector column_, vectors_;  ///< scratch; copies of the vectors of pending terms
  std::size_t terms_ = 0, kept_ = 0;
  bool whole_ = true;
  std::size_t columns_ = 0;  ///< those of the triangle that will be read
  double coef_[kMaxTerms];
  double* left_[kMaxTerms];  ///< each copy is a left vector once
  double* right_[kMaxTerms];
};

}  // namespace spodnet
