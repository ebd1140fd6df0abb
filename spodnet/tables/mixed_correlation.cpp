#include "spodnet/tables/mixed_correlation.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "spodnet/core/stop.hpp"
#include "spodnet/tables/coding.hpp"
#include "spodnet/tables/pairwise.hpp"
#include "spodnet/tables/polychoric.hpp"
#include "spodnet/tables/ranks.hpp"

namespace spodnet {
namespace {

constexpr double kMostCorrelation = 0.9999;
constexpr double kSurelyFilled = 8;  // rows expected: left empty with a chance of e^-8

/// Ordered columns (empty ones for the others), and X with their scores.
struct Scored {
  std::vector<OrderedColumn> ordered;
  Matrix Y;
};

void put_scores(const OrderedColumn& column, Eigen::Index j, Matrix& Y) {
  for (Eigen::Index i = 0; i < Y.rows(); ++i) {
    const int level = column.level[std::size_t(i)];
    Y(i, j) =
        level < 0 ? std::numeric_limits<double>::quiet_NaN() : column.score[std::size_t(level)];
  }
}

Scored scored(const MatrixRef& X, const std::vector<ColumnKind>& kinds, const Vector& weight) {
  Scored out{std::vector<OrderedColumn>(kinds.size()), X};
  for (std::size_t j = 0; j < kinds.size(); ++j) {
    leave_if_stopped();
    const Vector column = X.col(Eigen::Index(j));
    if (kinds[j] == ColumnKind::ordinal) {
      out.ordered[j] = ordered_column(column, weight);
      put_scores(out.ordered[j], Eigen::Index(j), out.Y);
    } else if (kinds[j] == ColumnKind::ranks) {
      out.Y.col(Eigen::Index(j)) = normal_scores(column);
    }
  }
  return out;
}

double clamped(double rho) { return std::clamp(rho, -kMostCorrelation, kMostCorrelation); }

}  // namespace

MixedCorrelation mixed_correlation(const MatrixRef& X, const std::vector<ColumnKind>& kinds,
                                   const Vector& weight, ThreadPool* pool) {
  const Scored data = scored(X, kinds, weight);
  PairwiseCorrelation pairs = pairwise_correlation(data.Y, weight);
  MixedCorrelation out{std::move(pairs.R), std::move(pairs.counts), {}, Vector::Ones(X.cols())};
  for (std::size_t j = 0; j < kinds.size(); ++j)
    if (kinds[j] == ColumnKind::ordinal)
      out.information[Eigen::Index(j)] = data.ordered[j].information;
  out.effective = out.information.asDiagonal() * out.counts * out.information.asDiagonal();
  const auto below = [&](std::size_t a, int) {  // the pairs of column a with earlier ones
    Polychoric polychoric(weight);
    for (std::size_t b = 0; b < a; ++b) {
      leave_if_stopped();
      const auto i = Eigen::Index(a), j = Eigen::Index(b);
      const double kept = out.information[i] * out.information[j];
      const bool two = kinds[a] == ColumnKind::ordinal && kinds[b] == ColumnKind::ordinal;
      const bool one = kinds[a] == ColumnKind::ordinal || kinds[b] == ColumnKind::ordinal;
      if (!one) continue;
      double rho = kept > 0 ? clamped(out.R(i, j) / std::sqrt(kept)) : 0;
      if (two && kept > 0) {
        rho = polychoric(data.ordered[a], data.ordered[b], rho);
        out.effective(i, j) = out.effective(j, i) =
            std::min(out.counts(i, j), polychoric.effective_rows());
      }
      out.R(i, j) = out.R(j, i) = rho;
    }
  };
  if (pool)
    pool->run(kinds.size(), below);
  else
    for (std::size_t a = 0; a < kinds.size(); ++a) below(a, 0);
  return out;
}

std::vector<std::pair<std::size_t, std::size_t>> pairs_with_empty_corners(
    const MatrixRef& X, const std::vector<ColumnKind>& kinds, const Vector& weight) {
  const Scored data = scored(X, kinds, weight);
  Polychoric polychoric(weight);
  std::vector<std::pair<std::size_t, std::size_t>> out;
  for (std::size_t i = 0; i < kinds.size(); ++i)
    for (std::size_t j = i + 1; j < kinds.size(); ++j) {
      leave_if_stopped();
      if (kinds[i] != ColumnKind::ordinal || kinds[j] != ColumnKind::ordinal) continue;
      const double expected = polychoric.empty_corners(data.ordered[i], data.ordered[j]);
      if (expected > 0 && expected < kSurelyFilled) out.emplace_back(i, j);
    }
  return out;
}

Matrix gaussian_scores(const MatrixRef& X, const std::vector<ColumnKind>& kinds,
                       const Vector& scale, const Vector& weight) {
  const Vector signs = coding_signs(X);
  Scored data = scored(recoded(X, signs), kinds, weight);
  const Vector deviations = column_moments(data.Y, weight).scale;
  for (std::size_t j = 0; j < kinds.size(); ++j) {
    if (kinds[j] == ColumnKind::gaussian) continue;
    const double own = deviations[Eigen::Index(j)];  // ties leave normal scores less than 1
    const double unit = kinds[j] == ColumnKind::ordinal ? std::sqrt(data.ordered[j].information)
                        : own > 0                       ? own
                                                        : 1;
    data.Y.col(Eigen::Index(j)) *= scale[Eigen::Index(j)] / unit;
  }
  return recoded(data.Y, signs);
}

}  // namespace spodnet
