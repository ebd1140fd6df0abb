#pragma once

#include <optional>
#include <string>
#include <vector>

#include "spodnet/core/types.hpp"
#include "spodnet/io/table.hpp"
#include "spodnet/problem/constraints.hpp"
#include "spodnet/tables/diagnose.hpp"
#include "spodnet/tables/moments.hpp"
#include "spodnet/tables/row_blocks.hpp"

namespace spodnet {

/// Columns that are parts of a whole, such as counts of species in a sample.
struct Composition {
  bool log_ratios = false;                ///< centred log-ratios take the place of the parts
  std::vector<std::string> columns = {};  ///< the parts, by name, number from 1, or 3-7; empty: all
  std::optional<double> pseudo_count = {};  ///< added to every part; nothing: see log_ratio.hpp
};

struct PrepareOptions {
  std::optional<double> covariance_of = {};  ///< the table is a covariance of so many samples (NaN:
                                             ///< not known), to which nothing below applies but
                                             ///< least_variables and keep_dependent
  Missing missing = Missing::pairwise;
  std::optional<RankCorrelation> ranks = {};
  TableKind kind = TableKind::gaussian;  ///< of the columns; with EM or ranks all are alike
  RowFacts rows = {};                    ///< of the rows of the table
  ThreadPool* pool = nullptr;            ///< for pairs of ordered columns
  std::size_t least_variables = 2;       ///< fewer that are left are refused
  bool link_unobserved = false;          ///< edges also where hardly a row has both values
  bool keep_dependent = false;  ///< columns that follow exactly from others are not left out
  Composition composition = {};
  bool diagnose = true;  ///< note what a Gaussian model fits badly
};

/// A table made ready for an estimate, and all that was done to it in words.
struct Prepared {
  std::vector<std::string> names;  ///< p, all different, none empty
  Matrix X;                        ///< n x p in the data's units, NaN where missing; empty (0 x 0)
                                   ///< when only a covariance is known
  Matrix S;                        ///< a covariance as it was given, else empty
  Moments moments;                 ///< of all rows; every scale is positive
  std::vector<ColumnKind> kinds;   ///< of each variable; empty: all Gaussian
  RowFacts rows;                   ///< of the rows of X
  double design_effect = 1;        ///< of rows that depend on each other: n is divided by it
  PrepareOptions options;
  std::vector<std::string> file_columns;  ///< names of all columns of the file, those left out too
  std::vector<std::size_t> place;         ///< of each variable among them
  std::vector<std::size_t> parts;         ///< places, ascending, of the parts of a composition
  std::size_t missing = 0;                ///< values that X misses
  /// Pairs i < j with fewer common rows than a correlation needs (half of the rows, at least 3 and
  /// at most 10): they get no edge.
  std::vector<std::pair<std::size_t, std::size_t>> apart;
  /// Pairs i < j whose link is never called stable: their correlation rests on levels that never
  /// occur together, or on columns that follow from others but for rounding.
  std::vector<std::pair<std::size_t, std::size_t>> doubtful;
  std::vector<DataNote> notes;
  bool named = false;  ///< the names are the file's

  std::size_t p() const { return names.size(); }
  /// S of X says all: no gaps, ranks, kinds or facts of rows.
  bool plain() const {
    return missing == 0 && !options.ranks && kinds.empty() && rows.weight.size() == 0 &&
           rows.covariates.size() == 0 && !rows.depend();
  }
  MomentsOptions moments_options() const {
    return {.missing = options.missing, .ranks = options.ranks, .kinds = kinds};
  }
};

/// What every front calls: prepare_samples, or prepare_covariance of a covariance.
Prepared prepare(Table table, const PrepareOptions& options, const std::string& where);

/// Samples, one per row. Left out, each with a note: columns of text (the table's left_out),
/// without a value, or constant; rows without a value, and with Missing::drop those that miss one.
/// So are columns that follow exactly from others (dependence.hpp). Noted with a warning: pairs
/// that are never observed together, and what diagnose() finds. Columns are taken for what
/// options.kind says, covariates of the rows regressed out, rows without a weight or covariate left
/// out; all of it noted. Fewer than two rows or variables
/// left, an infinite value: Error whose line begins with `where`.
Prepared prepare_samples(Table table, const PrepareOptions& options, const std::string& where);

/// A covariance of n samples. Left out with a note: variables of variance 0. One that is not square
/// or not symmetric up to rounding: Error; negative eigenvalues are repaired, in S too, with a
/// warning. NaN as n: it is not known.
Prepared prepare_covariance(Table table, double n, const std::string& where,
                            std::size_t least_variables = 2, bool keep_dependent = false);

/// What is known beforehand, and that the pairs `apart` have no edge; nothing: neither.
std::optional<Constraints> constraints_for(const Prepared& data, const Constraints* given);

/// Names for p variables: those given, "x1", "x2", ... where there are none or one is empty; of
/// equal names the second is called "name (2)" and so on, with a note.
std::vector<std::string> unique_names(const std::vector<std::string>& given, std::size_t p,
                                      std::vector<DataNote>& notes);

}  // namespace spodnet
