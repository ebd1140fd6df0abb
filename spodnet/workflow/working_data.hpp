#pragma once

#include <cstdint>
#include <memory>

#include "spodnet/estimators/held_out.hpp"
#include "spodnet/tables/prepare.hpp"

namespace spodnet {

/// Prepared data in the form that estimates, folds and resamples are made from.
struct WorkingData {
  Matrix Y;       ///< n x p: the samples, or the scores of their levels or ranks; rows in random
                  ///< order, NaN where missing; empty when only a covariance is known
  Vector weight;  ///< of each row of Y; empty: all 1
  std::vector<RowList> blocks;         ///< rows of Y that depend on each other (row_blocks.hpp)
  std::vector<std::uint32_t> person;   ///< of paired groups: whose row it is
  bool clusters = false;               ///< the blocks are clusters: no row is in two of them
  double design_effect = 1, lost = 0;  ///< part.n is (rows - lost) / design_effect
  MomentsOptions moments;
  bool standardize = true;
  Vector scale;  ///< of the data: an estimate in standard units is divided by it on both sides
  const Constraints* constraints = nullptr;  ///< prior knowledge; null: none
  TrainingPart all;                          ///< every row, in the method's units

  bool has_samples() const { return Y.size() > 0; }
  /// S is the covariance of the samples.
  bool complete() const {
    return !moments.ranks && moments.kinds.empty() && weight.size() == 0 && !Y.hasNaN();
  }
};

/// How the rows are ordered before they are split: shuffled by the stream (seed, 0), because files
/// are often sorted and methods that split samples themselves take consecutive rows; or as they
/// come, for time series. Clusters stay together; successive rows that depend stay in their order.
struct RowOrder {
  std::uint64_t seed = 0;
  bool shuffled = true;
};

WorkingData working_data(const Prepared& data, bool standardize, RowOrder order);

struct PoseOptions {
  bool standardize = true;  ///< standard units; a covariance is taken as it is
  bool uncentred = false;   ///< S = X'X / n; needs plain data (Prepared::plain), else Error
  RowOrder order = {};      ///< for methods that split the rows
};

/// The data as one estimate of them goes by: all rows, in `all`. Samples whose covariance says all
/// (Prepared::plain) stay as they are unless they are standardised.
WorkingData pose(const Prepared& data, const PoseOptions& options);

/// Whether a method gets standard units of a table: models know the units they were trained in, the
/// shipped ones find out, and all others do.
bool wants_standard_units(const Method& method);

/// The estimate in the data's units. Where S is not the samples' covariance (gaps, levels, ranks,
/// weights), methods that split the samples choose by them and fit S. An estimate with a number
/// that is not finite has not the status ok. A method that needs samples, and none: Error.
[[nodiscard]] Estimate estimate_table(WorkingData data, std::shared_ptr<const Method> method,
                                      const Constraints* constraints, ThreadPool* pool);

/// Theta and Z divided, W multiplied by the scale on both sides: an estimate in standard units in
/// the data's. Zeros and positive definiteness stay.
void to_data_units(Estimate& estimate, const Vector& scale);

/// Some rows of Y as a method gets them: S computed by `moments` (standardised by these rows'
/// own scales, or in the data's units), X centred, in the units of S, missing values replaced by
/// their expectation. A column constant in these rows is uncorrelated, with the scale of all rows.
TrainingPart part_of(const WorkingData& data, const Matrix& rows, const Vector& weight = {});

/// The rows of Y at these places, with their weights.
TrainingPart part_of(const WorkingData& data, const RowList& rows);

/// What `part_of` makes of rows with these moments, but for X.
TrainingPart part_of(const WorkingData& data, const Moments& moments);

/// Such a part as a Problem, valid as long as both arguments are.
Problem problem_of(const WorkingData& data, const TrainingPart& part, ThreadPool* pool = nullptr);

}  // namespace spodnet
