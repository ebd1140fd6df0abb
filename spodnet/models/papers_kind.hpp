#pragma once

#include <array>

#include "spodnet/core/types.hpp"
#include "spodnet/data/covariance_summary.hpp"

namespace spodnet {

/// What tells the paper's matrices from others: x = the summary of S, log n and log n/p, as the
/// terms 1, x_i and x_i x_j (i <= j) of a logistic regression.
inline constexpr std::size_t kKindNumbers = kSummaryNumbers + 2;
inline constexpr std::size_t kKindTerms = 1 + kKindNumbers * (kKindNumbers + 3) / 2;
using KindTerms = std::array<double, kKindTerms>;

/// Of a covariance of n samples. Cost: 3 p^2.
KindTerms kind_terms(const MatrixRef& S, double n);

/// The probability that the matrix behind S is one of the paper's, among those whose variances look
/// like theirs; the weights were fitted by experiments/fit_kind (docs/models.md).
double papers_probability(const MatrixRef& S, double n);

}  // namespace spodnet
