#include "spodnet/metrics/edge.hpp"

#include <fmt/format.h>

#include "spodnet/core/error.hpp"

namespace spodnet {
namespace {

void check_square(const MatrixRef& Theta) {
  if (Theta.rows() != Theta.cols())
    throw Error(fmt::format("edges: {} x {} is not a square matrix", Theta.rows(), Theta.cols()));
}

}  // namespace

std::vector<EdgePlace> edges_of(const MatrixRef& Theta) {
  check_square(Theta);
  std::vector<EdgePlace> edges;
  for (Eigen::Index i = 0; i < Theta.rows(); ++i)
    for (Eigen::Index j = i + 1; j < Theta.cols(); ++j)
      if (is_edge(Theta, i, j)) edges.push_back({i, j});
  return edges;
}

std::size_t count_edges(const MatrixRef& Theta) {
  check_square(Theta);
  std::size_t edges = 0;
  for (Eigen::Index i = 0; i < Theta.rows(); ++i)
    for (Eigen::Index j = 0; j < i; ++j) edges += is_edge(Theta, i, j);
  return edges;
}

double density(const MatrixRef& Theta) {
  const double edges = double(count_edges(Theta)), p = double(Theta.rows());
  return p > 1 ? edges / (p * (p - 1) / 2) : 0;
}

}  // namespace spodnet
