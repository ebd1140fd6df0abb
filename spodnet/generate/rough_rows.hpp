#pragma once

#include <cstddef>

#include "spodnet/core/random.hpp"
#include "spodnet/core/types.hpp"

namespace spodnet {

/// A table of measurements as a population of `count` rows, where no law is known. It begins as
/// Gaussian rows with the correlations of Theta^{-1} (or t, 2.3 to 12 degrees of freedom); then,
/// each with a chance of its own,
///   clusters   every row belongs to one of 2 to 5 kinds that differ in their means
///   columns    each is left alone, exp(sigma x), cut into levels, a rare yes or no, a count with
///              many zeros, squared or rounded
///   relations  a column becomes a sum or a product of two others or changes with a third, exactly
///              or nearly
///   outliers   0.2 to 5 % of the rows have one to all of their numbers 3 to 10 times too large.
/// Columns have unit variance; noise of variance 1e-8 to 1e-4 stands for the rounding of numbers.
/// Theta SPD, count >= 2. Cost: count p^2.
Matrix rough_population(const MatrixRef& Theta, std::size_t count, RandomStream& random);

/// How many rows such a population has, so that n are for training and enough for its covariance.
std::size_t rough_population_rows(std::size_t n, std::size_t p, RandomStream& random);

/// n rows of a population without repetition, and what they are judged by: S of these rows about
/// their mean (a column that is constant there: its variance in the population, uncorrelated), and
/// the precision of the other rows about that same mean.
struct RoughDraw {
  Matrix X;      ///< n x p
  Matrix S;      ///< p x p
  Matrix Theta;  ///< p x p, SPD
};
RoughDraw draw_rough_rows(const Matrix& population, std::size_t n, RandomStream& random);

}  // namespace spodnet
