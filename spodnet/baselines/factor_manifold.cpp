#include "spodnet/baselines/factor_manifold.hpp"

#include <Eigen/Eigenvalues>

#include "spodnet/baselines/spd_manifold.hpp"

namespace spodnet {

Matrix FactorManifold::covariance(const Point& x) {
  Matrix Sigma = symmetric_part(x.U * x.L * x.U.transpose());
  Sigma.diagonal() += x.d;
  return Sigma;
}

double FactorManifold::inner(const Point& x, const Tangent& a, const Tangent& b) const {
  const Matrix aU = x.U.transpose() * a.U, bU = x.U.transpose() * b.U;
  const double on_stiefel = a.U.cwiseProduct(b.U).sum() - 0.5 * aU.cwiseProduct(bU).sum();
  const double on_scales = (a.d.array() * b.d.array() / x.d.array().square()).sum();
  return on_stiefel + SpdManifold().inner(x.L, a.L, b.L) + on_scales;
}

FactorManifold::Tangent FactorManifold::gradient(const Point& x, const Matrix& G) const {
  const Matrix GU = G * x.U;
  const Matrix g_U = 2 * GU * x.L;
  const Matrix g_L = symmetric_part(x.U.transpose() * GU);
  return {g_U - x.U * (g_U.transpose() * x.U), SpdManifold().gradient(x.L, g_L),
          x.d.array().square() * G.diagonal().array()};
}

FactorManifold::Tangent FactorManifold::project_tangent(const Point& x, const Tangent& V) const {
  return {V.U - x.U * symmetric_part(x.U.transpose() * V.U), symmetric_part(V.L), V.d};
}

FactorManifold::Tangent FactorManifold::project_horizontal(const Point& x, const Tangent& V) const {
  // In the eigenbasis of L = Q diag(s) Q' the equation for W is diagonal; its factor is >= 1.
  const Eigen::SelfAdjointEigenSolver<Matrix> eigen(x.L);
  const Matrix Q = eigen.eigenvectors();
  const Vector s = eigen.eigenvalues();
  const Matrix rotation = Q.transpose() * (x.U.transpose() * V.U) * Q;
  const Matrix stretch = Q.transpose() * V.L * Q;
  Matrix W(s.size(), s.size());
  for (Eigen::Index i = 0; i < s.size(); ++i)
    for (Eigen::Index j = 0; j < s.size(); ++j)
      W(i, j) = (rotation(i, j) + 2 * stretch(i, j) * (1 / s[j] - 1 / s[i])) /
                (-3 + 2 * (s[j] / s[i] + s[i] / s[j]));
  W = Q * (0.5 * (W - W.transpose())).eval() * Q.transpose();
  return {V.U - x.U * W, symmetric_part(V.L + W * x.L - x.L * W), V.d};
}

FactorManifold::Point FactorManifold::retract(const Point& x, const Tangent& xi) const {
  const Matrix M = x.U + xi.U;  // M'M = I + xi_U' xi_U: its inverse root is harmless
  const Eigen::SelfAdjointEigenSolver<Matrix> gram(M.transpose() * M);
  return {M * gram.operatorInverseSqrt(), SpdManifold().retract(x.L, xi.L),
          x.d.array() + xi.d.array() + 0.5 * xi.d.array().square() / x.d.array()};
}

FactorManifold::Tangent FactorManifold::transport(const Point&, const Point& x_next,
                                                  const Tangent& xi) const {
  return project_horizontal(x_next, project_tangent(x_next, xi));
}

}  // namespace spodnet
