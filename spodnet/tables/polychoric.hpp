#pragma once

#include <cstdint>
#include <vector>

#include "spodnet/core/types.hpp"
#include "spodnet/tables/bivariate_normal.hpp"

namespace spodnet {

// Correlations of the Gaussian variables behind ordered categories (polychoric; of two binary ones
// tetrachoric). Two steps: cut points from each margin, then rho by maximum likelihood.

/// An ordered column: level 0, 1, ... of each row (-1: missing), and what the Gaussian variable
/// behind it looks like.
struct OrderedColumn {
  std::vector<int> level;
  std::vector<double> share;  ///< of each level among the values observed, all positive
  std::vector<double> cut;    ///< levels + 1 cut points Phi^{-1}(cumulated share), -inf to inf
  std::vector<double> below;  ///< Phi of each cut point: 0 to 1
  std::vector<double> score;  ///< mean of the Gaussian variable in each level
  double information = 1;     ///< sum share * score^2 <= 1: what the levels keep of it; the
                              ///< correlation of two ordered columns near 0 is known as if from
                              ///< n times the product of theirs
  std::vector<std::uint64_t> rows;  ///< of each level: a bit for each row that has it
  std::size_t levels() const { return share.size(); }
};

/// Levels are the different values in ascending order; `weight` (empty: all 1) per row.
OrderedColumn ordered_column(const Eigen::Ref<const Vector>& values, const Vector& weight = {});

/// Correlations of pairs of ordered columns, one after another in the same memory.
class Polychoric {
 public:
  /// `weight` of each row (empty: all 1) must stay.
  explicit Polychoric(const Vector& weight) : weight_(weight) {}

  /// rho that maximises sum_ab counts_ab log P_ab(rho), counts_ab the rows that have both levels,
  /// P_ab the probability of the cell between the cut points, by Newton's method (Fisher's scoring
  /// where the curvature is no guide) from `start` inside a bracket of the score's sign; |rho| at
  /// most 0.9999. An empty corner (below), of a 2 x 2 table an empty cell, counts 1/2 or, if that
  /// is less, what independence expects there: rho would be 1 or -1 otherwise. Cost: about 30
  /// exponentials for each pair of cut points.
  double operator()(const OrderedColumn& a, const OrderedColumn& b, double start = 0);

  /// How many rows independence expects in the empty corners of a pair, 0 without one. Corners are
  /// the quadrants of the table when each column is split at the cut point nearest to its median
  /// (of two equally near, what lies between is in none); an empty one is empty in every resample
  /// too.
  double empty_corners(const OrderedColumn& a, const OrderedColumn& b);

  /// Of the last pair: rows of the Gaussian variables whose correlation would be known as well,
  /// (1 - rho^2)^2 over the asymptotic variance of rho, the inverse of Fisher's information.
  double effective_rows() const { return effective_; }

 private:
  /// Derivatives of the log-likelihood, and Fisher's information.
  struct Slopes {
    double slope = 0, curvature = 0, information = 0;
  };

  void count(const OrderedColumn& a, const OrderedColumn& b);
  void fill_corner(Eigen::Index top, Eigen::Index left, Eigen::Index rows, Eigen::Index cols);
  void fill_corners(const OrderedColumn& a, const OrderedColumn& b);
  void set_cells(const OrderedColumn& a, const OrderedColumn& b);
  Slopes at(double rho);

  const Vector& weight_;
  Matrix counts_;
  double n_ = 0;            ///< their sum
  double effective_ = 0;    ///< rows, as effective_rows
  double expected_ = 0;     ///< in empty corners
  Vector in_row_, in_col_;  ///< sums of the counts
  BivariateNormal inner_;
  Matrix P_, d_P_, dd_P_;  ///< of all below cut points a and b, the infinite ones included
};

}  // namespace spodnet
