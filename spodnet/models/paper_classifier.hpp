#pragma once

#include <array>

#include "spodnet/core/types.hpp"
#include "spodnet/problem/covariance_summary.hpp"

namespace spodnet {

/// What distinguishes the paper's matrices from others: x = the summary of S, log n and log n/p, as
/// the terms 1, x_i and x_i x_j (i <= j) of a logistic regression.
inline constexpr std::size_t kClassifierNumbers = kSummaryNumbers + 2;
inline constexpr std::size_t kClassifierTerms =
    1 + kClassifierNumbers * (kClassifierNumbers + 3) / 2;
using ClassifierTerms = std::array<double, kClassifierTerms>;

/// Of a covariance of n samples. Cost: 3 p^2.
ClassifierTerms classifier_terms(const MatrixRef& S, double n);

/// The probability that the matrix behind S is one of the paper's, among those whose variances look
/// like theirs; the weights were fitted by experiments/fit_paper_classifier (docs/models.md).
double paper_probability(const MatrixRef& S, double n);

}  // namespace spodnet
