#include "spodnet/metrics/largest_eigenvalue.hpp"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "spodnet/core/error.hpp"
#include "spodnet/core/random.hpp"

namespace spodnet {
namespace {

constexpr Eigen::Index kMaxSteps = 200;
constexpr double kTolerance = 1e-12;

Vector random_unit(Eigen::Index p) {
  RandomStream random(0);
  Vector v(p);
  for (double& x : v) x = random.normal();
  return v.normalized();
}

double largest_of_tridiagonal(const std::vector<double>& diagonal,
                              const std::vector<double>& subdiagonal) {
  const auto size = Eigen::Index(diagonal.size());
  Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> eigen;
  eigen.computeFromTridiagonal(Eigen::Map<const Vector>(diagonal.data(), size),
                               Eigen::Map<const Vector>(subdiagonal.data(), size - 1),
                               Eigen::EigenvaluesOnly);
  return eigen.eigenvalues()[size - 1];
}

}  // namespace

double largest_eigenvalue(const MatrixRef& A) {
  if (A.rows() < 1 || A.rows() != A.cols())
    throw Error("largest_eigenvalue: the matrix must be square and not empty");
  if (!A.allFinite()) return std::numeric_limits<double>::quiet_NaN();
  const Eigen::Index steps = std::min(A.rows(), kMaxSteps);
  Eigen::MatrixXd V(A.rows(), steps);
  V.col(0) = random_unit(A.rows());
  std::vector<double> diagonal, subdiagonal;
  double value = -std::numeric_limits<double>::infinity();
  for (Eigen::Index k = 0; k < steps; ++k) {
    Vector w = A * V.col(k);
    diagonal.push_back(V.col(k).dot(w));
    for (int pass = 0; pass < 2; ++pass)  // once is not enough near convergence
      w -= V.leftCols(k + 1) * (V.leftCols(k + 1).transpose() * w);
    const double before = value;
    value = largest_of_tridiagonal(diagonal, subdiagonal);
    const double left = w.norm();
    if (left <= kTolerance * std::abs(value) || value - before <= kTolerance * std::abs(value))
      break;
    subdiagonal.push_back(left);
    if (k + 1 < steps) V.col(k + 1) = w / left;
  }
  return value;
}

}  // namespace spodnet
