#pragma once

#include "spodnet/core/random.hpp"
#include "spodnet/core/types.hpp"

namespace spodnet::test {

inline Matrix random_matrix(Eigen::Index rows, Eigen::Index cols, std::uint64_t seed) {
  RandomStream random(seed);
  Matrix A(rows, cols);
  for (Eigen::Index i = 0; i < rows; ++i)
    for (Eigen::Index j = 0; j < cols; ++j) A(i, j) = random.normal();
  return A;
}

inline Matrix random_spd(Eigen::Index p, std::uint64_t seed) {
  const Matrix B = random_matrix(p, p, seed);
  return B * B.transpose() / double(p) + 0.5 * Matrix::Identity(p, p);
}

inline Matrix random_symmetric(Eigen::Index p, std::uint64_t seed) {
  const Matrix B = random_matrix(p, p, seed);
  return B + B.transpose();
}

}  // namespace spodnet::test
