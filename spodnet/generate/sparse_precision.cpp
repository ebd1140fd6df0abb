#include "spodnet/generate/sparse_precision.hpp"

#include <fmt/format.h>

#include <cmath>
#include <numeric>
#include <vector>

#include "spodnet/core/error.hpp"

namespace spodnet {
namespace {

void check(const SparsePrecisionOptions& options) {
  if (options.p < 1) throw Error("make_sparse_precision: p must be at least 1");
  if (!(options.alpha >= 0 && options.alpha <= 1))
    throw Error(
        fmt::format("make_sparse_precision: alpha is {}, it must lie in [0, 1]", options.alpha));
  if (!(std::isfinite(options.smallest) && std::isfinite(options.largest) &&
        options.smallest <= options.largest))
    throw Error(fmt::format("make_sparse_precision: entries from {} to {} is not a finite range",
                            options.smallest, options.largest));
  if (!(options.diagonal_shift >= 0 && std::isfinite(options.diagonal_shift)))
    throw Error(fmt::format("make_sparse_precision: diagonal shift {} must be finite and >= 0",
                            options.diagonal_shift));
}

}  // namespace

Matrix draw_factor(const SparsePrecisionOptions& options, RandomStream& random) {
  check(options);
  const auto p = Eigen::Index(options.p);
  Matrix A = Matrix::Zero(p, p);
  for (Eigen::Index i = 1; i < p; ++i)
    for (Eigen::Index j = 0; j < i; ++j)
      if (random.uniform() >= options.alpha) {
        A(i, j) = random.uniform(options.smallest, options.largest);
        A(i, j) *= draw_sign(options.signs, random);
      }
  return A;
}

Matrix precision_from_factor(const Matrix& A, std::span<const std::uint32_t> permutation,
                             double diagonal_shift) {
  const Eigen::Index p = A.rows();
  if (A.cols() != p || permutation.size() != std::size_t(p))
    throw Error("precision_from_factor: A must be p x p and the permutation of length p");
  Matrix Theta = Matrix::Zero(p, p);
  std::vector<Eigen::Index> support;
  Vector row(p);  // row i of L, of which few entries are not zero
  for (Eigen::Index i = 0; i < p; ++i) {
    support.clear();
    for (Eigen::Index j = 0; j < p; ++j) {
      row[j] = A(permutation[j], permutation[i]) - (i == j ? 1.0 : 0.0);
      if (row[j] != 0) support.push_back(j);
    }
    for (const Eigen::Index a : support)
      for (const Eigen::Index b : support) Theta(a, b) += row[a] * row[b];
  }
  Theta.diagonal().array() += diagonal_shift;
  return Theta;
}

Matrix make_sparse_precision(const SparsePrecisionOptions& options, RandomStream& random) {
  const Matrix A = draw_factor(options, random);
  std::vector<std::uint32_t> permutation(options.p);
  std::iota(permutation.begin(), permutation.end(), 0u);
  random.shuffle(permutation);
  return precision_from_factor(A, permutation, options.diagonal_shift);
}

}  // namespace spodnet
