#include <algorithm>
#include <cmath>
#include <limits>

#include "spodnet/core/cholesky.hpp"
#include "spodnet/core/error.hpp"
#include "spodnet/core/kernels.hpp"

namespace spodnet {
namespace {

constexpr double kRoundingAllowed = 1e-6;  ///< of a residual; beyond it the sums are made anew

/// Row by row with the kernels.
double quick_residual(const MatrixRef& A, const MatrixRef& B) {
  const std::size_t p = std::size_t(A.rows()), ld = padded(p);
  AlignedVector rows(p * ld), coef(p), row(ld);
  for (std::size_t i = 0; i < p; ++i)
    for (std::size_t j = 0; j < p; ++j) rows[i * ld + j] = B(i, j);
  std::vector<const double*> used(p);
  double sum = 0;
  for (std::size_t i = 0; i < p; ++i) {
    std::fill(row.begin(), row.end(), 0.0);
    row[i] = -1;
    std::size_t count = 0;
    for (std::size_t j = 0; j < p; ++j) {
      coef[count] = A(i, j);
      used[count] = rows.data() + j * ld;
      count += A(i, j) != 0;
    }
    kernels().combine(ld, count, coef.data(), used.data(), row.data());
    sum += kernels().dot(ld, row.data(), row.data());
  }
  return std::sqrt(sum);
}

/// What rounding may have hidden from the quick one: about eps || |A| |B| ||_F, bounded by norms.
double rounding_of_products(const MatrixRef& A, const MatrixRef& B) {
  const Vector columns = A.colwise().norm(), rows = B.rowwise().norm();
  return std::numeric_limits<double>::epsilon() * std::sqrt(double(A.rows())) * columns.dot(rows);
}

/// A sum of products, each rounding made up for: as if with twice the digits.
class LongSum {
 public:
  explicit LongSum(double start) : high_(start) {}

  void add(double a, double b) {
    const double product = a * b;
    add(product);
    low_ += std::fma(a, b, -product);
  }
  double value() const { return high_ + low_; }

 private:
  void add(double x) {
    const double sum = high_ + x, part = sum - high_;
    low_ += (high_ - (sum - part)) + (x - part);
    high_ = sum;
  }

  double high_, low_ = 0;
};

double careful_residual(const MatrixRef& A, const MatrixRef& B) {
  double norm = 0;
  for (Eigen::Index i = 0; i < A.rows(); ++i)
    for (Eigen::Index j = 0; j < A.rows(); ++j) {
      LongSum sum(i == j ? -1.0 : 0.0);
      for (Eigen::Index k = 0; k < A.rows(); ++k)
        if (A(i, k) != 0) sum.add(A(i, k), B(k, j));
      norm = std::hypot(norm, sum.value());
    }
  return norm;
}

}  // namespace

double inverse_residual(const MatrixRef& A, const MatrixRef& B) {
  if (A.rows() != A.cols() || B.rows() != A.rows() || B.cols() != A.cols())
    throw Error("inverse_residual: both matrices must be square and of one size");
  const double quick = quick_residual(A, B);
  const bool trusted = rounding_of_products(A, B) <= std::max(quick, kRoundingAllowed);
  return trusted || !std::isfinite(quick) ? quick : careful_residual(A, B);
}

}  // namespace spodnet
