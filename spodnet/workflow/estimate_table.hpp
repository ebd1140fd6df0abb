#pragma once

#include <memory>

#include "spodnet/estimators/method.hpp"
#include "spodnet/workflow/working_data.hpp"

namespace spodnet {

struct PoseOptions {
  bool standardize = true;  ///< standard units; a covariance is taken as it is
  bool uncentred = false;   ///< S = X'X / n; needs plain data (Prepared::plain), else Error
  RowOrder order = {};      ///< for methods that split the rows
};

/// A prepared table as a method gets it.
struct PosedTable {
  Matrix S;
  double n = 0;
  Matrix X;              ///< the samples, in the units of S; empty: only S is known
  Vector scale;          ///< an estimate is divided by it on both sides; empty: the data's units
  bool complete = true;  ///< S is the covariance of the samples
};

PosedTable pose_table(const Prepared& data, const PoseOptions& options);

/// Whether a method gets standard units of a table: models know the units they were trained in, the
/// shipped ones find out, and all others do.
bool wants_standard_units(const Method& method);

/// The estimate in the data's units. Where S is not the samples' covariance (gaps, levels, ranks,
/// weights), methods that split the samples choose by them and fit S. An estimate with a number
/// that is not finite has not the status ok. A method that needs samples, and none: Error.
[[nodiscard]] Estimate estimate_posed(const PosedTable& table, std::shared_ptr<const Method> method,
                                      const Constraints* constraints, ThreadPool* pool);

}  // namespace spodnet
