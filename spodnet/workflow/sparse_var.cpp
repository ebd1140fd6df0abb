#include <Eigen/Cholesky>
#include <cmath>

#include "spodnet/core/aligned.hpp"
#include "spodnet/core/error.hpp"
#include "spodnet/core/kernels.hpp"
#include "spodnet/core/products.hpp"
#include "spodnet/estimators/glasso.hpp"
#include "spodnet/estimators/lasso.hpp"
#include "spodnet/workflow/temporal.hpp"

namespace spodnet {
namespace {

constexpr int kPenalties = 30;
constexpr double kSmallestPenalty = 0.01;  // of the largest
constexpr double kRidge = 1e-8;            // of the mean variance: H is positive definite

/// The regressions of all columns: H = X'X / m, C = X'Y / m.
struct Regressions {
  Matrix H, C;
  AlignedVector padded_H;
  double m = 0, p = 0;

  Regressions(const Matrix& X, const Matrix& Y)
      : H(transpose_times(X, X) / double(X.rows())),
        C(transpose_times(X, Y) / double(X.rows())),
        m(double(X.rows())),
        p(double(X.cols())) {
    H.diagonal().array() += kRidge * H.diagonal().mean();
    const auto k = std::size_t(H.rows());
    padded_H.assign(k * padded(k), 0.0);
    for (std::size_t i = 0; i < k; ++i)
      for (std::size_t j = 0; j < k; ++j)
        padded_H[i * padded(k) + j] = H(Eigen::Index(i), Eigen::Index(j));
  }
};

/// Least squares on a set of predictors.
Vector refitted(const Regressions& all, Eigen::Index column, const std::vector<Eigen::Index>& set) {
  Vector b = Vector::Zero(all.H.rows());
  if (set.empty()) return b;
  const Matrix H = all.H(set, set);
  const Vector c = all.C(set, column);
  const Vector found = solve(Eigen::LLT<Matrix>(H), c).col(0);
  for (std::size_t k = 0; k < set.size(); ++k) b[set[k]] = found[Eigen::Index(k)];
  return b;
}

/// The set along the lasso's path whose refit has the smallest extended BIC.
Vector best_column(const Regressions& all, Eigen::Index column, double variance, double gamma) {
  const Vector c = all.C.col(column);
  const auto k = std::size_t(c.size());
  AlignedVector start(padded(k), 0.0), penalty(padded(k), 0.0), target(padded(k), 0.0);
  std::copy(c.begin(), c.end(), target.begin());
  LassoWorkspace workspace;
  const double top = std::max(c.cwiseAbs().maxCoeff(), 1e-12);
  Vector best = Vector::Zero(c.size());
  double least = all.m * std::log(variance);
  std::vector<Eigen::Index> before;
  for (const double lambda : log_spaced(top, kSmallestPenalty * top, kPenalties)) {
    std::fill_n(penalty.begin(), k, lambda);
    lasso({k, all.padded_H.data(), target.data(), penalty.data()}, 1e-10, start.data(), workspace);
    std::vector<Eigen::Index> set;
    for (std::size_t l = 0; l < k; ++l)
      if (start[l] != 0) set.push_back(Eigen::Index(l));
    if (set == before || double(set.size()) > all.m / 2) continue;
    before = set;
    const Vector b = refitted(all, column, set);
    const double rss = variance - 2 * c.dot(b) + b.dot(Vector(all.H * b));
    const double count = double(set.size());
    const double bic = all.m * std::log(std::max(rss, 1e-12 * variance)) + count * std::log(all.m) +
                       2 * gamma * count * std::log(all.p);
    if (bic < least) least = bic, best = b;
  }
  return best;
}

/// Least squares of the effects that `keep` says are there (p x p, not 0).
Matrix effects_kept(const Matrix& X, const Matrix& Y, const Matrix& keep) {
  const Regressions all(X, Y);
  Matrix B = Matrix::Zero(X.cols(), Y.cols());
  for (Eigen::Index j = 0; j < Y.cols(); ++j) {
    std::vector<Eigen::Index> set;
    for (Eigen::Index i = 0; i < X.cols(); ++i)
      if (keep(i, j) != 0) set.push_back(i);
    B.col(j) = refitted(all, j, set);
  }
  return B;
}

}  // namespace

Matrix unbiased_effects(const LaggedRows& rows, const RowList& places, const Matrix& keep) {
  const Matrix B = effects_kept(rows.X(places, Eigen::all), rows.Y(places, Eigen::all), keep);
  RowList inside;
  for (const std::uint32_t k : places)
    if (rows.in_half[k]) inside.push_back(k);
  if (Eigen::Index(inside.size()) < rows.X.cols() + 2) return B;
  return 2 * B -
         effects_kept(rows.X_half(inside, Eigen::all), rows.Y_half(inside, Eigen::all), keep);
}

SparseVar fit_sparse_var(const Matrix& X, const Matrix& Y, double gamma) {
  if (X.rows() != Y.rows() || X.rows() < 2)
    throw Error("fit_sparse_var: X and Y have the same rows, two or more");
  const Regressions all(X, Y);
  SparseVar out;
  out.B = Matrix::Zero(X.cols(), Y.cols());
  for (Eigen::Index j = 0; j < Y.cols(); ++j) {
    const double variance = Y.col(j).squaredNorm() / double(Y.rows());
    if (variance > 0) out.B.col(j) = best_column(all, j, variance, gamma);
  }
  out.residuals = Y - times(X, out.B);
  return out;
}

}  // namespace spodnet
