#include <fmt/format.h>

#include <cmath>

#include "spodnet/core/error.hpp"
#include "spodnet/data/covariance.hpp"
#include "spodnet/data/prepare.hpp"
#include "spodnet/data/prepare_columns.hpp"

namespace spodnet {
namespace {

/// S without the variables of variance 0, named in a note.
Matrix without_constants(const Matrix& S, PreparedData& data) {
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

}  // namespace

PreparedData prepare_covariance(Table table, double n, const std::string& where) {
  check_symmetric(table.values, where);
  symmetrise(table.values);
  PreparedData data;
  data.names = unique_names(table.columns.empty() ? table.rows : table.columns,
                            std::size_t(table.values.rows()), data.notes);
  list_columns(table, data);
  const Matrix S = without_constants(table.values, data);
  if (data.p() < 2) throw Error(where + ": a graph needs at least two variables of variance > 0");
  data.moments = moments_of(S, n);
  check_scale(data, where);
  const Repair& repair = data.moments.repair;
  if (repair.needed)
    data.notes.push_back(
        {true,
         fmt::format("the covariance has negative eigenvalues (the smallest of its correlations "
                     "is {:.2g}), as no complete samples give: made positive definite, no "
                     "correlation moved by more than {:.2g}",
                     repair.eig_min, repair.change)});
  note_duplicates(data);
  return data;
}

}  // namespace spodnet
