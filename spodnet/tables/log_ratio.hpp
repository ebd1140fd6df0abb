#pragma once

#include <string>

#include "spodnet/tables/prepare.hpp"

namespace spodnet {

/// A step of prepare_samples. Parts x_j of a whole say something by their ratios alone, since more
/// of one leaves less for the others. With options.composition each part becomes its centred
/// log-ratio, log(x_j + c) minus the mean of that over the row's parts; other columns stay. One
/// random number a row, the size of the whole, which parts do not show, is added to all of them:
/// they would add to 0 otherwise, which is no link between them. With two rows a column or more and
/// no gaps it has no correlation with any column, so that the covariance depends on no draw.
/// Differences of two parts stay. c is the pseudo-count given or, where a part is 0, 1 for whole
/// numbers and half of the smallest positive value for others. Left out with a note: parts that are
/// 0 in every row; rows that are 0 in every part become missing in all of them. Fewer than two
/// parts, a negative one, a part of text: Error.
void take_log_ratios(Prepared& data, const std::string& where);

/// "clr", or "clr:" and the parts as in Composition::columns, with commas; empty: none. Else Error.
Composition composition_from(const std::string& text);

}  // namespace spodnet
