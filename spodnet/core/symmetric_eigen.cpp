#include "spodnet/core/symmetric_eigen.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

#include "spodnet/core/error.hpp"
#include "spodnet/core/kernels.hpp"
#include "spodnet/core/packed.hpp"
#include "spodnet/core/tridiagonal.hpp"

namespace spodnet {
namespace {

/// Power of two that brings the largest entry to about 1, so that no square overflows; 0 when an
/// entry is not finite.
double safe_scale(const double* lower, std::size_t count) {
  double largest = 0, check = 0;
  for (std::size_t k = 0; k < count; ++k) {
    largest = std::max(largest, std::abs(lower[k]));
    check += lower[k] * 0.0;
  }
  if (check != 0.0) return 0;
  return largest > 0 ? std::ldexp(1.0, -std::ilogb(largest)) : 1.0;
}

/// Where the block that starts at `first` ends: the coupling after it is negligible.
std::size_t block_end(const SymmetricEigen& t, std::size_t first) {
  constexpr double eps = std::numeric_limits<double>::epsilon();
  std::size_t m = first;
  for (; m + 1 < t.p; ++m)
    if (std::abs(t.e[m]) <= eps * (std::abs(t.y[m]) + std::abs(t.y[m + 1]) + eps)) break;
  return m;
}

/// d_m minus Wilkinson's shift: the eigenvalue of the leading 2 x 2 corner next to d_first.
double shifted_corner(const SymmetricEigen& t, std::size_t first, std::size_t m) {
  const double half = (t.y[first + 1] - t.y[first]) / (2 * t.e[first]);
  const double root = half + std::copysign(std::hypot(half, 1.0), half);
  return t.y[m] - t.y[first] + t.e[first] / root;
}

}  // namespace

void SymmetricEigen::resize(std::size_t p_) {
  p = p_;
  ld = padded(p);
  for (AlignedVector* square : {&V, &A}) square->assign(ld * ld, 0.0);
  for (AlignedVector* row : {&y, &e}) row->assign(ld, 0.0);
  scratch.assign(tridiagonal_scratch(p), 0.0);
}

Status symmetric_eigen(const double* lower, SymmetricEigen& t) {
  const double scale = safe_scale(lower, packed_size(t.p));
  if (scale == 0) return Status::not_finite;
  for (std::size_t i = 0; i < t.p; lower += ++i)
    for (std::size_t j = 0; j <= i; ++j) t.A[i * t.ld + j] = t.A[j * t.ld + i] = scale * lower[j];
  reduce_to_tridiagonal(t.p, t.A.data(), t.y.data(), t.e.data(), t.scratch.data());
  reflector_basis(t.p, t.A.data(), t.V.data(), t.scratch.data());

  const Kernels& run = kernels();
  double* turns = t.scratch.data();
  RotationSweep before{0, 0, turns, turns + t.ld};
  RotationSweep next{0, 0, turns + 2 * t.ld, turns + 3 * t.ld};
  std::size_t sweeps = 0;
  for (std::size_t first = 0; first < t.p; ++first)
    for (std::size_t m; (m = block_end(t, first)) > first; ++sweeps) {
      if (sweeps == 50 * t.p) return Status::not_converged;
      next.first = first;
      next.last = m;
      run.ql_sweep(t.ld, t.ld, t.V.data(), before, t.y.data(), t.e.data(),
                   shifted_corner(t, first, m), next);
      std::swap(before, next);
    }
  next.first = next.last = 0;
  run.ql_sweep(t.ld, t.ld, t.V.data(), before, t.y.data(), t.e.data(), 0, next);
  for (std::size_t i = 0; i < t.p; ++i) t.y[i] /= scale;
  return Status::ok;
}

SortedEigen sorted_eigen(const MatrixRef& A) {
  SymmetricEigen eigen;
  eigen.resize(std::size_t(A.rows()));
  std::vector<double> lower(packed_size(eigen.p));
  pack_lower(A.data(), eigen.p, std::size_t(A.outerStride()), lower.data());
  if (symmetric_eigen(lower.data(), eigen) != Status::ok)
    throw Error("eigenvalues: the matrix has entries that are no finite numbers");
  std::vector<std::size_t> order(eigen.p);
  std::iota(order.begin(), order.end(), std::size_t(0));
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return eigen.y[a] < eigen.y[b]; });
  SortedEigen out{Vector(A.rows()), Matrix(A.rows(), A.rows())};
  for (std::size_t k = 0; k < eigen.p; ++k) {
    out.values[Eigen::Index(k)] = eigen.y[order[k]];
    std::copy_n(&eigen.V[order[k] * eigen.ld], eigen.p, out.V.data() + k * eigen.p);
  }
  return out;
}

}  // namespace spodnet
