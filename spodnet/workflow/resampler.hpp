#pragma once

#include "spodnet/core/random.hpp"
#include "spodnet/tables/pairwise.hpp"
#include "spodnet/workflow/working_data.hpp"

namespace spodnet {

/// From so many rows on they are drawn and left out in blocks.
inline constexpr Eigen::Index kLargeTable = 100'000;

/// Whether a Resampler draws blocks of the rows of X, whose moments are made so.
bool draws_blocks(const MatrixRef& X, const MomentsOptions& moments, const RowFacts& rows);

/// Draws the rows of a table again, and leaves some of them out, for a method.
///
/// Rows that depend on each other go together (row_blocks.hpp). Of kLargeTable independent rows or
/// more, each in one of 1000 blocks by chance, blocks are drawn and left out instead: their sums
/// are made once, and a part costs 4000 p^2 and no copy of the rows. The variance over such
/// resamples is that over resampled rows up to 4.5 %, its standard error. Not so where moments are
/// no sums (ranks, levels, EM, weights), p is above 100, or the method splits the samples.
class Resampler {
 public:
  /// Both arguments must stay.
  Resampler(const WorkingData& data, const Method& method);

  TrainingPart resampled(RandomStream random) const;
  TrainingPart without(double share, RandomStream random) const;
  /// A part of blocks has all rows as its samples: a method that asks whether they are Gaussian, or
  /// how heavy their tails are, gets one answer for all parts.
  Problem problem_of(const TrainingPart& part) const;

 private:
  TrainingPart sum_of(const RowList& blocks) const;
  RowList rows_without(double share, RandomStream random) const;

  const WorkingData& data_;
  Vector origin_;
  std::vector<PairSums> sums_;  ///< of each block; empty: parts are made of rows
};

}  // namespace spodnet
