#pragma once

#include <cstdint>

#include "spodnet/data/prepare.hpp"
#include "spodnet/methods/held_out.hpp"

namespace spodnet {

/// Prepared data in the form that estimates, folds and resamples are made from.
struct WorkingData {
  Matrix Y;  ///< n x p: the samples, or their normal scores when ranks are used; rows in
             ///< random order, NaN where missing; empty when only a covariance is known
  MomentsOptions moments;
  bool standardize = true;
  Vector scale;  ///< of the data: an estimate in standard units is divided by it on both sides
  const Constraints* constraints = nullptr;  ///< prior knowledge; null: none
  TrainingPart all;                          ///< every row, in the method's units

  bool has_samples() const { return Y.size() > 0; }
  bool complete() const { return !moments.ranks && !Y.hasNaN(); }
};

/// The rows are shuffled by the stream (seed, 0): files are often sorted, and methods that split
/// samples themselves take consecutive rows.
WorkingData working_data(const PreparedData& data, bool standardize, std::uint64_t seed);

/// Some rows of Y as a method gets them: S by the road of `moments` (standardised by these rows'
/// own scales, or in the data's units), X centred, in the units of S, missing values replaced by
/// their expectation. A column constant in these rows is uncorrelated, with the scale of all rows.
TrainingPart part_of(const WorkingData& data, const Matrix& rows);

/// The problem that a part of the data poses; valid as long as both are.
Problem problem_of(const WorkingData& data, const TrainingPart& part, ThreadPool* pool = nullptr);

}  // namespace spodnet
