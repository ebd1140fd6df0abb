#pragma once

#include <cstdint>

#include "spodnet/core/random.hpp"
#include "spodnet/generate/dataset.hpp"

namespace spodnet {

/// A true precision matrix, how many samples to draw from it, and the stream to draw them from.
struct DrawnProblem {
  Matrix Theta;
  std::size_t n;
  RandomStream random;
};

/// p and n of a problem.
struct ProblemShape {
  std::size_t p, n;
};

/// The shape of number `index`, without the costs of drawing it.
ProblemShape draw_shape(const DataSetOptions& options, std::uint64_t index);

/// Number `index` of the seed's sequence. Its kind and sizes come from a stream beside its own, so
/// that a fixed n and a range of n have the same Theta.
DrawnProblem draw_problem(const DataSetOptions& options, std::uint64_t index);

/// Throws Error, its line naming what is wrong, on options that no data set can be made of.
void check_dataset_options(const DataSetOptions& options);

}  // namespace spodnet
