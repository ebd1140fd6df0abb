#include "spodnet/problem/covariance_summary.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace spodnet {
namespace {

constexpr double kLeastVariance = 1e-12, kLargestVariance = 1e12;
constexpr double kNoVariance = 1e-200;
constexpr double kNothing = 1e-4;  ///< below it a variance of logarithms, or a mean r^2, is 0

double half_log(double x) { return std::log(x + kNothing) / 2; }

/// Sums of powers of the correlations below the diagonal, and of the r^2 of each variable.
struct CorrelationSums {
  double r = 0, r2 = 0, r3 = 0, r4 = 0;
  std::vector<double> of_variable;
};

CorrelationSums correlation_sums(const double* S, std::size_t p) {
  std::vector<double> scale(p);
  for (std::size_t i = 0; i < p; ++i) {
    const double s = S[i * p + i];
    scale[i] = s > kNoVariance ? 1 / std::sqrt(s) : 0.0;
  }
  CorrelationSums sums;
  sums.of_variable.assign(p, 0.0);
  for (std::size_t i = 0; i < p; ++i)
    for (std::size_t j = 0; j < i; ++j) {
      const double r = S[i * p + j] * scale[i] * scale[j], r2 = r * r;
      sums.r += r;
      sums.r2 += r2;
      sums.r3 += r2 * r;
      sums.r4 += r2 * r2;
      sums.of_variable[i] += r2;
      sums.of_variable[j] += r2;
    }
  return sums;
}

/// Mean and variance of numbers.
struct Moments {
  double mean = 0, variance = 0;
};

Moments moments(const std::vector<double>& x) {
  double sum = 0, squares = 0;
  for (const double each : x) sum += each;
  const double mean = sum / double(x.size());
  for (const double each : x) squares += (each - mean) * (each - mean);
  return {mean, squares / double(x.size())};
}

}  // namespace

CovarianceSummary summarize(const double* S, std::size_t p) {
  std::vector<double> logs(p);
  for (std::size_t i = 0; i < p; ++i)
    logs[i] = std::log(std::clamp(S[i * p + i], kLeastVariance, kLargestVariance));
  const Moments level = moments(logs);
  CovarianceSummary y = {level.mean,     half_log(level.variance) + 1, half_log(0) + 2, 0, 0, 0,
                         half_log(0) + 1};
  const CorrelationSums sums = correlation_sums(S, p);
  const double pairs = double(p) * double(p - 1) / 2;
  if (!(sums.r2 > kNothing * kNothing * pairs)) return y;
  const double m2 = sums.r2 / pairs;
  const double skewness = sums.r3 / pairs / std::pow(m2, 1.5);
  const Moments strength = moments(sums.of_variable);
  y[2] = half_log(m2) + 2;
  y[3] = sums.r / pairs / std::sqrt(m2);
  y[4] = std::log(sums.r4 / pairs / (m2 * m2)) / 2 - 0.5;
  y[5] = skewness / (1 + std::abs(skewness));
  y[6] = half_log(strength.variance / (strength.mean * strength.mean)) + 1;
  return y;
}

}  // namespace spodnet
