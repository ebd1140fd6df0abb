#include "spodnet/estimators/canonical_signs.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <vector>

#include "spodnet/estimators/row_covariance.hpp"

namespace spodnet {
namespace {

constexpr double kRounding = 1e-9;  // of a sum of correlations

/// |correlations| of zero where a variance is.
Matrix correlations_of(const MatrixRef& S) {
  const Vector scale = S.diagonal().cwiseSqrt();
  const Vector inverse = (scale.array() > 0).select(scale.cwiseInverse(), 0.0);
  return inverse.asDiagonal() * S * inverse.asDiagonal();
}

/// How strong a link of the tree is; of equal ones what else their variables correlate with counts.
using Strength = std::array<double, 3>;

Strength strength(const Matrix& R, const Vector& beside, Eigen::Index i, Eigen::Index j) {
  return {std::abs(R(i, j)), std::max(beside[i], beside[j]), std::min(beside[i], beside[j])};
}

/// Positive along the maximum spanning tree (Prim's algorithm).
Vector signs_of_tree(const Matrix& R) {
  const Eigen::Index p = R.rows();
  const Vector beside = R.array().square().colwise().sum().transpose();
  Vector signs = Vector::Ones(p);
  std::vector<Eigen::Index> nearest(std::size_t(p), 0);
  std::vector<bool> reached(std::size_t(p), false);
  reached[0] = true;
  for (Eigen::Index step = 1; step < p; ++step) {
    Eigen::Index next = -1;
    Strength best{-1, -1, -1};
    for (Eigen::Index j = 0; j < p; ++j) {
      if (reached[std::size_t(j)]) continue;
      const Strength here = strength(R, beside, nearest[std::size_t(j)], j);
      if (next < 0 || here > best) next = j, best = here;
    }
    const Eigen::Index from = nearest[std::size_t(next)];
    signs[next] = R(from, next) < 0 ? -signs[from] : signs[from];
    reached[std::size_t(next)] = true;
    for (Eigen::Index j = 0; j < p; ++j)
      if (!reached[std::size_t(j)] &&
          strength(R, beside, next, j) > strength(R, beside, nearest[std::size_t(j)], j))
        nearest[std::size_t(j)] = next;
  }
  return signs;
}

/// Turns variables whose correlations sum to less than zero: each turn makes the sum of all larger.
void turn_the_negative(const Matrix& R, Vector& signs) {
  Vector sums = signs.cwiseProduct(R * signs) - R.diagonal();
  const double least = -kRounding * double(R.rows());
  Eigen::Index k = 0;
  while (sums.minCoeff(&k) < least) {
    signs[k] = -signs[k];
    const double own = -sums[k];
    sums += 2 * signs[k] * signs.cwiseProduct(R.col(k));
    sums[k] = own;
  }
}

/// Rules for partial correlations of the variables times their signs.
Constraints recoded(const Constraints& given, const Vector& signs) {
  Constraints out(given.p());
  for (std::size_t i = 0; i < given.p(); ++i)
    for (std::size_t j = 0; j < i; ++j) {
      PairRule rule = given(i, j);
      const bool turned = signs[Eigen::Index(i)] * signs[Eigen::Index(j)] < 0;
      if (turned && rule == PairRule::not_positive)
        rule = PairRule::not_negative;
      else if (turned && rule == PairRule::not_negative)
        rule = PairRule::not_positive;
      out.narrow(i, j, rule);
    }
  return out;
}

void recode(const Vector& signs, Matrix& A) {
  for (Eigen::Index j = 0; j < A.cols(); ++j)
    for (Eigen::Index i = 0; i < A.rows(); ++i)
      if (signs[i] != signs[j] && A(i, j) != 0) A(i, j) = -A(i, j);
}

}  // namespace

Vector canonical_signs(const MatrixRef& S) {
  if (S.rows() < 2 || !S.allFinite()) return Vector::Ones(S.rows());
  const Matrix R = correlations_of(S);
  Vector signs = signs_of_tree(R);
  turn_the_negative(R, signs);
  return signs;
}

CanonicalProblem::CanonicalProblem(const Problem& given)
    : signs_(canonical_signs(given.S)), problem_(given) {
  recode(signs_, problem_.S);
  problem_.X = nullptr;
  if (!given.constraints) return;
  constraints_ = recoded(*given.constraints, signs_);
  problem_.constraints = &*constraints_;
}

void CanonicalProblem::undo(Estimate& estimate) const {
  recode(signs_, estimate.Theta);
  recode(signs_, estimate.W);
  if (estimate.Z) recode(signs_, *estimate.Z);
}

}  // namespace spodnet
