#pragma once

#include <string>
#include <vector>

#include "spodnet/core/random.hpp"
#include "spodnet/core/types.hpp"

namespace spodnet {

/// How the rows of a table come about from a Gaussian vector x with covariance R (correlations):
///   gaussian   x itself
///   student    x times one factor per row: t with 2.3 to 12 degrees of freedom, heavy tails
///   uneven     x with each principal component times a factor of its own in every row: independent
///              t with 2.5 to 6 degrees of freedom, outliers where the table is nearly collinear
///   skewed     exp(sigma_j x_j), sigma_j up to 1
///   ordinal    the number of cut points below x_j, 1 to 6 of them for each variable
///   dependent  successive rows have correlation 0.2 to 0.9 (a first-order autoregression), and
///              their size changes slowly, as the volatility of prices does
enum class RowLaw { gaussian, student, uneven, skewed, ordinal, dependent };

std::string to_string(RowLaw law);
RowLaw row_law_from(const std::string& text);  ///< throws Error on an unknown name
const std::vector<RowLaw>& all_row_laws();

/// n rows and the precision matrix of their law.
struct TableRows {
  Matrix X;      ///< n x p
  Matrix Theta;  ///< inverse of the covariance of a row, p x p, SPD
};

/// Rows whose Gaussian vectors have the correlations of Theta^{-1}. Where a variable is transformed
/// the covariance of a row is known in closed form (skewed) or by 30 Hermite coefficients
/// (ordinal). Theta SPD. Cost: n p^2 + p^3.
TableRows sample_rows(const MatrixRef& Theta, std::size_t n, RowLaw law, RandomStream& random);

}  // namespace spodnet
