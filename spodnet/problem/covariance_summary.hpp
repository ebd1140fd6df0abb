#pragma once

#include <array>
#include <cstddef>

namespace spodnet {

inline constexpr std::size_t kSummaryNumbers = 7;

/// What the whole of a covariance is like, whatever p and the order of the variables: with v the
/// variance of the log s_jj, m_k the mean of r_ij^k over the correlations and c the coefficient of
/// variation of sum_j r_ij^2 over the variables,
///   mean of log s_jj,  log(v + 1e-4) / 2 + 1,  log(m_2 + 1e-4) / 2 + 2,  m_1 / m_2^{1/2},
///   log(m_4 / m_2^2) / 2 - 1/2,  phi(m_3 / m_2^{3/2}),  log(c^2 + 1e-4) / 2 + 1,
/// phi(y) = y / (1 + |y|).
/// Finite for any data: a variable without variance is uncorrelated with the others, and the
/// logarithms of variances stop at +-28. Without correlations the last five are those of m_2 = 0.
using CovarianceSummary = std::array<double, kSummaryNumbers>;

/// Of S (p x p, contiguous). Cost: 3 p^2.
CovarianceSummary summarize(const double* S, std::size_t p);

}  // namespace spodnet
