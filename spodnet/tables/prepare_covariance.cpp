#include <fmt/format.h>

#include <cmath>

#include "spodnet/core/error.hpp"
#include "spodnet/io/message.hpp"
#include "spodnet/tables/covariance.hpp"
#include "spodnet/tables/prepare.hpp"
#include "spodnet/tables/prepare_columns.hpp"

namespace spodnet {
namespace {

/// S without the variables of variance 0, named in a note.
Matrix without_constants(const Matrix& S, Prepared& data) {
  std::vector<Eigen::Index> kept;
  std::vector<std::string> gone;
  for (Eigen::Index j = 0; j < S.rows(); ++j)
    S(j, j) > 0 ? kept.push_back(j) : gone.push_back(data.names[std::size_t(j)]);
  keep_columns(data, kept);
  if (!gone.empty())
    data.notes.push_back({true, fmt::format("{} {} variance 0: left out", listed(gone, 10),
                                            gone.size() == 1 ? "has" : "have")});
  return S(kept, kept);
}

Moments moments_of(const Matrix& S, double n) {
  Moments m;
  m.n = m.least = n;
  m.mean = Vector::Zero(S.rows());
  m.scale = S.diagonal().cwiseSqrt();
  const Vector inverse = m.scale.cwiseInverse();
  m.R = inverse.asDiagonal() * S * inverse.asDiagonal();
  m.R.diagonal().setOnes();
  symmetrise(m.R);
  m.repair = repair_correlation(m.R);
  return m;
}

/// A correlation beyond 1 is a mistake, not rounding.
void check_correlations(const Prepared& data, const std::string& where) {
  for (Eigen::Index i = 0; i < data.S.rows(); ++i)
    for (Eigen::Index j = 0; j < i; ++j) {
      const double r = data.S(i, j) / (data.moments.scale[i] * data.moments.scale[j]);
      if (std::abs(r) <= 1 + 1e-6) continue;
      throw Error(fmt::format(
          "{}: {} and {} would have a correlation of {:.3g}: is it a covariance?", where,
          shown(data.names[std::size_t(j)]), shown(data.names[std::size_t(i)]), r));
    }
}

}  // namespace

Prepared prepare_covariance(Table table, double n, const std::string& where,
                            std::size_t least_variables, bool keep_dependent) {
  check_symmetric(table.values, where);
  symmetrise(table.values);
  Prepared data;
  data.named = !table.columns.empty() || !table.rows.empty();
  data.names = unique_names(table.columns.empty() ? table.rows : table.columns,
                            std::size_t(table.values.rows()), data.notes);
  list_columns(table, data);
  data.S = without_constants(table.values, data);
  if (data.p() < least_variables)
    throw Error(where + (least_variables > 1
                             ? ": a graph needs at least two variables of variance > 0"
                             : ": no variable has a variance above 0"));
  data.moments = moments_of(data.S, n);
  check_correlations(data, where);
  if (!keep_dependent) {
    const auto kept = leave_out_dependent(data, data.moments.R, n);
    if (kept.size() < std::size_t(data.S.rows())) {
      data.S = Matrix(data.S(kept, kept));
      data.moments = moments_of(data.S, n);
    }
  }
  check_scale(data, where);
  const Repair& repair = data.moments.repair;
  if (repair.needed) {
    data.S = data.moments.covariance();
    data.notes.push_back(
        {true,
         fmt::format("the covariance has negative eigenvalues (the smallest of its correlations "
                     "is {:.2g}), as no complete samples give: made positive definite, no "
                     "correlation moved by more than {:.2g}",
                     repair.eig_min, repair.change)});
  }
  return data;
}

}  // namespace spodnet
