#pragma once

#include <optional>
#include <string>
#include <vector>

#include "spodnet/core/types.hpp"
#include "spodnet/data/diagnose.hpp"
#include "spodnet/data/moments.hpp"
#include "spodnet/io/table.hpp"

namespace spodnet {

struct PrepareOptions {
  Missing missing = Missing::pairwise;
  std::optional<RankCorrelation> ranks = {};
};

/// A table made ready for an estimate, and all that was done to it in words.
struct PreparedData {
  std::vector<std::string> names;  ///< p, all different, none empty
  Matrix X;                        ///< n x p in the data's units, NaN where missing; empty (0 x 0)
                                   ///< when only a covariance is known
  Moments moments;                 ///< of all rows; every scale is positive
  PrepareOptions options;
  std::vector<std::string> file_columns;  ///< names of all columns of the file, those left out too
  std::vector<std::size_t> place;         ///< of each variable among them
  std::size_t missing = 0;                ///< values that X misses
  std::vector<DataNote> notes;

  std::size_t p() const { return names.size(); }
};

/// Samples, one per row. Left out, each with a note: columns of text (the table's left_out),
/// without a value, or constant; rows without a value, and with Missing::drop those that miss one.
/// Noted with a warning: duplicated columns (kept) and what diagnose() finds. Fewer than two rows
/// or variables left, an infinite value, two variables never observed together: Error whose line
/// begins with `where`.
PreparedData prepare_samples(Table table, const PrepareOptions& options, const std::string& where);

/// A covariance of n samples. Left out with a note: variables of variance 0. One that is not square
/// or not symmetric up to rounding: Error; negative eigenvalues are repaired with a warning.
PreparedData prepare_covariance(Table table, double n, const std::string& where);

/// Names for p variables: those given, "x1", "x2", ... where there are none or one is empty; of
/// equal names the second is called "name (2)" and so on, with a note.
std::vector<std::string> unique_names(const std::vector<std::string>& given, std::size_t p,
                                      std::vector<DataNote>& notes);

}  // namespace spodnet
