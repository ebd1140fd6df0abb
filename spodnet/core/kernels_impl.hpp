// The kernels of core/kernels.hpp, included once per instruction set inside that set's own
// namespace (SPODNET_ISA): plain pointers and compiler vector types only, nothing inline is shared
// between files with different flags.
#include "spodnet/core/kernel_vectors.hpp"
#include "spodnet/core/kernels.hpp"
#include "spodnet/core/ql_sweep_impl.hpp"

namespace spodnet {
namespace SPODNET_ISA {

static double dot(std::size_t n, const double* x, const double* y) {
  Vec s0 = zero(), s1 = zero();
  std::size_t j = 0;
  for (; j + 2 * kLanes <= n; j += 2 * kLanes) {
    s0 += load(x + j) * load(y + j);
    s1 += load(x + j + kLanes) * load(y + j + kLanes);
  }
  if (j < n) s0 += load(x + j) * load(y + j);
  return sum(s0 + s1);
}

static void axpy(std::size_t n, double a, const double* x, double* y) {
  const Vec va = all(a);
  for (std::size_t j = 0; j < n; j += kLanes) store(y + j, load(y + j) + va * load(x + j));
}

static void linear(std::size_t n, double a, const double* x, double b, const double* y,
                   double* out) {
  const Vec va = all(a), vb = all(b);
  for (std::size_t j = 0; j < n; j += kLanes) store(out + j, va * load(x + j) + vb * load(y + j));
}

/// V vectors of out += sum_k coef[k] rows[k]; even and odd k apart, to hide the latency.
template <int V>
SPODNET_INLINE void combine_tile(std::size_t count, const double* coef, const double* const* rows,
                                 std::size_t j0, double* out) {
  Vec even[V], odd[V];
  for (int j = 0; j < V; ++j) even[j] = load(out + j0 + j * kLanes), odd[j] = zero();
  std::size_t k = 0;
  for (; k + 2 <= count; k += 2) {
    const Vec a = all(coef[k]), b = all(coef[k + 1]);
    for (int j = 0; j < V; ++j) {
      even[j] += a * load(rows[k] + j0 + j * kLanes);
      odd[j] += b * load(rows[k + 1] + j0 + j * kLanes);
    }
  }
  if (k < count)
    for (int j = 0; j < V; ++j) even[j] += all(coef[k]) * load(rows[k] + j0 + j * kLanes);
  for (int j = 0; j < V; ++j) store(out + j0 + j * kLanes, even[j] + odd[j]);
}

static void combine(std::size_t n, std::size_t count, const double* coef, const double* const* rows,
                    double* out) {
  constexpr int V = kManyRegisters ? 8 : 4;
  std::size_t j = 0;
  for (; j + V * kLanes <= n; j += V * kLanes) combine_tile<V>(count, coef, rows, j, out);
  switch ((n - j) / kLanes) {
    case 7:
      combine_tile<7>(count, coef, rows, j, out);
      break;
    case 6:
      combine_tile<6>(count, coef, rows, j, out);
      break;
    case 5:
      combine_tile<5>(count, coef, rows, j, out);
      break;
    case 4:
      combine_tile<4>(count, coef, rows, j, out);
      break;
    case 3:
      combine_tile<3>(count, coef, rows, j, out);
      break;
    case 2:
      combine_tile<2>(count, coef, rows, j, out);
      break;
    case 1:
      combine_tile<1>(count, coef, rows, j, out);
      break;
    default:
      break;
  }
}

// ---- C += A B -----------------------------------------------------------------------------

/// One register tile of R rows and V vectors.
template <int R, int V>
SPODNET_INLINE void gemm_tile(std::size_t k, const double* A, std::size_t a_row, std::size_t a_col,
                              const double* B, std::size_t ldb, double* C, std::size_t ldc) {
  Vec c[R][V];
  for (int i = 0; i < R; ++i)
    for (int j = 0; j < V; ++j) c[i][j] = load(C + i * ldc + j * kLanes);
  for (std::size_t l = 0; l < k; ++l) {
    Vec b[V];
    for (int j = 0; j < V; ++j) b[j] = load(B + l * ldb + j * kLanes);
    for (int i = 0; i < R; ++i) {
      const Vec a = all(A[i * a_row + l * a_col]);
      for (int j = 0; j < V; ++j) c[i][j] += a * b[j];
    }
  }
  for (int i = 0; i < R; ++i)
    for (int j = 0; j < V; ++j) store(C + i * ldc + j * kLanes, c[i][j]);
}

/// R rows of C, in tiles V, V / 2, ... 1 vectors wide.
template <int R, int V>
static void gemm_rows(std::size_t n, std::size_t k, const double* A, std::size_t a_row,
                      std::size_t a_col, const double* B, std::size_t ldb, double* C,
                      std::size_t ldc) {
  std::size_t j = 0;
  for (; j + V * kLanes <= n; j += V * kLanes)
    gemm_tile<R, V>(k, A, a_row, a_col, B + j, ldb, C + j, ldc);
  if constexpr (V > 1)
    if (j < n) gemm_rows<R, V / 2>(n - j, k, A, a_row, a_col, B + j, ldb, C + j, ldc);
}

static void gemm(std::size_t m, std::size_t n, std::size_t k, const double* A, std::size_t a_row,
                 std::size_t a_col, const double* B, std::size_t ldb, double* C, std::size_t ldc) {
  while (m > 0) {
    std::size_t rows = m < 4 ? m : 4;
    if (kManyRegisters && m > 4) rows = m < 6 ? 5 : m < 8 ? 6 : 8;
    switch (rows) {
      case 1:
        gemm_rows<1, 8>(n, k, A, a_row, a_col, B, ldb, C, ldc);
        break;
      case 2:
        gemm_rows<2, kManyRegisters ? 8 : 4>(n, k, A, a_row, a_col, B, ldb, C, ldc);
        break;
      case 3:
        gemm_rows<3, kManyRegisters ? 8 : 4>(n, k, A, a_row, a_col, B, ldb, C, ldc);
        break;
      case 4:
        gemm_rows<4, kManyRegisters ? 5 : 2>(n, k, A, a_row, a_col, B, ldb, C, ldc);
        break;
      case 5:
        gemm_rows<5, 4>(n, k, A, a_row, a_col, B, ldb, C, ldc);
        break;
      case 6:
        gemm_rows<6, 4>(n, k, A, a_row, a_col, B, ldb, C, ldc);
        break;
      default:
        gemm_rows<8, 3>(n, k, A, a_row, a_col, B, ldb, C, ldc);
    }
    A += rows * a_row;
    C += rows * ldc;
    m -= rows;
  }
}

// ---- Symmetric matrices, block-lower-triangular --------------------------------------------

constexpr std::size_t kRows =
    kManyRegisters ? 4 : 2;  // rows swept together: their accumulators stay in registers

/// Rows r .. r + kRows - 1 of out = A z: the part left of the diagonal block counts twice, once in
/// `acc` (these rows) and once in `out` (the mirrored columns).
template <bool kUpdate>
SPODNET_INLINE void sweep_rows(std::size_t r, std::size_t ld, double* A, const double* x1,
                               double c1, const double* x2, double c2, const double* z,
                               double* out) {
  double* row = A + r * ld;
  Vec acc[kRows], f1[kRows], f2[kRows], zr[kRows];
  for (std::size_t k = 0; k < kRows; ++k) {
    acc[k] = zero();
    zr[k] = all(z[r + k]);
    if (kUpdate) f1[k] = all(c1 * x1[r + k]), f2[k] = all(c2 * x2[r + k]);
  }
  const std::size_t diagonal = r / kBlock * kBlock;
  for (std::size_t j = 0; j < diagonal; j += kLanes) {
    const Vec zj = load(z + j);
    Vec x1j = zero(), x2j = zero(), mirrored = load(out + j);
    if (kUpdate) x1j = load(x1 + j), x2j = load(x2 + j);
    for (std::size_t k = 0; k < kRows; ++k) {
      Vec a = load(row + k * ld + j);
      if (kUpdate) {
        a += f1[k] * x1j;
        a += f2[k] * x2j;
        store(row + k * ld + j, a);
      }
      acc[k] += a * zj;
      mirrored += a * zr[k];
    }
    store(out + j, mirrored);
  }
  for (std::size_t j = diagonal; j < diagonal + kBlock; j += kLanes) {
    const Vec zj = load(z + j);
    for (std::size_t k = 0; k < kRows; ++k) {
      Vec a = load(row + k * ld + j);
      if (kUpdate) {
        a += f1[k] * load(x1 + j);
        a += f2[k] * load(x2 + j);
        store(row + k * ld + j, a);
      }
      acc[k] += a * zj;
    }
  }
  for (std::size_t k = 0; k < kRows; ++k) out[r + k] += sum(acc[k]);
}

template <bool kUpdate>
static void sweep(std::size_t p, std::size_t ld, double* A, const double* x1, double c1,
                  const double* x2, double c2, const double* z, double* out) {
  for (std::size_t j = 0; j < ld; j += kLanes) store(out + j, zero());
  for (std::size_t r = 0; r < p; r += kRows) sweep_rows<kUpdate>(r, ld, A, x1, c1, x2, c2, z, out);
}

static void symmetric_product(std::size_t p, std::size_t ld, const double* A, const double* x,
                              double* out) {
  sweep<false>(p, ld, const_cast<double*>(A), x, 0, x, 0, x, out);
}

static void update_product(std::size_t p, std::size_t ld, double* A, const double* x1, double c1,
                           const double* x2, double c2, const double* z, double* out) {
  sweep<true>(p, ld, A, x1, c1, x2, c2, z, out);
}

/// One register tile of kBlock / parts rows and V vectors of a rank_update.
template <int R, int V>
SPODNET_INLINE void rank_tile(std::size_t count, const double* scaled, const double* const* right,
                              std::size_t c, double* A, std::size_t ld) {
  Vec acc[R][V];
  for (int i = 0; i < R; ++i)
    for (int j = 0; j < V; ++j) acc[i][j] = load(A + i * ld + c + j * kLanes);
  for (std::size_t k = 0; k < count; ++k) {
    Vec b[V];
    for (int j = 0; j < V; ++j) b[j] = load(right[k] + c + j * kLanes);
    for (int i = 0; i < R; ++i) {
      const Vec a = all(scaled[k * kBlock + i]);
      for (int j = 0; j < V; ++j) acc[i][j] += a * b[j];
    }
  }
  for (int i = 0; i < R; ++i)
    for (int j = 0; j < V; ++j) store(A + i * ld + c + j * kLanes, acc[i][j]);
}

static void rank_update(std::size_t p, std::size_t ld, double* A, std::size_t count,
                        const double* coef, const double* const* left, const double* const* right,
                        std::size_t columns) {
  constexpr int R = kManyRegisters ? 8 : 4, V = kManyRegisters ? 3 : 2;
  for (std::size_t r = 0; r < p; r += kBlock) {
    double scaled[kMaxTerms * kBlock];
    for (std::size_t k = 0; k < count; ++k)
      for (std::size_t i = 0; i < kBlock; ++i) scaled[k * kBlock + i] = coef[k] * left[k][r + i];
    const std::size_t end = r + kBlock < columns ? r + kBlock : columns;
    for (std::size_t i = 0; i < kBlock; i += R) {
      double* rows = A + (r + i) * ld;
      std::size_t c = 0;
      for (; c + V * kLanes <= end; c += V * kLanes)
        rank_tile<R, V>(count, scaled + i, right, c, rows, ld);
      for (; c < end; c += kLanes) rank_tile<R, 1>(count, scaled + i, right, c, rows, ld);
    }
  }
}

// ---- O(p) work of one column ---------------------------------------------------------------

static double schur_product(std::size_t n, std::size_t i, const double* w, const double* x,
                            const double* Wx, double* out) {
  const Vec factor = all(-dot(n, w, x) / w[i]);
  Vec quadratic = zero();
  for (std::size_t j = 0; j < n; j += kLanes) {
    const Vec h = load(Wx + j) + factor * load(w + j);
    quadratic += h * load(x + j);
    store(out + j, h);
  }
  out[i] = 0;
  return sum(quadratic);
}

static void soft_threshold(std::size_t n, const double* z, const double* lambda, double* u) {
  for (std::size_t j = 0; j < n; j += kLanes) {
    const Vec zj = load(z + j), lj = load(lambda + j);
    const Vec size = abs_of(zj) - lj;
    store(u + j, only_where(size > 0.0, flip_where_negative(size, zj)));
  }
}

static void soft_threshold_backward(std::size_t n, const double* u, const double* g, double d_q,
                                    const double* y, double* d_z, double* d_lambda) {
  const Vec two = all(2.0), two_d_q = all(2.0 * d_q);
  for (std::size_t j = 0; j < n; j += kLanes) {
    const Vec uj = load(u + j);
    const Vec d = only_where(uj != 0.0, two * load(g + j) + two_d_q * load(y + j));
    store(d_z + j, d);
    store(d_lambda + j, -flip_where_negative(d, uj));
  }
}

/// H > 0: a hidden width known at compile time keeps everything in registers.
template <int H>
SPODNET_INLINE Vec mlp_value(const ScalarMlp& mlp, Vec x) {
  const std::size_t hidden = H > 0 ? H : mlp.hidden;
  Vec e = all(mlp.c2);
  for (std::size_t k = 0; k < hidden; ++k) {
    const Vec pre = all(mlp.B1[k]) * x + all(mlp.c1[k]);
    e += all(mlp.B2[k]) * only_where(pre > 0.0, pre);
  }
  return e;
}

template <int H>
SPODNET_INLINE void abs_mlp_width(std::size_t n, const ScalarMlp& mlp, double kappa,
                                  const double* x, double* lambda) {
  for (std::size_t j = 0; j < n; j += kLanes)
    store(lambda + j, all(kappa) * abs_of(mlp_value<H>(mlp, load(x + j))));
}

static void abs_mlp(std::size_t n, const ScalarMlp& mlp, double kappa, const double* x,
                    double* lambda) {
  if (mlp.hidden == 5)
    abs_mlp_width<5>(n, mlp, kappa, x, lambda);
  else
    abs_mlp_width<0>(n, mlp, kappa, x, lambda);
}

/// Hidden units k0 .. k0 + U - 1.
template <int H, int U>
SPODNET_INLINE void abs_mlp_backward_units(std::size_t k0, std::size_t n, const ScalarMlp& mlp,
                                           double kappa, const double* x, const double* d_lambda,
                                           double* d_x, const ScalarMlpGradient& grad) {
  Vec E[U], N[U], total = zero();
  for (int k = 0; k < U; ++k) E[k] = N[k] = zero();
  for (std::size_t j = 0; j < n; j += kLanes) {
    const Vec xj = load(x + j), e = mlp_value<H>(mlp, xj);
    const Vec d = all(kappa) * load(d_lambda + j);
    const Vec d_e = only_where(e != 0.0, flip_where_negative(d, e));
    Vec d_xj = load(d_x + j);
    for (int k = 0; k < U; ++k) {
      const Vec B1 = all(mlp.B1[k0 + k]);
      const Vec active = only_where(B1 * xj + all(mlp.c1[k0 + k]) > 0.0, d_e);
      E[k] += active;
      N[k] += active * xj;
      d_xj += active * (B1 * all(mlp.B2[k0 + k]));
    }
    total += d_e;
    store(d_x + j, d_xj);
  }
  for (int k = 0; k < U; ++k) {
    const double e = sum(E[k]), s = sum(N[k]);
    grad.d_B1[k0 + k] += mlp.B2[k0 + k] * s;
    grad.d_c1[k0 + k] += mlp.B2[k0 + k] * e;
    grad.d_B2[k0 + k] += mlp.B1[k0 + k] * s + mlp.c1[k0 + k] * e;
  }
  if (k0 == 0) *grad.d_c2 += sum(total);
}

static void abs_mlp_backward(std::size_t n, const ScalarMlp& mlp, double kappa, const double* x,
                             const double* d_lambda, double* d_x, const ScalarMlpGradient& grad) {
  if (mlp.hidden == 5)
    abs_mlp_backward_units<5, 5>(0, n, mlp, kappa, x, d_lambda, d_x, grad);
  else
    for (std::size_t k = 0; k < mlp.hidden; ++k)
      abs_mlp_backward_units<0, 1>(k, n, mlp, kappa, x, d_lambda, d_x, grad);
}

extern const Kernels table;
const Kernels table = {SPODNET_ISA_NAME,
                       dot,
                       axpy,
                       linear,
                       combine,
                       gemm,
                       symmetric_product,
                       update_product,
                       rank_update,
                       schur_product,
                       soft_threshold,
                       soft_threshold_backward,
                       abs_mlp,
                       abs_mlp_backward,
                       ql_sweep};

}  // namespace SPODNET_ISA
}  // namespace spodnet
