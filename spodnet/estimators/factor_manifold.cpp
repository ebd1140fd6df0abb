#include "spodnet/estimators/factor_manifold.hpp"

#include <Eigen/Eigenvalues>

#include "spodnet/core/products.hpp"
#include "spodnet/estimators/spd_manifold.hpp"

namespace spodnet {

Matrix FactorManifold::covariance(const Point& x) {
  Matrix Sigma = symmetric_part(times_transpose(times(x.U, x.L), x.U));
  Sigma.diagonal() += x.d;
  return Sigma;
}

double FactorManifold::inner(const Point& x, const Tangent& a, const Tangent& b) const {
  const Matrix aU = transpose_times(x.U, a.U), bU = transpose_times(x.U, b.U);
  const double on_stiefel = a.U.cwiseProduct(b.U).sum() - 0.5 * aU.cwiseProduct(bU).sum();
  const double on_scales = (a.d.array() * b.d.array() / x.d.array().square()).sum();
  return on_stiefel + SpdManifold().inner(x.L, a.L, b.L) + on_scales;
}

FactorManifold::Tangent FactorManifold::gradient(const Point& x, const Matrix& G) const {
  const Matrix GU = times(G, x.U);
  const Matrix g_U = 2 * times(GU, x.L);
  const Matrix g_L = symmetric_part(transpose_times(x.U, GU));
  return {g_U - times(x.U, transpose_times(g_U, x.U)), SpdManifold().gradient(x.L, g_L),
          x.d.array().square() * G.diagonal().array()};
}

FactorManifold::Tangent FactorManifold::project_tangent(const Point& x, const Tangent& V) const {
  return {V.U - times(x.U, symmetric_part(transpose_times(x.U, V.U))), symmetric_part(V.L), V.d};
}

FactorManifold::Tangent FactorManifold::project_horizontal(const Point& x, const Tangent& V) const {
  // In the eigenbasis of L = Q diag(s) Q' the equation for W is diagonal; its factor is >= 1.
  const Eigen::SelfAdjointEigenSolver<Matrix> eigen(x.L);
  const Matrix Q = eigen.eigenvectors();
  const Vector s = eigen.eigenvalues();
  const Matrix rotation = times(transpose_times(Q, transpose_times(x.U, V.U)), Q);
  const Matrix stretch = times(transpose_times(Q, V.L), Q);
  Matrix W(s.size(), s.size());
  for (Eigen::Index i = 0; i < s.size(); ++i)
    for (Eigen::Index j = 0; j < s.size(); ++j)
      W(i, j) = (rotation(i, j) + 2 * stretch(i, j) * (1 / s[j] - 1 / s[i])) /
                (-3 + 2 * (s[j] / s[i] + s[i] / s[j]));
  W = times_transpose(times(Q, 0.5 * (W - W.transpose())), Q);
  return {V.U - times(x.U, W), symmetric_part(V.L + times(W, x.L) - times(x.L, W)), V.d};
}

FactorManifold::Point FactorManifold::retract(const Point& x, const Tangent& xi) const {
  const Matrix M = x.U + xi.U;  // M'M = I + xi_U' xi_U: its inverse root is harmless
  const Eigen::SelfAdjointEigenSolver<Matrix> gram(transpose_times(M, M));
  return {times(M, gram.operatorInverseSqrt()), SpdManifold().retract(x.L, xi.L),
          x.d.array() + xi.d.array() + 0.5 * xi.d.array().square() / x.d.array()};
}

FactorManifold::Tangent FactorManifold::transport(const Point&, const Point& x_next,
                                                  const Tangent& xi) const {
  return project_horizontal(x_next, project_tangent(x_next, xi));
}

}  // namespace spodnet
