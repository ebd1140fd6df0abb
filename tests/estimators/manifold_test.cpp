#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <Eigen/LU>
#include <Eigen/QR>
#include <cmath>

#include "estimators/random_matrices.hpp"
#include "spodnet/estimators/elliptical_cost.hpp"
#include "spodnet/estimators/factor_manifold.hpp"
#include "spodnet/estimators/spd_manifold.hpp"

namespace spodnet::test {
namespace {

using Point = FactorManifold::Point;
using Tangent = FactorManifold::Tangent;

constexpr Eigen::Index kSize = 7, kRank = 3;

Point random_point(std::uint64_t seed) {
  const Eigen::HouseholderQR<Matrix> qr(random_matrix(kSize, kRank, seed));
  return {qr.householderQ() * Matrix::Identity(kSize, kRank), random_spd(kRank, seed + 1),
          random_matrix(kSize, 1, seed + 2).array().abs() + 0.3};
}

Tangent random_ambient(std::uint64_t seed) {
  return {random_matrix(kSize, kRank, seed), random_matrix(kRank, kRank, seed + 1),
          random_matrix(kSize, 1, seed + 2)};
}

double norm(const Tangent& a) {
  return std::sqrt(a.U.squaredNorm() + a.L.squaredNorm() + a.d.squaredNorm());
}

double distance(const Tangent& a, const Tangent& b) {
  return norm(FactorManifold::combine(1, a, -1, b));
}

/// Velocity of the orbit x O(t), O(0) = I, O'(0) = skew Omega: invisible in Sigma.
Tangent vertical(const Point& x, const Matrix& Omega) {
  return {x.U * Omega, x.L * Omega - Omega * x.L, Vector::Zero(kSize)};
}

Matrix random_skew(std::uint64_t seed) {
  const Matrix A = random_matrix(kRank, kRank, seed);
  return A - A.transpose();
}

TEST(FactorManifold, TangentProjectionIsTangentAndIdempotent) {
  const FactorManifold manifold;
  const Point x = random_point(1);
  const Tangent t = manifold.project_tangent(x, random_ambient(2));
  EXPECT_LT(symmetric_part(x.U.transpose() * t.U).norm(), 1e-14);
  EXPECT_LT((t.L - t.L.transpose()).norm(), 1e-15);
  EXPECT_LT(distance(manifold.project_tangent(x, t), t), 1e-14);
}

TEST(FactorManifold, HorizontalProjectionIsOrthogonalToTheOrbit) {
  const FactorManifold manifold;
  const Point x = random_point(1);
  const Tangent t = manifold.project_tangent(x, random_ambient(2));
  const Tangent h = manifold.project_horizontal(x, t);
  for (std::uint64_t seed = 5; seed < 10; ++seed)
    EXPECT_NEAR(manifold.inner(x, h, vertical(x, random_skew(seed))), 0, 1e-13);
  EXPECT_LT(distance(manifold.project_horizontal(x, h), h), 1e-13);
  // What was taken away is vertical: the covariance moves the same way.
  const auto moves = [&](const Tangent& v) -> Matrix {
    const Matrix half = v.U * x.L * x.U.transpose();
    return half + half.transpose() + x.U * v.L * x.U.transpose() + Matrix(v.d.asDiagonal());
  };
  EXPECT_LT((moves(t) - moves(h)).norm(), 1e-13);
  EXPECT_GT(distance(t, h), 0.1);
  EXPECT_LT(norm(manifold.project_horizontal(x, vertical(x, random_skew(3)))), 1e-13);
}

TEST(FactorManifold, TransportLandsInTheHorizontalSpace) {
  const FactorManifold manifold;
  const Point x = random_point(1), x_next = random_point(7);
  const Tangent h = manifold.project_horizontal(x, manifold.project_tangent(x, random_ambient(2)));
  const Tangent moved = manifold.transport(x, x_next, h);
  EXPECT_LT(symmetric_part(x_next.U.transpose() * moved.U).norm(), 1e-14);
  EXPECT_NEAR(manifold.inner(x_next, moved, vertical(x_next, random_skew(4))), 0, 1e-13);
  EXPECT_LT(distance(manifold.transport(x, x, h), h), 1e-13);
}

TEST(FactorManifold, RetractionStaysOnTheManifold) {
  const FactorManifold manifold;
  const Point x = random_point(1);
  const Tangent t = manifold.project_tangent(x, random_ambient(2));
  for (double step : {1e-3, 1.0, 30.0}) {
    const Point y = manifold.retract(x, FactorManifold::combine(step, t, 0, t));
    EXPECT_LT((y.U.transpose() * y.U - Matrix::Identity(kRank, kRank)).norm(), 1e-12) << step;
    EXPECT_EQ(Eigen::LLT<Matrix>(y.L).info(), Eigen::Success) << step;
    EXPECT_GT(y.d.minCoeff(), 0) << step;
    const Matrix polar = x.U + step * t.U;  // polar factor: U+' (U + xi) is symmetric positive
    const Matrix stretch = y.U.transpose() * polar;
    EXPECT_LT((stretch - stretch.transpose()).norm(), 1e-11 * stretch.norm()) << step;
    EXPECT_LT((y.U * stretch - polar).norm(), 1e-11 * polar.norm()) << step;
  }
}

TEST(FactorManifold, RetractionStartsAlongTheTangent) {
  const FactorManifold manifold;
  const Point x = random_point(1);
  const Tangent t = manifold.project_tangent(x, random_ambient(2));
  const double h = 1e-6;
  const Point plus = manifold.retract(x, FactorManifold::combine(h, t, 0, t));
  const Point minus = manifold.retract(x, FactorManifold::combine(-h, t, 0, t));
  const Tangent velocity{(plus.U - minus.U) / (2 * h), (plus.L - minus.L) / (2 * h),
                         (plus.d - minus.d) / (2 * h)};
  EXPECT_LT(distance(velocity, t), 1e-8);
}

TEST(FactorManifold, GradientIsTheSlopeAndHorizontal) {
  const FactorManifold manifold;
  const EllipticalCost cost{.X = random_matrix(12, kSize, 3), .lambda = 0.4, .eps = 0.1};
  const Point x = random_point(1);
  const Tangent g = manifold.gradient(x, cost.gradient(FactorManifold::covariance(x)));
  EXPECT_LT(distance(manifold.project_tangent(x, g), g), 1e-12 * norm(g));
  EXPECT_LT(distance(manifold.project_horizontal(x, g), g), 1e-12 * norm(g));
  const auto f = [&](const Point& y) { return cost.value(FactorManifold::covariance(y)); };
  for (std::uint64_t seed = 20; seed < 25; ++seed) {
    const Tangent t = manifold.project_tangent(x, random_ambient(seed));
    const double h = 1e-6;
    const double slope = (f(manifold.retract(x, FactorManifold::combine(h, t, 0, t))) -
                          f(manifold.retract(x, FactorManifold::combine(-h, t, 0, t)))) /
                         (2 * h);
    EXPECT_NEAR(manifold.inner(x, g, t), slope, 1e-6 * std::abs(slope) + 1e-7);
  }
}

TEST(SpdManifold, RetractionIsPositiveAndOfSecondOrder) {
  const SpdManifold manifold;
  const Matrix Sigma = random_spd(kSize, 1), A = random_symmetric(kSize, 2);
  for (double step : {1.0, 100.0})
    EXPECT_EQ(Eigen::LLT<Matrix>(manifold.retract(Sigma, step * A)).info(), Eigen::Success);
  // the geodesic is Sigma + A + A Sigma^{-1} A / 2 up to third order
  const double h = 1e-2;
  const Matrix expected = Sigma + h * A + 0.5 * h * h * A * Sigma.inverse() * A;
  EXPECT_LT((manifold.retract(Sigma, h * A) - expected).norm(), 1e-12);
}

TEST(SpdManifold, TransportIsAnIsometryAndCarriesTheIdentity) {
  const SpdManifold manifold;
  const Matrix Sigma = random_spd(kSize, 1), Sigma_next = random_spd(kSize, 5);
  const Matrix A = random_symmetric(kSize, 2), B = random_symmetric(kSize, 3);
  const Matrix A_next = manifold.transport(Sigma, Sigma_next, A);
  const Matrix B_next = manifold.transport(Sigma, Sigma_next, B);
  EXPECT_NEAR(manifold.inner(Sigma, A, B), manifold.inner(Sigma_next, A_next, B_next), 1e-10);
  EXPECT_LT((manifold.transport(Sigma, Sigma_next, Sigma) - Sigma_next).norm(), 1e-12);
  EXPECT_LT((manifold.transport(Sigma, Sigma, A) - A).norm(), 1e-12);
}

TEST(SpdManifold, InnerIsTheDefinitionAndGradientTheSlope) {
  const SpdManifold manifold;
  const Matrix Sigma = random_spd(kSize, 1), A = random_symmetric(kSize, 2),
               B = random_symmetric(kSize, 3);
  const Matrix inverse = Sigma.inverse();
  EXPECT_NEAR(manifold.inner(Sigma, A, B), (inverse * A * inverse * B).trace(), 1e-10);
  const Matrix G = random_symmetric(kSize, 4);  // <grad, A>_Sigma = <G, A>
  EXPECT_NEAR(manifold.inner(Sigma, manifold.gradient(Sigma, G), A), G.cwiseProduct(A).sum(),
              1e-10);
}

}  // namespace
}  // namespace spodnet::test
