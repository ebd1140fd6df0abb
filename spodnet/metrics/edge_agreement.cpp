#include "spodnet/metrics/edge_agreement.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "spodnet/core/error.hpp"
#include "spodnet/metrics/edge.hpp"

namespace spodnet {
namespace {

/// The pairs i > j, row by row.
Vector pairs_of(const MatrixRef& partial) {
  const Eigen::Index p = partial.rows();
  Vector rho(p * (p - 1) / 2);
  for (Eigen::Index i = 0, at = 0; i < p; ++i)
    for (Eigen::Index j = 0; j < i; ++j) rho[at++] = partial(i, j);
  return rho;
}

/// Which pairs are among the `top` strongest.
std::vector<bool> strongest(const Vector& rho, std::size_t top) {
  std::vector<std::size_t> order(std::size_t(rho.size()));
  std::iota(order.begin(), order.end(), std::size_t(0));
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return std::abs(rho[Eigen::Index(a)]) > std::abs(rho[Eigen::Index(b)]);
  });
  std::vector<bool> chosen(order.size());
  for (std::size_t k = 0; k < top; ++k) chosen[order[k]] = true;
  return chosen;
}

double correlation(const Vector& a, const Vector& b) {
  const Vector x = a.array() - a.mean(), y = b.array() - b.mean();
  return x.dot(y) / (x.norm() * y.norm());
}

}  // namespace

Matrix partial_correlations(const MatrixRef& A, const MatrixRef& Theta) {
  const Vector scale = Theta.diagonal().cwiseSqrt().cwiseInverse();
  Matrix rho = Matrix::Identity(A.rows(), A.cols());
  for (Eigen::Index i = 0; i < A.rows(); ++i)
    for (Eigen::Index j = 0; j < i; ++j)
      rho(i, j) = rho(j, i) = A(i, j) == 0 ? 0 : -A(i, j) * scale[i] * scale[j];
  return rho;
}

EdgeAgreement edge_agreement(const MatrixRef& partial_a, const MatrixRef& partial_b) {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  if (partial_a.rows() != partial_a.cols() || partial_b.rows() != partial_a.rows() ||
      partial_b.cols() != partial_a.cols())
    throw Error(fmt::format("edge_agreement: {} x {} and {} x {} are not square and of one size",
                            partial_a.rows(), partial_a.cols(), partial_b.rows(),
                            partial_b.cols()));
  const Vector a = pairs_of(partial_a), b = pairs_of(partial_b);
  EdgeAgreement out;
  std::size_t either = 0, same_sign = 0, both_top = 0;
  for (Eigen::Index k = 0; k < a.size(); ++k) {
    out.edges_a += is_edge(a[k]);
    out.edges_b += is_edge(b[k]);
    out.common += is_edge(a[k]) && is_edge(b[k]);
    either += is_edge(a[k]) || is_edge(b[k]);
    same_sign += is_edge(a[k]) && is_edge(b[k]) && (a[k] > 0) == (b[k] > 0);
  }
  out.jaccard = either > 0 ? double(out.common) / double(either) : 1;
  out.sign_agreement = out.common > 0 ? double(same_sign) / double(out.common) : nan;
  out.top = std::min(out.edges_a, out.edges_b);
  const auto top_a = strongest(a, out.top), top_b = strongest(b, out.top);
  for (std::size_t k = 0; k < top_a.size(); ++k) both_top += top_a[k] && top_b[k];
  out.top_overlap = out.top > 0 ? double(both_top) / double(out.top) : nan;
  out.correlation = a.size() > 0 ? correlation(a, b) : nan;
  return out;
}

}  // namespace spodnet
