#pragma once

#include <vector>

#include "spodnet/core/aligned.hpp"
#include "spodnet/core/types.hpp"

namespace spodnet {

/// What the columns of one S share: its rows, padded, and a shift of every bound by up to 1e-10 of
/// itself, so that no two of them are met at the same lambda (equal columns, whole numbers).
struct ClimeProblem {
  explicit ClimeProblem(const MatrixRef& S);

  const double* row(Eigen::Index i) const { return rows.data() + std::size_t(i) * ld; }

  Eigen::Index p;
  std::size_t ld;  ///< numbers from row to row
  AlignedVector rows;
  Vector bound, cost;  ///< |S b - e_j|_i <= lambda bound_i, cost'|b|
};

/// Column j of CLIME for lambda falling from 1, a linear programme and its dual:
///   minimise ||b||_1 over |S b - e_j|_i <= lambda;
///   maximise y_j - lambda ||y||_1 over |S y|_l <= 1.
/// Between two bends the solution is linear in lambda: the active constraints `rows` and the
/// non-zeros `columns`, as many of each, fix it. At a bend one of them enters or leaves (parametric
/// simplex). Cost of a bend with k non-zeros: 8 p k + 8 k^2 flops.
class ClimeColumn {
 public:
  ClimeColumn(const ClimeProblem& problem, Eigen::Index j);

  /// Follows the solution down to lambda. False when no b meets the constraints that far down (S is
  /// singular) or rounding stops the walk: the solution is then that of the last lambda reached.
  bool move_to(double lambda);
  double lambda() const { return lambda_; }

  Vector primal() const;  ///< b, exact zeros
  Vector dual() const;    ///< y

 private:
  struct Entering;  // what breaks the balance of rows and columns at a bend
  void refresh();   // the inverse of S(rows, columns) again
  void add(Eigen::Index i, Eigen::Index l);
  void drop(std::size_t row, std::size_t column);
  void replace_row(std::size_t row, Eigen::Index i);
  void replace_column(std::size_t column, Eigen::Index l);
  bool pivot(const Entering& entering);
  Vector part(Eigen::Index i, const std::vector<Eigen::Index>& at) const;
  void combine(const std::vector<Eigen::Index>& rows, const Vector& x, AlignedVector& out) const;

  const ClimeProblem& problem_;
  Eigen::Index j_;
  double lambda_ = 1;
  bool ended_ = false;
  int changes_ = 0;  // of the inverse since it was computed
  std::vector<Eigen::Index> rows_, columns_;
  std::vector<double> row_signs_, column_signs_;  // of S b - e_j (reversed) and of b
  Matrix inverse_;                                // of S(rows, columns)
  AlignedVector r_, g_, q_, h_;
};

}  // namespace spodnet
