#include "spodnet/tables/column_kind.hpp"

#include <cmath>
#include <set>

#include "spodnet/core/error.hpp"
#include "spodnet/tables/diagnose.hpp"

namespace spodnet {
namespace {

constexpr std::size_t kOrdinalLevels = 7;  // as cor_auto of R's qgraph
constexpr std::size_t kAskedLevels = 20;
constexpr double kRowsOfALevel = 5, kOrdinalRows = 20;
constexpr double kSurelyHeavy = 6;  // standard errors: less often than 1 in 3,000 Gaussian columns

ColumnKind kind_of_column(const Eigen::Ref<const Vector>& column, TableKind kind) {
  std::set<double> values;
  double count = 0;
  for (const double x : column) {
    if (std::isnan(x)) continue;
    ++count;
    if (values.size() <= kAskedLevels) values.insert(x);
  }
  if (kind == TableKind::ordinal)
    return values.size() > kAskedLevels ? ColumnKind::gaussian : ColumnKind::ordinal;
  const bool few = values.size() <= kOrdinalLevels && count >= kOrdinalRows &&
                   count >= kRowsOfALevel * double(values.size());
  if (few) return ColumnKind::ordinal;
  return has_heavy_tails(column, kSurelyHeavy) ? ColumnKind::ranks : ColumnKind::gaussian;
}

}  // namespace

std::string to_string(ColumnKind kind) {
  switch (kind) {
    case ColumnKind::ordinal:
      return "ordinal";
    case ColumnKind::ranks:
      return "ranks";
    default:
      return "gaussian";
  }
}

std::string to_string(TableKind kind) {
  switch (kind) {
    case TableKind::automatic:
      return "auto";
    case TableKind::ordinal:
      return "ordinal";
    case TableKind::ranks:
      return "ranks";
    default:
      return "gaussian";
  }
}

TableKind table_kind_from(const std::string& text) {
  if (text == "auto") return TableKind::automatic;
  if (text == "gaussian") return TableKind::gaussian;
  if (text == "ordinal") return TableKind::ordinal;
  if (text == "ranks") return TableKind::ranks;
  throw Error("kind '" + text + "': is none of auto, gaussian, ordinal, ranks");
}

std::vector<ColumnKind> column_kinds(const MatrixRef& X, TableKind kind) {
  const auto p = std::size_t(X.cols());
  if (kind == TableKind::gaussian) return std::vector<ColumnKind>(p, ColumnKind::gaussian);
  if (kind == TableKind::ranks) return std::vector<ColumnKind>(p, ColumnKind::ranks);
  std::vector<ColumnKind> kinds;
  for (Eigen::Index j = 0; j < X.cols(); ++j) {
    const Vector column = X.col(j);
    kinds.push_back(kind_of_column(column, kind));
  }
  return kinds;
}

}  // namespace spodnet
