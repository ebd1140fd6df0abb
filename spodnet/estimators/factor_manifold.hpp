#pragma once

#include "spodnet/core/types.hpp"

namespace spodnet {

/// Covariances of a factor model, Sigma = U L U' + diag(d), U in St(p, k), L in S++_k, d > 0:
/// the quotient of St x S++ x R+^p by the rotations (U, L, d) ~ (U O, O' L O, d).
/// Metric: <xi, eta> = tr(xi_U' (I - 1/2 U U') eta_U) + tr(L^{-1} xi_L L^{-1} eta_L)
///                     + sum_j xi_d,j eta_d,j / d_j^2.
struct FactorManifold {
  struct Point {
    Matrix U;  ///< p x k, orthonormal columns
    Matrix L;  ///< k x k, SPD
    Vector d;  ///< p, positive
  };
  struct Tangent {
    Matrix U, L;
    Vector d;
  };

  double inner(const Point& x, const Tangent& a, const Tangent& b) const;

  /// Riemannian gradient (g_U - U g_U' U, L sym(g_L) L, d^2 g_d) from the Euclidean gradient G in
  /// Sigma, through g_U = 2 G U L, g_L = U' G U, g_d = diag(G). It is horizontal.
  Tangent gradient(const Point& x, const Matrix& G) const;

  /// (V_U - U sym(U' V_U), sym(V_L), V_d)
  Tangent project_tangent(const Point& x, const Tangent& V) const;

  /// The part of a tangent vector orthogonal to the orbit of x:
  /// (V_U - U W, V_L + W L - L W, V_d), W skew with
  ///   -3 W + 2 (L^{-1} W L + L W L^{-1}) = U' V_U + 2 (V_L L^{-1} - L^{-1} V_L).
  Tangent project_horizontal(const Point& x, const Tangent& V) const;

  /// U: polar factor of U + xi_U; L: second order on S++; d (1 + t + t^2/2), t = xi_d / d.
  Point retract(const Point& x, const Tangent& xi) const;

  /// Tangent, then horizontal projection at the new point.
  Tangent transport(const Point& x, const Point& x_next, const Tangent& xi) const;

  /// a A + b B
  static Tangent combine(double a, const Tangent& A, double b, const Tangent& B) {
    return {a * A.U + b * B.U, a * A.L + b * B.L, a * A.d + b * B.d};
  }

  /// Sigma = U L U' + diag(d)
  static Matrix covariance(const Point& x);
};

}  // namespace spodnet
