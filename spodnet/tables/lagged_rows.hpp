#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "spodnet/tables/diagnose.hpp"
#include "spodnet/tables/row_blocks.hpp"

namespace spodnet {

/// Person and time of each row; one entry per row.
struct Occasions {
  std::vector<std::uint32_t> person;
  std::vector<std::uint32_t> day = {};  ///< empty: not said
  Vector beep;                          ///< number or time of the measurement
};

/// Rows and the row of the same person before each: y_k follows x_k.
struct LaggedRows {
  std::vector<std::string> names;     ///< of the variables, p
  Matrix Y, X;                        ///< m x p, about the person's own means, in units of scale
  Matrix Y_half, X_half;              ///< about the means of the person's first or second half of
                                      ///< rows, in the same units
  std::vector<bool> in_half;          ///< of each pair: whether both rows are in one half
  Vector scale;                       ///< within-person standard deviation of each variable
  std::vector<std::uint32_t> person;  ///< of each pair
  std::size_t persons = 0;            ///< that have a pair
  double step = 0;                    ///< from one measurement to the next
  double fewest = 0;                  ///< rows of a person, the median
  std::vector<DataNote> notes;        ///< what was joined and what was not
};

/// Joins each row of X (n x p, NaN where missing) with the next one of its person, in the order of
/// the beeps: of the same day where days are given, and at most 1.5 times the usual step (the
/// median of the differences within a person and day) apart, so that nights and missed beeps are
/// not joined. Pairs that miss a value are left out, and so are variables that vary within no
/// person, with a note. A beep that a person (and day) has twice, one that is missing, fewer than
/// two variables, fewer pairs than variables + 2: Error whose line begins with `where`.
LaggedRows lagged_rows(const Matrix& X, const std::vector<std::string>& names,
                       const Occasions& occasions, const std::string& where);

}  // namespace spodnet
