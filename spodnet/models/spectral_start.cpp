#include "spodnet/models/spectral_start.hpp"

#include <algorithm>
#include <cmath>

#include "spodnet/core/kernels.hpp"
#include "spodnet/core/packed.hpp"
#include "spodnet/models/fading.hpp"
#include "spodnet/models/shape_features.hpp"
#include "spodnet/problem/covariance_summary.hpp"

namespace spodnet {
namespace {

constexpr std::size_t kStartHidden = 24;
constexpr double kHair = 1e-9;  ///< of n: a whole number may be a little less by rounding
constexpr double kLargestFactor = 3, kLargestFloor = 4;  ///< exponents
constexpr double kLeastLambda = 1e-8;                    ///< eigenvalues below it look alike

double degrees_of_freedom(double n) { return std::max(1.0, n - 1); }

/// 1 where n <= p, then vanishing.
double floor_share(double n, std::size_t p) {
  const double c = std::min(1.0, double(p) / n);
  return c * c;
}

/// Where eigenvalue k stands among p, from 0 to 1. The first `nulls`, which count as 0, share one
/// place: their eigenvectors are any basis of what n samples do not show.
double place_of(std::size_t k, std::size_t nulls, std::size_t p) {
  return (k < nulls ? double(nulls) / 2 : double(k) + 0.5) / double(p);
}

double squashed_log(double x) { return std::log(x + kLeastLambda) / 4; }

/// The harmonic mean of the true eigenvalues as far as n samples show it: tr S^{-1} is too large by
/// 1 / (1 - p / n), so from n = 2 p on all eigenvalues count, before that the largest n / 2. The
/// first `nulls` never do.
double small_level(const std::vector<double>& ascending, std::size_t nulls, double n) {
  const std::size_t p = ascending.size();
  if (nulls == p) return 1;
  const std::size_t m = std::clamp<std::size_t>(std::size_t(n / 2 + kHair), 1, p - nulls);
  double inverse = 0;
  for (std::size_t k = p - m; k < p; ++k) inverse += 1 / ascending[k];
  return double(m) / ((1 - std::min(0.5, double(m) / n)) * inverse);
}

/// Sorts eigenvalues and vectors; the values become at least 0.
std::vector<double> sort_ascending(SymmetricEigen& eigen, AlignedVector& scratch) {
  const std::vector<std::size_t> order = ascending_order(eigen);
  scratch.assign(eigen.V.begin(), eigen.V.end());
  std::vector<double> sorted(eigen.p);
  for (std::size_t k = 0; k < eigen.p; ++k) {
    sorted[k] = std::max(eigen.y[order[k]], 0.0);
    std::copy_n(&scratch[order[k] * eigen.ld], eigen.ld, &eigen.V[k * eigen.ld]);
  }
  std::copy(sorted.begin(), sorted.end(), eigen.y.begin());
  return sorted;
}

/// W = V' diag(h) V, exactly symmetric; blocks of rows are shared by the threads of `pool`.
/// Spoils eigen.A.
void compose(SymmetricEigen& eigen, const std::vector<double>& h, AlignedVector& W,
             ThreadPool* pool) {
  constexpr std::size_t kRows = 64;
  const std::size_t p = eigen.p, ld = eigen.ld;
  std::vector<const double*> rows(p);
  for (std::size_t k = 0; k < p; ++k) rows[k] = &eigen.V[k * ld];
  AlignedVector& lower = eigen.A;
  std::fill(lower.begin(), lower.end(), 0.0);
  W.resize(p * p);
  const auto some_rows = [&](std::size_t block, int) {
    const std::size_t first = block * kRows, last = std::min(p, first + kRows);
    for (std::size_t k = 0; k < p; k += kMaxTerms)
      kernels().rank_update_rows(first, last, ld, lower.data(), std::min(kMaxTerms, p - k), &h[k],
                                 &rows[k], &rows[k], ld);
    for (std::size_t i = first; i < last; ++i)
      for (std::size_t j = 0; j <= i; ++j) W[i * p + j] = W[j * p + i] = lower[i * ld + j];
  };
  const std::size_t blocks = (p + kRows - 1) / kRows;
  if (pool && blocks > 1)
    pool->run(blocks, some_rows);
  else
    for (std::size_t block = 0; block < blocks; ++block) some_rows(block, 0);
}

}  // namespace

SpectralStart::SpectralStart() : mlp_(layout_, "start", kFeatures, kStartHidden, 2, {0.0, -0.5}) {}

void SpectralStart::set_features(const Sample& sample, const double* summary,
                                 const NonlinearSpectrum& shrunk, double level, Tape& tape) const {
  const std::size_t p = sample.p, stride = mlp_.in_stride();
  const ShapeFeatures shape(sample.n, double(p));
  const double log_level = squashed_log(level);
  tape.x.assign(p * stride, 0.0);
  for (std::size_t k = 0; k < p; ++k) {
    const double log_lambda = squashed_log(tape.eigen.y[k]), A = shrunk.A[k], B = shrunk.B[k];
    const double numbers[kFeatures - kSummaryNumbers] = {shape.samples,
                                                         shape.ratio,
                                                         log_lambda,
                                                         squashed_log(shrunk.d[k]),
                                                         log_level,
                                                         log_lambda - log_level,
                                                         place_of(k, shrunk.nulls, p),
                                                         A / (1 + A),
                                                         B / (1 + std::abs(B)),
                                                         k < shrunk.nulls ? 1.0 : 0.0};
    double* x = std::copy(std::begin(numbers), std::end(numbers), &tape.x[k * stride]);
    if (summary) std::copy_n(summary, kSummaryNumbers, x);
  }
}

const double* SpectralStart::forward(const double* weights, const Sample& sample,
                                     const double* summary, Tape& tape, ThreadPool* pool) const {
  const std::size_t p = sample.p, out = mlp_.out_stride();
  tape.eigen.resize(p);
  tape.lower.resize(packed_size(p));
  pack_lower(sample.S, p, p, tape.lower.data());
  const Status status = symmetric_eigen(tape.lower.data(), tape.eigen, pool);
  tape.value.assign(p, std::nan(""));
  tape.first.assign(p, 0.0), tape.second.assign(p, 0.0);
  tape.W.assign(p * p, std::nan(""));
  if (status != Status::ok) return tape.W.data();

  const double f = degrees_of_freedom(sample.n), tau = fading(f, p), share = floor_share(f, p);
  const std::vector<double> lambda = sort_ascending(tape.eigen, tape.W);
  const NonlinearSpectrum shrunk = nonlinear_spectrum(lambda, f);
  const double level = small_level(lambda, shrunk.nulls, f);
  set_features(sample, summary, shrunk, level, tape);
  tape.h.assign(p * mlp_.hidden_stride(), 0.0);
  tape.out.assign(p * out, 0.0);
  mlp_.prepare(weights, tape.weights);
  mlp_.forward(tape.weights, p, tape.x.data(), tape.h.data(), tape.out.data());
  for (std::size_t k = 0; k < p; ++k) {
    const double* o = &tape.out[k * out];
    tape.first[k] = shrunk.d[k] * std::pow(limited_exp(o[0], kLargestFactor), tau);
    tape.second[k] = (k < shrunk.nulls ? 1 : share) * level * limited_exp(o[1], kLargestFloor);
    tape.value[k] = tape.first[k] + tape.second[k];
  }
  compose(tape.eigen, tape.value, tape.W, pool);
  return tape.W.data();
}

void SpectralStart::backward(AdjointState& adjoint, const Sample& sample, Tape& tape,
                             double* d_weights) const {
  const SymmetricEigen& eigen = tape.eigen;
  const std::size_t p = eigen.p, out = mlp_.out_stride();
  const double tau = fading(degrees_of_freedom(sample.n), p);
  tape.d_out.assign(p * out, 0.0);
  tape.d_x.assign(mlp_.in_stride(), 0.0);
  mlp_.reserve(tape.pending);
  for (std::size_t k = 0; k < p; ++k) {
    const double g = adjoint.quadratic_form(&eigen.V[k * eigen.ld]);
    const double d_value = -g / (tape.value[k] * tape.value[k]);
    const double* o = &tape.out[k * out];
    double* d_out = &tape.d_out[k * out];
    d_out[0] = d_value * tape.first[k] * tau * limited_slope(o[0], kLargestFactor);
    d_out[1] = d_value * tape.second[k] * limited_slope(o[1], kLargestFloor);
    mlp_.backward(tape.weights, 1, &tape.x[k * mlp_.in_stride()], &tape.h[k * mlp_.hidden_stride()],
                  d_out, tape.d_x.data(), 0, tape.pending);
  }
  mlp_.finish(tape.pending, d_weights);
}

}  // namespace spodnet
