#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "spodnet/core/cholesky.hpp"
#include "spodnet/core/error.hpp"
#include "spodnet/core/kernels.hpp"

namespace spodnet {
namespace {

constexpr double kRoundingAllowed = 1e-5;  ///< of a residual; beyond it the sums are made again

constexpr std::size_t kPanel = 256;  ///< columns of B that stay in cache together

/// || row i of A B - I ||^2 over the columns [first, first + width), added to sums_i.
void add_panel(const MatrixRef& A, const MatrixRef& B, std::size_t first, std::size_t width,
               double* sums) {
  const std::size_t p = std::size_t(A.rows()), ld = padded(width);
  AlignedVector panel(p * ld), coef(p), row(ld);
  for (std::size_t i = 0; i < p; ++i)
    std::copy_n(B.data() + i * std::size_t(B.outerStride()) + first, width, &panel[i * ld]);
  std::vector<const double*> used(p);
  for (std::size_t i = 0; i < p; ++i) {
    std::fill(row.begin(), row.end(), 0.0);
    if (i >= first && i < first + width) row[i - first] = -1;
    std::size_t count = 0;
    for (std::size_t j = 0; j < p; ++j) {
      coef[count] = A(i, j);
      used[count] = panel.data() + j * ld;
      count += A(i, j) != 0;
    }
    kernels().combine(ld, count, coef.data(), used.data(), row.data());
    sums[i] = kernels().dot(ld, row.data(), row.data());
  }
}

/// With the kernels, a panel of columns at a time.
double quick_residual(const MatrixRef& A, const MatrixRef& B, ThreadPool* pool) {
  const std::size_t p = std::size_t(A.rows()), panels = (p + kPanel - 1) / kPanel;
  std::vector<double> sums(panels * p);
  const auto panel = [&](std::size_t k, int) {
    add_panel(A, B, k * kPanel, std::min(kPanel, p - k * kPanel), &sums[k * p]);
  };
  if (pool && panels > 1)
    pool->run(panels, panel);
  else
    for (std::size_t k = 0; k < panels; ++k) panel(k, 0);
  return std::sqrt(std::accumulate(sums.begin(), sums.end(), 0.0));
}

/// What rounding may have hidden from the quick one: about eps || |A| |B| ||_F, bounded by norms.
double rounding_of_products(const MatrixRef& A, const MatrixRef& B) {
  const Vector columns = A.colwise().norm(), rows = B.rowwise().norm();
  return std::numeric_limits<double>::epsilon() * std::sqrt(double(A.rows())) * columns.dot(rows);
}

/// high + low += a x, each rounding made up for: sums as if with twice the digits.
void add_exactly(double a, const double* x, Vector& high, Vector& low) {
  for (Eigen::Index j = 0; j < high.size(); ++j) {
    const double product = a * x[j], sum = high[j] + product, part = sum - high[j];
    low[j] += (high[j] - (sum - part)) + (product - part) + std::fma(a, x[j], -product);
    high[j] = sum;
  }
}

double careful_residual(const MatrixRef& A, const Matrix& B) {
  Vector norms(A.rows());
  for (Eigen::Index i = 0; i < A.rows(); ++i) {
    Vector high = -Vector::Unit(A.rows(), i), low = Vector::Zero(A.rows());
    for (Eigen::Index k = 0; k < A.rows(); ++k)
      if (A(i, k) != 0) add_exactly(A(i, k), &B(k, 0), high, low);
    norms[i] = (high + low).stableNorm();
  }
  return norms.stableNorm();
}

}  // namespace

double inverse_residual(const MatrixRef& A, const MatrixRef& B, ThreadPool* pool) {
  if (A.rows() != A.cols() || B.rows() != A.rows() || B.cols() != A.cols())
    throw Error("inverse_residual: both matrices must be square and of one size");
  const double quick = quick_residual(A, B, pool);
  const bool trusted = rounding_of_products(A, B) <= std::max(quick, kRoundingAllowed);
  return trusted || !std::isfinite(quick) ? quick : careful_residual(A, B);
}

}  // namespace spodnet
