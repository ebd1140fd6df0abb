#pragma once

#include <Eigen/LU>

#include "spodnet/core/random.hpp"
#include "spodnet/core/tri_matrix.hpp"
#include "spodnet/core/types.hpp"

namespace spodnet::test {

inline Matrix random_matrix(Eigen::Index rows, Eigen::Index cols, RandomStream& random) {
  return Matrix::NullaryExpr(rows, cols, [&] { return random.normal(); });
}

/// I + A A' / p, exactly symmetric: condition about 5.
inline Matrix random_spd(std::size_t p, RandomStream& random) {
  const auto n = Eigen::Index(p);
  const Matrix A = random_matrix(n, n, random);
  const Matrix B = Matrix::Identity(n, n) + A * A.transpose() / double(p);
  return (B + B.transpose()) / 2;
}

inline TriMatrix tri_matrix(const Matrix& A) {
  TriMatrix T(std::size_t(A.rows()));
  T.assign(A.data(), T.p());
  return T;
}

inline Matrix dense(const TriMatrix& T) {
  Matrix A(T.p(), T.p());
  for (std::size_t r = 0; r < T.p(); ++r)
    for (std::size_t c = 0; c <= r; ++c)
      A(Eigen::Index(r), Eigen::Index(c)) = A(Eigen::Index(c), Eigen::Index(r)) = T.row(r)[c];
  return A;
}

}  // namespace spodnet::test
