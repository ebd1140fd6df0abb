#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "spodnet/core/random.hpp"
#include "spodnet/core/types.hpp"

namespace spodnet {

/// Places of rows.
using RowList = std::vector<std::uint32_t>;

/// Facts about the rows beside the variables; each is empty or has one entry per row.
struct RowFacts {
  Vector weight = {};                       ///< > 0: how many times a row counts
  std::vector<std::uint32_t> cluster = {};  ///< rows of one number depend on each other
  std::size_t block_length = 0;           ///< successive rows that depend on each other; 0: none do
  Matrix covariates = {};                 ///< n x k, regressed out of the variables
  std::vector<std::uint32_t> group = {};  ///< whose graph a row belongs to (difference), from 0
  std::vector<std::uint32_t> person = {};  ///< of paired groups: the person of each row
  /// The columns with these facts, by name or number from 1, and what they are ("the grouping
  /// column").
  std::vector<std::pair<std::string, std::string>> columns = {};

  bool depend() const { return !cluster.empty() || block_length > 1; }
  /// Keeps the rows of `kept`, in their order.
  void keep(const std::vector<Eigen::Index>& kept);
};

/// Rows that are drawn together: clusters in the order of their first rows, or for successive rows
/// all `length` rows from each row on, the last ones followed by the first. None that depend:
/// empty.
std::vector<RowList> row_blocks(const RowFacts& facts, std::size_t n);

/// A bootstrap resample. Without blocks n of n rows; of clusters as many as there are; of
/// successive rows as many blocks as give n rows, the last one cut.
RowList resampled_rows(const std::vector<RowList>& blocks, bool clusters, std::size_t n,
                       RandomStream random);

/// How much larger the variance of correlations is than if rows were independent (the design
/// effect), at least 1: with the influence of row k on r_ij, u_k = z_i z_j - r_ij (z_i^2 +
/// z_j^2)/2, the sum over blocks of (sum of their u)^2 over the sum of u^2, both summed over the
/// pairs; blocks of successive rows, which overlap, count 1/length each. X is n x p, in any units;
/// missing values (NaN) have no influence. n rows have the information of n over it independent
/// ones. Cost n p^2.
double design_effect(const MatrixRef& X, const std::vector<RowList>& blocks);

/// Each column of X minus its least-squares fit by the covariates (with a constant, by the rows
/// where it is observed), its mean kept; NaN stays. A column that the covariates explain wholly
/// becomes constant. Covariates are finite.
Matrix adjusted_for(const MatrixRef& X, const Matrix& covariates);

}  // namespace spodnet
