#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "spodnet/core/parallel.hpp"
#include "spodnet/core/status.hpp"
#include "spodnet/core/types.hpp"
#include "spodnet/estimators/cv_folds.hpp"

namespace spodnet {

/// A precision matrix put together from columns that were estimated one by one.
struct ColumnsResult {
  Matrix Theta;                ///< exactly symmetric, exact zeros, positive definite
  Matrix W;                    ///< its inverse
  Status status = Status::ok;  ///< not_spd: the symmetric matrix was not, `shift` made it so;
                               ///< not_converged: a column has no solution, or not well enough
  double lambda = 0;
  double smallest = 0;   ///< of a matrix that was not SPD: its smallest eigenvalue
  double shift = 0;      ///< what was added to the diagonal for that
  double violation = 0;  ///< of the conditions of the columns, the largest
  double residual = 0;   ///< ||Theta W - I||_F
};

/// The largest violation of columns that count as solved.
inline constexpr double kWorstOfColumns = 1e-6;

/// Of B_ij and B_ji the one smaller in magnitude (Cai, Liu, Luo 2011, (2)); row j of B is the
/// estimate of column j. A matrix that is then not SPD gets the multiple of I that makes its
/// smallest eigenvalue 1e-3 of its largest.
ColumnsResult join_columns(const Matrix& B, double lambda);

/// One result for each of the decreasing lambdas, of the covariance of n samples.
using ColumnsPath = std::function<std::vector<ColumnsResult>(const Matrix& S, double n,
                                                             std::span<const double> lambdas)>;

struct ColumnsCvOptions {
  int folds = 5;        ///< consecutive samples, not shuffled
  int count = 20;       ///< lambdas, from lambda_max down ...
  double ratio = 0.05;  ///< ... to this share of it
  ThreadPool* pool = nullptr;
};

struct ColumnsCvResult {
  std::vector<CvScore> scores;  ///< lambda decreasing
  ColumnsResult fit;            ///< to all samples, at the lambda of the largest mean score
};

/// Lambda by the held-out likelihood (cv_folds.hpp) of what `path` gives, X being n x p. A lambda
/// at which a fold's columns have no solution counts as -infinity there.
[[nodiscard]] ColumnsCvResult choose_columns(const MatrixRef& X, double lambda_max,
                                             const ColumnsPath& path,
                                             const ColumnsCvOptions& options);

}  // namespace spodnet
