#include "spodnet/tables/nonlinear_spectrum.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace spodnet {
namespace {

using std::numbers::pi;
constexpr double kRoot5 = 2.23606797749978969641;
constexpr double kFar = 50;           ///< in bandwidths
constexpr double kNullShare = 1e-10;  ///< of the mean: smaller eigenvalues are rounding errors
constexpr double kHair = 1e-9;        ///< of n: a whole number may be a little less by rounding

/// Density and Hilbert transform of the Epanechnikov kernel of variance 1 at x.
struct Kernel {
  double density = 0, hilbert = 0;

  explicit Kernel(double x) {
    if (std::abs(x) > kFar) {  // its moments 1, 15/7, 125/21; the closed form cancels out there
      const double y = 1 / (x * x);
      hilbert = -(1 + y * (1 + y * (15.0 / 7 + y * 125 / 21))) / (pi * x);
      return;
    }
    const double t = 1 - x * x / 5;
    density = 3 / (4 * kRoot5) * std::max(t, 0.0);
    hilbert = -3 / (10 * pi) * x;
    const double ratio = std::abs((kRoot5 - x) / (kRoot5 + x));
    if (ratio > 0 && std::isfinite(ratio)) hilbert += 3 / (4 * kRoot5 * pi) * t * std::log(ratio);
  }
};

/// The estimates at x from the eigenvalues lambda: (f, H).
Kernel spectral_density(double x, const double* lambda, std::size_t count, double h) {
  Kernel sum(0);
  sum.density = sum.hilbert = 0;
  for (std::size_t j = 0; j < count; ++j) {
    const double width = h * lambda[j];
    const Kernel k((x - lambda[j]) / width);
    sum.density += k.density / width;
    sum.hilbert += k.hilbert / width;
  }
  sum.density /= double(count);
  sum.hilbert /= double(count);
  return sum;
}

/// The value of the eigenvalues that are 0.
double null_value(const double* lambda, std::size_t count, double h, double n, double p) {
  double inverse = 0;
  for (std::size_t j = 0; j < count; ++j) inverse += 1 / lambda[j] / double(count);
  const double ratio = std::abs((1 + kRoot5 * h) / (1 - kRoot5 * h));
  const double hilbert =
      (3 / (10 * h * h) + 3 / (4 * kRoot5 * h) * (1 - 1 / (5 * h * h)) * std::log(ratio)) *
      inverse / pi;
  return 1 / (pi * (p - n) / n * hilbert);
}

}  // namespace

NonlinearSpectrum nonlinear_spectrum(const std::vector<double>& lambda, double n) {
  const std::size_t p = lambda.size();
  double mean = 0;
  for (const double x : lambda) mean += std::max(x, 0.0) / double(p);
  NonlinearSpectrum out{std::vector<double>(p, 0.0), std::vector<double>(p, 0.0),
                        std::vector<double>(p, 1.0), 0};
  while (out.nulls < p && !(lambda[out.nulls] > kNullShare * mean)) ++out.nulls;
  if (n < double(p))
    out.nulls = std::max(out.nulls, p - std::max<std::size_t>(1, std::size_t(n + kHair)));
  const std::size_t rank = p - out.nulls;
  if (!(mean > 0) || rank == 0) return out;
  const double* kept = &lambda[out.nulls];
  const double h = std::pow(n, -1.0 / 3), c = std::min(1.0, double(rank) / n);
  for (std::size_t k = 0; k < rank; ++k) {
    const Kernel at = spectral_density(kept[k], kept, rank, h);
    const double A = pi * c * kept[k] * at.density, B = 1 - c - pi * c * kept[k] * at.hilbert;
    out.A[out.nulls + k] = A, out.B[out.nulls + k] = B;
    out.d[out.nulls + k] = kept[k] / (A * A + B * B);
  }
  if (n < double(p))
    std::fill_n(out.d.begin(), out.nulls, null_value(kept, rank, h, double(rank), double(p)));
  return out;
}

}  // namespace spodnet
