#include "spodnet/core/cholesky.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "spodnet/core/error.hpp"
#include "spodnet/core/kernels.hpp"
#include "spodnet/core/tri_matrix.hpp"

namespace spodnet {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

std::size_t block_size(std::size_t p) { return p < 256 ? 16 : 32; }

/// Rows [b, end) of U from what earlier blocks left of A there: one pivot at a time.
bool factor_rows(std::size_t b, std::size_t end, std::size_t ld, double* U) {
  const auto axpy = kernels().axpy;
  for (std::size_t k = b; k < end; ++k) {
    double* row = U + k * ld;
    if (!(row[k] > 0) || !std::isfinite(row[k])) return false;
    const double scale = 1 / std::sqrt(row[k]);
    for (std::size_t j = b; j < ld; ++j) row[j] *= scale;
    for (std::size_t i = k + 1; i < end; ++i) axpy(ld - b, -row[i], row + b, U + i * ld + b);
  }
  return true;
}

/// The lower-right part of A less what rows [b, end) of U explain: A_ij -= sum_k U_ki U_kj.
void update_rest(std::size_t p, std::size_t b, std::size_t end, std::size_t ld, double* U,
                 AlignedVector& panel) {
  const std::size_t rows = end - b;
  panel.resize(rows * ld);
  for (std::size_t k = 0; k < rows; ++k)
    for (std::size_t j = end; j < p; ++j) panel[k * ld + j] = -U[(b + k) * ld + j];
  for (std::size_t i = end; i < p; i += rows)
    kernels().gemm(std::min(rows, p - i), ld - i, rows, panel.data() + i, 1, ld, U + b * ld + i, ld,
                   U + i * ld + i, ld);
}

/// U (p rows, ld apart) <- the upper Cholesky factor of its first p columns, A = U'U, garbage below
/// the diagonal; columns p to ld, c say, become U'^{-1} c. False when A is not positive definite.
bool factor(std::size_t p, std::size_t ld, double* U, AlignedVector& panel) {
  for (std::size_t b = 0; b < p; b += block_size(p)) {
    const std::size_t end = std::min(p, b + block_size(p));
    if (!factor_rows(b, end, ld, U)) return false;
    if (end < p) update_rest(p, b, end, ld, U, panel);
  }
  return true;
}

}  // namespace

Vector spd_diagonal(const MatrixRef& A) {
  const std::size_t p = std::size_t(A.rows()), ld = padded(p);
  AlignedVector U(p * ld), panel;
  for (std::size_t i = 0; i < p; ++i)
    for (std::size_t j = i; j < p; ++j) U[i * ld + j] = A(i, j);
  if (!factor(p, ld, U.data(), panel)) return {};
  Vector diagonal(A.rows());
  for (std::size_t k = 0; k < p; ++k) diagonal[Eigen::Index(k)] = U[k * ld + k];
  return diagonal;
}

double spd_log_det(const MatrixRef& A) {
  const Vector diagonal = spd_diagonal(A);
  if (diagonal.size() < A.rows()) return -kInfinity;
  double sum = 0;
  for (const double u : diagonal) sum += std::log(u);
  return 2 * sum;
}

double spd_inverse(const MatrixRef& A, Matrix& inverse, ThreadPool* pool) {
  const std::size_t p = std::size_t(A.rows()), ld = padded(p);
  AlignedVector rows(p * ld);
  double log_det = 0;
  {
    TriMatrix stored(p);
    stored.assign(A.data(), std::size_t(A.outerStride()));
    if (!invert_spd(stored, rows.data(), &log_det, pool)) return -kInfinity;
  }
  inverse.resize(A.rows(), A.cols());
  for (std::size_t i = 0; i < p; ++i)
    for (std::size_t j = i; j < p; ++j) inverse(i, j) = inverse(j, i) = rows[i * ld + j];
  return log_det;
}

bool spd_solve(std::size_t p, double* A_and_c, double* x, AlignedVector& scratch) {
  const std::size_t ld = padded(p + 1);
  if (!factor(p, ld, A_and_c, scratch)) return false;
  std::fill_n(x, ld, 0.0);
  for (std::size_t k = p; k-- > 0;) {  // U x = U'^{-1} c; x[0..k] is still 0
    const double* row = A_and_c + k * ld;
    const std::size_t from = k / kBlock * kBlock;
    x[k] = (row[p] - kernels().dot(ld - from, row + from, x + from)) / row[k];
  }
  return true;
}

}  // namespace spodnet
