#include "spodnet/core/symmetric_eigen.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <span>
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

constexpr std::size_t kLarge = 256;           // V no longer stays in the nearest caches
constexpr std::size_t kHuge = 512;            // nor A in the next ones
constexpr std::size_t kSweeps = 32;           // recorded before V is turned by them
constexpr std::size_t kPanelNumbers = 98304;  // of V, turned by one sweep after another

/// The next sweep's range and shift; false when none is left. `first` counts up.
struct NextSweep {
  std::size_t first = 0, last = 0;
  double corner = 0;

  bool find(const SymmetricEigen& t) {
    for (; first < t.p; ++first)
      if ((last = block_end(t, first)) > first) {
        corner = shifted_corner(t, first, last);
        return true;
      }
    return false;
  }
};

/// Implicit QL; each sweep turns V by the one before.
Status turn_small(SymmetricEigen& t) {
  const Kernels& run = kernels();
  double* turns = t.scratch.data();
  RotationSweep before{0, 0, turns, turns + t.ld};
  RotationSweep next{0, 0, turns + 2 * t.ld, turns + 3 * t.ld};
  NextSweep range;
  for (std::size_t sweeps = 0; range.find(t); ++sweeps) {
    if (sweeps == 50 * t.p) return Status::not_converged;
    next.first = range.first;
    next.last = range.last;
    run.ql_sweep(t.ld, t.ld, t.V.data(), before, t.y.data(), t.e.data(), range.corner, next);
    std::swap(before, next);
  }
  next.first = next.last = 0;
  run.ql_sweep(t.ld, t.ld, t.V.data(), before, t.y.data(), t.e.data(), 0, next);
  return Status::ok;
}

/// V turned by some sweeps, a panel of columns at a time.
void turn_panels(std::span<const RotationSweep> sweeps, SymmetricEigen& t, ThreadPool* pool) {
  const std::size_t width = std::max<std::size_t>(kPanelNumbers / t.p / kBlock, 2) * kBlock;
  const std::size_t panels = (t.ld + width - 1) / width;
  const auto turn = [&](std::size_t k, int) {
    const std::size_t first = k * width, count = std::min(width, t.ld - first);
    for (const RotationSweep& sweep : sweeps)
      kernels().ql_sweep(count, t.ld, t.V.data() + first, sweep, nullptr, nullptr, 0, {});
  };
  if (pool)
    pool->run(panels, turn);
  else
    for (std::size_t k = 0; k < panels; ++k) turn(k, 0);
}

/// The same with sweeps recorded, so that a part of V stays in cache while they turn it.
Status turn_large(SymmetricEigen& t, ThreadPool* pool) {
  AlignedVector turns(2 * kSweeps * t.ld);
  std::vector<RotationSweep> recorded;
  NextSweep range;
  for (std::size_t sweeps = 0; range.find(t); ++sweeps) {
    if (sweeps == 50 * t.p) return Status::not_converged;
    double* c = turns.data() + 2 * recorded.size() * t.ld;
    recorded.push_back({range.first, range.last, c, c + t.ld});
    kernels().ql_sweep(0, t.ld, nullptr, {}, t.y.data(), t.e.data(), range.corner, recorded.back());
    if (recorded.size() < kSweeps) continue;
    turn_panels(recorded, t, pool);
    recorded.clear();
  }
  turn_panels(recorded, t, pool);
  return Status::ok;
}

}  // namespace

void SymmetricEigen::resize(std::size_t p_) {
  p = p_;
  ld = padded(p);
  for (AlignedVector* square : {&V, &A}) square->assign(ld * ld, 0.0);
  for (AlignedVector* row : {&y, &e}) row->assign(ld, 0.0);
  scratch.assign(tridiagonal_scratch(p), 0.0);
}

Status symmetric_eigen(const double* lower, SymmetricEigen& t, ThreadPool* pool) {
  const double scale = safe_scale(lower, packed_size(t.p));
  if (scale == 0) return Status::not_finite;
  for (std::size_t i = 0; i < t.p; lower += ++i)
    for (std::size_t j = 0; j <= i; ++j) t.A[i * t.ld + j] = t.A[j * t.ld + i] = scale * lower[j];
  if (t.p < kHuge) {
    reduce_to_tridiagonal(t.p, t.A.data(), t.y.data(), t.e.data(), t.scratch.data());
    reflector_basis(t.p, t.A.data(), t.V.data(), t.scratch.data());
  } else {
    reduce_large(t.p, t.A.data(), t.y.data(), t.e.data(), t.scratch.data(), pool);
    reflector_basis_large(t.p, t.A.data(), t.V.data(), pool);
  }
  const Status status = t.p < kLarge ? turn_small(t) : turn_large(t, pool);
  for (std::size_t i = 0; i < t.p; ++i) t.y[i] /= scale;
  return status;
}

std::vector<std::size_t> ascending_order(const SymmetricEigen& eigen) {
  std::vector<std::size_t> order(eigen.p);
  std::iota(order.begin(), order.end(), std::size_t(0));
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return eigen.y[a] < eigen.y[b]; });
  return order;
}

SortedEigen sorted_eigen(const MatrixRef& A) {
  SymmetricEigen eigen;
  eigen.resize(std::size_t(A.rows()));
  std::vector<double> lower(packed_size(eigen.p));
  pack_lower(A.data(), eigen.p, std::size_t(A.outerStride()), lower.data());
  if (symmetric_eigen(lower.data(), eigen) != Status::ok)
    throw Error("eigenvalues: the matrix has entries that are no finite numbers");
  const std::vector<std::size_t> order = ascending_order(eigen);
  SortedEigen out{Vector(A.rows()), Matrix(A.rows(), A.rows())};
  for (std::size_t k = 0; k < eigen.p; ++k) {
    out.values[Eigen::Index(k)] = eigen.y[order[k]];
    std::copy_n(&eigen.V[order[k] * eigen.ld], eigen.p, out.V.data() + k * eigen.p);
  }
  return out;
}

}  // namespace spodnet
