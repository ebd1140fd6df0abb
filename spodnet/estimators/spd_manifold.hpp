#pragma once

#include "spodnet/core/types.hpp"

namespace spodnet {

/// Symmetric positive definite matrices with the affine-invariant metric
///   <A, B>_Sigma = tr(Sigma^{-1} A Sigma^{-1} B).
/// Every operation costs a small multiple of p^3.
struct SpdManifold {
  using Point = Matrix;
  using Tangent = Matrix;

  double inner(const Point& Sigma, const Tangent& A, const Tangent& B) const;

  /// Riemannian gradient Sigma G Sigma of a function with Euclidean gradient G.
  Tangent gradient(const Point& Sigma, const Matrix& G) const;

  /// sym(Sigma + A + 1/2 A Sigma^{-1} A): of second order and always positive definite.
  Point retract(const Point& Sigma, const Tangent& A) const;

  /// Parallel transport E A E', E = (Sigma_next Sigma^{-1})^{1/2}.
  Tangent transport(const Point& Sigma, const Point& Sigma_next, const Tangent& A) const;

  /// a A + b B
  static Tangent combine(double a, const Tangent& A, double b, const Tangent& B) {
    return a * A + b * B;
  }
};

/// (A + A') / 2
Matrix symmetric_part(const Matrix& A);

}  // namespace spodnet
