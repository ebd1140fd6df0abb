#pragma once

#include <string>
#include <vector>

#include "spodnet/core/advice.hpp"
#include "spodnet/core/types.hpp"
#include "spodnet/tables/column_kind.hpp"

namespace spodnet {

/// One line about the data, for people.
struct DataNote {
  bool warning = false;  ///< to be careful about, as opposed to: this was done
  std::string text;
  Advice advice = Advice::none;  ///< what would help
  std::string value = {};        ///< ... and with what, where that is known
};

/// "'a', 'b', 'c' and 4 more": at most `most` names, safe to print.
std::string listed(const std::vector<std::string>& names, std::size_t most = 5);

/// What a Gaussian model fits badly, in words: columns with two values, small counts, heavy tails
/// (excess kurtosis beyond chance; not asked of ranks), rows that resemble the row before (lag-1
/// autocorrelation beyond chance, of all columns or of single ones), columns that count the rows.
/// Columns that are taken for ordered levels or ranks (kinds; empty: none is) may have what values
/// they like. X is n x p, NaN where missing. Cost n p log n.
std::vector<DataNote> diagnose(const MatrixRef& X, const std::vector<std::string>& names,
                               bool ranks, const std::vector<ColumnKind>& kinds = {});

/// For each column the correlation between a value and the one in the row before; NaN for a
/// constant one.
Vector lag_one_autocorrelations(const MatrixRef& X);

/// Mean over the columns of the correlation between a value and the one in the row before.
double lag_one_autocorrelation(const MatrixRef& X);

/// Fourth standardised moment minus 3 of the values observed; 0 when they are constant.
double excess_kurtosis(const Eigen::Ref<const Vector>& values);

/// Whether the excess kurtosis is above 2 (that of Student's t with 7 degrees of freedom) and that
/// many of its standard errors for Gaussian values.
bool has_heavy_tails(const Eigen::Ref<const Vector>& column, double errors = 4);

}  // namespace spodnet
