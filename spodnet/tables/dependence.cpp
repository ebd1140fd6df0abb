#include "spodnet/tables/dependence.hpp"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <optional>

#include "spodnet/core/cholesky.hpp"
#include "spodnet/core/disjoint_sets.hpp"
#include "spodnet/core/stop.hpp"

namespace spodnet {
namespace {

constexpr double kSame = 1 - 1e-10;
constexpr double kNothingLeft = 1e-9;    // of the variance
constexpr double kNoCoefficient = 1e-6;  // in standard units

/// Coefficients of column `last` on those before it, from the Cholesky factor of theirs.
Vector coefficients(const MatrixRef& L, const Vector& l) {
  return L.transpose().triangularView<Eigen::Upper>().solve(l);
}

Dependence dependence_of(const std::vector<std::size_t>& columns, const Vector& b,
                         std::size_t last) {
  Dependence out;
  double largest = 1;  // that of the last column itself
  out.leave_out = last;
  for (Eigen::Index k = 0; k < b.size(); ++k) {
    if (std::abs(b[k]) <= kNoCoefficient) continue;
    out.columns.push_back(columns[std::size_t(k)]);
    if (std::abs(b[k]) <= largest * (1 + kNoCoefficient)) continue;
    largest = std::abs(b[k]);
    out.leave_out = columns[std::size_t(k)];
  }
  out.columns.push_back(last);
  return out;
}

/// 1 - R_jK R_KK^{-1} R_Kj of each column and those before it, by blocks: most tables have none.
bool independent(const Matrix& R) {
  const Vector left = spd_diagonal(R);
  return left.size() == R.rows() && (left.size() == 0 || left.minCoeff() > std::sqrt(kNothingLeft));
}

/// The first dependence among some columns.
std::optional<Dependence> first_dependence(const Matrix& R,
                                           const std::vector<std::size_t>& columns) {
  const auto p = Eigen::Index(columns.size());
  Matrix L = Matrix::Zero(p, p);
  for (Eigen::Index j = 0; j < p; ++j) {
    leave_if_stopped();
    Vector r(j);
    for (Eigen::Index k = 0; k < j; ++k)
      r[k] = R(Eigen::Index(columns[std::size_t(j)]), Eigen::Index(columns[std::size_t(k)]));
    const auto before = L.topLeftCorner(j, j);
    const Vector l = before.triangularView<Eigen::Lower>().solve(r);
    const double left = 1 - l.squaredNorm();
    if (left < kNothingLeft)
      return dependence_of(columns, coefficients(before, l), columns[std::size_t(j)]);
    L.row(j).head(j) = l.transpose();
    L(j, j) = std::sqrt(left);
  }
  return std::nullopt;
}

constexpr double kTogether = 0.5;  // partial correlation of columns of one near dependence

}  // namespace

std::vector<Dependence> equal_columns(const Matrix& R) {
  std::vector<Dependence> out;
  for (Eigen::Index j = 0; j < R.rows(); ++j)
    for (Eigen::Index i = 0; i < j; ++i) {
      if (std::abs(R(i, j)) < kSame) continue;
      out.push_back({{std::size_t(i), std::size_t(j)}, std::size_t(j), R(i, j) > 0 ? 1.0 : -1.0});
      break;
    }
  return out;
}

std::vector<Dependence> find_dependences(const Matrix& R) {
  std::vector<std::size_t> columns(std::size_t(R.rows()));
  for (std::size_t j = 0; j < columns.size(); ++j) columns[j] = j;
  std::vector<Dependence> out;
  if (independent(R)) return out;
  while (const auto found = first_dependence(R, columns)) {
    out.push_back(*found);
    std::erase(columns, found->leave_out);
  }
  return out;
}

std::vector<std::vector<std::size_t>> near_dependences(const Matrix& R, double n) {
  const auto p = std::size_t(R.rows());
  Matrix P;
  if (n < double(p) + 2 || std::isinf(spd_inverse(R, P))) return {};
  const double corrected = (n - 1) / (n - double(p));
  DisjointSets sets(p);
  std::vector<bool> exact(p);
  for (std::size_t j = 0; j < p; ++j) {
    const auto b = Eigen::Index(j);
    exact[j] = corrected / P(b, b) < 1 - kNearlyExact;
    for (std::size_t i = 0; i < j && exact[j]; ++i) {
      const auto a = Eigen::Index(i);
      if (exact[i] && std::abs(P(a, b)) > kTogether * std::sqrt(P(a, a) * P(b, b))) sets.join(i, j);
    }
  }
  std::vector<std::vector<std::size_t>> of_root(p), out;
  for (std::size_t j = 0; j < p; ++j)
    if (exact[j]) of_root[sets.root(j)].push_back(j);
  for (std::vector<std::size_t>& group : of_root)
    if (group.size() > 1) out.push_back(std::move(group));
  return out;
}

}  // namespace spodnet
