#pragma once

#include <cstddef>
#include <string>

namespace spodnet {

/// Doubles in one block: rows are padded with zeros to a multiple of it and 64-byte aligned, so
/// no kernel has a tail (unaligned pointers work too, slower).
constexpr std::size_t kBlock = 8;

constexpr std::size_t padded(std::size_t n) { return (n + kBlock - 1) / kBlock * kBlock; }

/// Terms of one rank_update or transposed_product.
constexpr std::size_t kMaxTerms = 32;

/// Two-layer perceptron of one number, e(x) = c2 + sum_k B2_k relu(B1_k x + c1_k).
struct ScalarMlp {
  const double *B1, *c1, *B2;
  double c2;
  std::size_t hidden;
};

/// Sums its backward accumulates, in the same layout.
struct ScalarMlpGradient {
  double *d_B1, *d_c1, *d_B2, *d_c2;
};

/// What the adjoint of a soft threshold reads: d_u = 2 (g + d_q y) where u is not 0, else 0.
struct ThresholdAdjoint {
  const double *u, *g, *y;
  double d_q;
};

/// Rotations c_i, s_i of rows i and i + 1 for i = last - 1 down to first; none when they are equal.
struct RotationSweep {
  std::size_t first = 0, last = 0;
  double *c = nullptr, *s = nullptr;
};

/// A quadratic programme in a box, minimise w'M w over low <= w <= high, as coordinate descent
/// leaves it: M = Theta + factor theta' (rows of Theta ld apart, padded with zeros), scale_j =
/// 1 / M_jj, and M w = g + shift * theta.
struct BoxColumn {
  std::size_t ld;
  const double *Theta, *theta, *factor, *low, *high, *scale;
  double *w, *g, shift;
};

/// The inner loops, compiled once per instruction set and chosen at run time. Vectors have padded
/// length `n` (a multiple of kBlock). Symmetric p x p matrices are stored block-lower-triangular:
/// row-major with stride ld = padded(p), of row r only columns < kBlock * (r / kBlock + 1) count.
struct Kernels {
  const char* name;

  double (*dot)(std::size_t n, const double* x, const double* y);
  /// y += a x
  void (*axpy)(std::size_t n, double a, const double* x, double* y);
  /// y += x, any n.
  void (*add)(std::size_t n, const double* x, double* y);
  /// out = a x + b y
  void (*linear)(std::size_t n, double a, const double* x, double b, const double* y, double* out);
  /// out += sum_k coef[k] rows[k]. 2 n count flops, n count numbers read.
  void (*combine)(std::size_t n, std::size_t count, const double* coef, const double* const* rows,
                  double* out);

  /// C (m x n) += A (m x k) B (k x n). Entry (i, l) of A is A[i * a_row + l * a_col]; rows of B and
  /// C are contiguous with strides ldb, ldc; n is a multiple of kBlock. 2 m n k flops.
  void (*gemm)(std::size_t m, std::size_t n, std::size_t k, const double* A, std::size_t a_row,
               std::size_t a_col, const double* B, std::size_t ldb, double* C, std::size_t ldc);
  /// The same with C = A B.
  void (*product)(std::size_t m, std::size_t n, std::size_t k, const double* A, std::size_t a_row,
                  std::size_t a_col, const double* B, std::size_t ldb, double* C, std::size_t ldc);

  /// out (n) += sum over k < count, k != skip, of x_k a_k, passing over the zeros of x: a_k is row
  /// k of A (row stride lda) before `skip` and row k - 1 after it (skip >= count: all in place). x
  /// is padded and n a multiple of kBlock. 2 n flops per entry of x that is not 0.
  void (*row_product)(std::size_t count, std::size_t skip, std::size_t n, const double* x,
                      const double* A, std::size_t lda, double* out);
  /// C (m x n) += A' B, passing over the zeros of A. A has `count` <= kMaxTerms padded rows, each
  /// at an address of its own; rows of B and C are contiguous with strides ldb, ldc; n is a
  /// multiple of kBlock. 2 n flops per entry of A that is not 0.
  void (*transposed_product)(std::size_t m, std::size_t n, std::size_t count,
                             const double* const* A, const double* B, std::size_t ldb, double* C,
                             std::size_t ldc);

  /// out = A x for a symmetric A. 2 p^2 flops, p^2 / 2 numbers read.
  void (*symmetric_product)(std::size_t p, std::size_t ld, const double* A, const double* x,
                            double* out);
  /// The share of rows [first, last) in it, multiples of kBlock: out (last) = their entries of the
  /// stored triangle, and the mirrored ones, times x. Shares of all rows add up to A x.
  void (*symmetric_rows)(std::size_t first, std::size_t last, std::size_t ld, const double* A,
                         const double* x, double* out);
  /// A += c1 x1 x1' + c2 x2 x2', then out = A z, in one sweep. 4 p^2 flops.
  void (*update_product)(std::size_t p, std::size_t ld, double* A, const double* x1, double c1,
                         const double* x2, double c2, const double* z, double* out);

  /// out (ld) = column i of A, + c1 x1 + c2 x2 unless x1 is null.
  void (*triangle_column)(std::size_t ld, const double* A, std::size_t i, double c1,
                          const double* x1, double c2, const double* x2, double* out);

  /// A += sum_k coef[k] left[k] right[k]' on the stored triangle, columns < `columns` (a multiple
  /// of kBlock) only; the sum must be symmetric. count <= kMaxTerms.
  void (*rank_update)(std::size_t p, std::size_t ld, double* A, std::size_t count,
                      const double* coef, const double* const* left, const double* const* right,
                      std::size_t columns);

  /// The same on rows [first, last) alone; `first` is a multiple of kBlock.
  void (*rank_update_rows)(std::size_t first, std::size_t last, std::size_t ld, double* A,
                           std::size_t count, const double* coef, const double* const* left,
                           const double* const* right, std::size_t columns);

  /// R (kBlock x kBlock, contiguous) = L^{-1} for A = L L' (both halves stored, row stride ld);
  /// false when a pivot is not positive and finite.
  bool (*invert_factor)(const double* A, std::size_t ld, double* R);

  /// With Wx = W x, w = column i of W and factor = -(w'x) / w_22, out = inv_theta_11 x =
  /// Wx + factor w, out_i = 0; returns x' out. x_i must be 0. out may be Wx.
  double (*schur_product)(std::size_t n, std::size_t i, const double* w, double factor,
                          const double* x, const double* Wx, double* out);

  /// One Adam update of n parameters (any n): m += (1 - beta1)(g - m), v = beta2 v + (1 - beta2)
  /// g^2, x -= step m / (sqrt(v) / root + eps).
  void (*adam)(std::size_t n, const double* g, double beta1, double beta2, double step, double root,
               double eps, double* x, double* m, double* v);

  /// h = max(h, 0), NaN where h is NaN; and d = 0 where not h > 0.
  void (*relu)(std::size_t n, double* h);
  void (*relu_backward)(std::size_t n, const double* h, double* d);
  /// z = theta - gamma (s - w).
  void (*gradient_step)(std::size_t n, double gamma, const double* theta, const double* s,
                        const double* w, double* z);
  /// Adds to d_theta and d_w, or writes them where they are `fresh`; returns d_gamma.
  double (*gradient_step_backward)(std::size_t n, double gamma, const double* s, const double* w,
                                   const double* d_z, bool fresh, double* d_theta, double* d_w);
  /// out = factor (x - y), squares = {||x - y||^2, ||y||^2}; any n.
  void (*difference)(std::size_t n, double factor, const double* x, const double* y, double* out,
                     double* squares);

  /// u = sign(z) max(|z| - lambda, 0), exact zeros; NaN where z or lambda is NaN.
  void (*soft_threshold)(std::size_t n, const double* z, const double* lambda, double* u);
  /// With d_u = 2 (g + d_q y): d_z = d_u and d_lambda = -sign(u) d_u where u is not 0, else 0.
  void (*soft_threshold_backward)(std::size_t n, const double* u, const double* g, double d_q,
                                  const double* y, double* d_z, double* d_lambda);

  /// lambda_j = kappa |e(x_j)|, NaN where anything in it is NaN.
  void (*abs_mlp)(std::size_t n, const ScalarMlp& mlp, double kappa, const double* x,
                  double* lambda);
  /// Adds the adjoint of x and of the weights; d_lambda is 0 where the entry does not count.
  void (*abs_mlp_backward)(std::size_t n, const ScalarMlp& mlp, double kappa, const double* x,
                           const double* d_lambda, double* d_x, const ScalarMlpGradient& grad);
  /// z *= scale, then u = soft_threshold(z, kappa |e(z)|), in one pass.
  void (*mlp_threshold)(std::size_t n, const ScalarMlp& mlp, double kappa, double scale, double* z,
                        double* u);
  /// d_z (overwritten) from d_u; adds the adjoint of the weights and returns d_z'z. z is scaled.
  double (*mlp_threshold_backward)(std::size_t n, const ScalarMlp& mlp, double kappa,
                                   const double* z, const ThresholdAdjoint& adjoint, double* d_z,
                                   const ScalarMlpGradient& grad);

  /// One sweep of implicit QL on the tridiagonal matrix with diagonal d and couplings e, from the
  /// shifted corner `g`: chases the bulge over [next.first, next.last] and records its rotations.
  /// Meanwhile it turns the rows of V (n numbers each, stride ld) by the rotations of `before`: the
  /// two are independent, so the square roots of one hide behind the products of the other.
  void (*ql_sweep)(std::size_t n, std::size_t ld, double* V, const RotationSweep& before, double* d,
                   double* e, double g, const RotationSweep& next);

  /// One cycle of exact coordinate minimisations of 1/2 b'H b - c'b + sum_l above_l max(b_l, 0) -
  /// below_l min(b_l, 0) in R^k (penalties >= 0, infinity keeps b_l from that side), with
  /// r = c - H b (rows of H ld >= k apart, a multiple of kBlock, padded with zeros) and inverse_l =
  /// 1 / H_ll. Returns sum_l H_ll (change of b_l)^2.
  double (*lasso_pass)(std::size_t k, std::size_t ld, const double* H, const double* above,
                       const double* below, const double* inverse, double* b, double* r);
  /// One cycle of exact coordinate steps over the `count` entries in `list`, in which it leaves
  /// those that moved or are inside their bounds; returns their number.
  std::size_t (*box_pass)(BoxColumn& column, std::size_t count, std::size_t* list);
};

/// The best instruction set of this machine, or the one forced by `force_kernels` or by the
/// environment variable SPODNET_ISA (avx512, avx2, baseline).
const Kernels& kernels();

/// Forces an instruction set for the whole process, "" for the best; throws Error when this
/// machine or build lacks it. For tests and benchmarks.
void force_kernels(const std::string& name);

}  // namespace spodnet
