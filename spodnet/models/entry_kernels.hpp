#pragma once

#include <cstddef>

namespace spodnet {

/// What one entry j of a column is like, for the networks of ubg-any and pnp-any. With
/// m_j = sqrt(Theta_jj theta_22), r = s_12 - w_12, k = sqrt(n) / 3, e = sign(z_j) and
/// phi(x) = x / (1 + |x|), every feature is finite and at most 1 in size, whatever the units:
///   phi(|z|/m), e theta/m, phi(e r m), phi(e w m), phi(k |z|/m), phi(k e r m), phi(|z|),
///   phi(Theta_jj), phi(s_jj Theta_jj)
/// A network that sees signs gets the same with z for |z| and e = 1.
inline constexpr std::size_t kEntryFeatures = 9;

/// One column; vectors of padded length n (kernels.hpp), diag_Theta 0 in the padding.
struct EntryInput {
  std::size_t n = 0;
  const double *z = nullptr, *theta = nullptr, *w = nullptr, *s = nullptr;
  const double *diag_Theta = nullptr, *diag_S = nullptr;
  double theta_22 = 0;
  double k = 0;        ///< sqrt(number of samples) / 3
  bool signs = false;  ///< the thresholds' network sees signs (the shift's always does)
};

/// out_j = c + B relu(A x_j + b).
struct EntryWeights {
  std::size_t hidden = 0;
  const double* A = nullptr;  ///< hidden x kEntryFeatures
  const double* b = nullptr;  ///< hidden, of this column
  const double* B = nullptr;  ///< hidden
  double c = 0;
};

/// Where the adjoint goes; everything is added to. Sums over entries are kept as kBlock partial
/// sums each, so that no column adds across lanes.
struct EntryAdjoint {
  double *d_A = nullptr, *d_b = nullptr, *d_B = nullptr, *d_c = nullptr;  ///< x kBlock
  double *d_z = nullptr, *d_theta = nullptr, *d_w = nullptr, *d_diag = nullptr;
  double d_theta_22 = 0;

  void attach(double* z, double* theta, double* w, double* diag) {
    d_z = z, d_theta = theta, d_w = w, d_diag = diag;
  }
};

/// Sums over a column: with t_j = theta_j / m_j,
///   theta2 = sum t_j^2, r2 = sum (r_j m_j)^2, w2 = sum (w_j m_j)^2, theta_r = sum theta_j r_j.
struct ColumnSums {
  double theta2 = 0, r2 = 0, w2 = 0, theta_r = 0;
};

/// Compiled once per instruction set; chosen with the library's kernels.
struct EntryKernels {
  const char* name;
  /// lambda_j = m_j softplus(out_j), softplus(t) = (t + sqrt(t^2 + 1)) / 2
  void (*thresholds)(const EntryInput& in, const EntryWeights& net, double* lambda);
  /// d_lambda is 0 where the entry does not count.
  void (*thresholds_backward)(const EntryInput& in, const EntryWeights& net, const double* d_lambda,
                              EntryAdjoint& adjoint);
  /// shifted_j = z_j + m_j phi(out_j), out from the features with signs
  void (*shift)(const EntryInput& in, const EntryWeights& net, double* shifted);
  /// Adds to d_z the part that goes through out; d is the adjoint of the shifted z.
  void (*shift_backward)(const EntryInput& in, const EntryWeights& net, const double* d,
                         EntryAdjoint& adjoint);
  ColumnSums (*sums)(const EntryInput& in);
  /// Adds to d_theta, d_w, d_diag and d_theta_22 of `adjoint`.
  void (*sums_backward)(const EntryInput& in, const ColumnSums& d, EntryAdjoint& adjoint);
  /// z = theta - gamma m phi(m r)
  void (*step)(const EntryInput& in, double gamma, double* z);
  /// Adds to d_theta, d_w, d_diag and d_theta_22; returns d_gamma.
  double (*step_backward)(const EntryInput& in, double gamma, const double* d_z,
                          EntryAdjoint& adjoint);
};

const EntryKernels& entry_kernels();

}  // namespace spodnet
