#pragma once

#include <string>
#include <vector>

#include "spodnet/core/types.hpp"

namespace spodnet {

/// One line about the data, for people.
struct DataNote {
  bool warning = false;  ///< to be careful about, as opposed to: this was done
  std::string text;
};

/// "'a', 'b', 'c' and 4 more": at most `most` names, safe to print.
std::string listed(const std::vector<std::string>& names, std::size_t most = 5);

/// What a Gaussian model fits badly, in words: columns with two values, small counts, heavy tails
/// (excess kurtosis beyond chance; not asked of ranks), rows that resemble the row before (lag-1
/// autocorrelation beyond chance), columns that count the rows. X is n x p, NaN where missing.
/// Cost n p log n.
std::vector<DataNote> diagnose(const MatrixRef& X, const std::vector<std::string>& names,
                               bool ranks);

/// Mean over the columns of the correlation between a value and the one in the row before.
double lag_one_autocorrelation(const MatrixRef& X);

/// Fourth standardised moment minus 3 of the values observed; 0 when they are constant.
double excess_kurtosis(const Eigen::Ref<const Vector>& values);

}  // namespace spodnet
