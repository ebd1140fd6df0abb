#include "spodnet/tables/row_blocks.hpp"

#include <Eigen/QR>
#include <algorithm>
#include <cmath>
#include <map>

#include "spodnet/core/products.hpp"
#include "spodnet/tables/pairwise.hpp"

namespace spodnet {
namespace {

constexpr double kExplained = 1e-12;  // of the variance: what is left is rounding

/// Standardised columns, 0 where missing.
Matrix standard_scores(const MatrixRef& X, const PairwiseCorrelation& pairs) {
  Matrix Z = X.rowwise() - pairs.mean.transpose();
  for (Eigen::Index j = 0; j < Z.cols(); ++j) Z.col(j) /= pairs.scale[j] > 0 ? pairs.scale[j] : 1.0;
  return Z.array().isNaN().select(0, Z);
}

/// The sum over a block's rows of their influence on every correlation.
Matrix influence_of(const Matrix& Z, const RowList& block, const Matrix& R) {
  Matrix rows(Eigen::Index(block.size()), Z.cols());
  for (std::size_t k = 0; k < block.size(); ++k) rows.row(Eigen::Index(k)) = Z.row(block[k]);
  Matrix u = transpose_times(rows, rows);
  const Vector squares = u.diagonal();
  for (Eigen::Index i = 0; i < u.rows(); ++i)
    for (Eigen::Index j = 0; j < u.cols(); ++j)
      u(i, j) -= 0.5 * R(i, j) * (squares[i] + squares[j]);
  return u;
}

}  // namespace

void RowFacts::keep(const std::vector<Eigen::Index>& kept) {
  if (weight.size() > 0) weight = Vector(weight(kept));
  if (covariates.size() > 0) covariates = Matrix(covariates(kept, Eigen::all));
  for (std::vector<std::uint32_t>* each : {&cluster, &group, &person}) {
    if (each->empty()) continue;
    std::vector<std::uint32_t> rest;
    for (const Eigen::Index i : kept) rest.push_back((*each)[std::size_t(i)]);
    *each = std::move(rest);
  }
}

std::vector<RowList> row_blocks(const RowFacts& facts, std::size_t n) {
  std::vector<RowList> blocks;
  if (!facts.cluster.empty()) {
    std::map<std::uint32_t, std::size_t> place;
    for (std::size_t i = 0; i < n; ++i) {
      const auto [found, fresh] = place.try_emplace(facts.cluster[i], blocks.size());
      if (fresh) blocks.emplace_back();
      blocks[found->second].push_back(std::uint32_t(i));
    }
  } else if (facts.block_length > 1) {
    const std::size_t length = std::min(facts.block_length, n);
    blocks.resize(n);
    for (std::size_t first = 0; first < n; ++first)
      for (std::size_t k = 0; k < length; ++k)
        blocks[first].push_back(std::uint32_t((first + k) % n));
  }
  return blocks;
}

RowList resampled_rows(const std::vector<RowList>& blocks, bool clusters, std::size_t n,
                       RandomStream random) {
  RowList rows;
  if (blocks.empty()) {
    for (std::size_t i = 0; i < n; ++i) rows.push_back(std::uint32_t(random.below(n)));
    return rows;
  }
  const auto more = [&](std::size_t drawn) {
    return clusters ? drawn < blocks.size() : rows.size() < n;
  };
  for (std::size_t drawn = 0; more(drawn); ++drawn) {
    const RowList& block = blocks[random.below(blocks.size())];
    rows.insert(rows.end(), block.begin(), block.end());
  }
  if (!clusters) rows.resize(n);
  return rows;
}

double design_effect(const MatrixRef& X, const std::vector<RowList>& blocks) {
  if (blocks.empty() || X.cols() < 2) return 1;
  const PairwiseCorrelation pairs = pairwise_correlation(X);
  const Matrix Z = standard_scores(X, pairs);
  const auto squares = [](const Matrix& u) { return u.squaredNorm() - u.diagonal().squaredNorm(); };
  double together = 0, alone = 0, drawn = 0;
  for (const RowList& block : blocks) {
    together += squares(influence_of(Z, block, pairs.R));
    drawn += double(block.size());
  }
  for (Eigen::Index i = 0; i < Z.rows(); ++i)
    alone += squares(influence_of(Z, {std::uint32_t(i)}, pairs.R));
  const double times = drawn / double(X.rows());  // that each row is in a block
  return alone > 0 ? std::max(1.0, together / times / alone) : 1;
}

Matrix adjusted_for(const MatrixRef& X, const Matrix& covariates) {
  Matrix out = X;
  for (Eigen::Index j = 0; j < X.cols(); ++j) {
    std::vector<Eigen::Index> seen;
    for (Eigen::Index i = 0; i < X.rows(); ++i)
      if (!std::isnan(X(i, j))) seen.push_back(i);
    Eigen::MatrixXd C(Eigen::Index(seen.size()), covariates.cols() + 1);
    C.col(0).setOnes();
    C.rightCols(covariates.cols()) = covariates(seen, Eigen::all);
    const Vector y = X.col(j)(seen);
    const Vector left = y - C * C.colPivHouseholderQr().solve(y);
    const double variance = (y.array() - y.mean()).matrix().squaredNorm();
    const bool explained = left.squaredNorm() <= kExplained * variance;
    for (std::size_t k = 0; k < seen.size(); ++k)
      out(seen[k], j) = y.mean() + (explained ? 0 : left[Eigen::Index(k)]);
  }
  return out;
}

}  // namespace spodnet
