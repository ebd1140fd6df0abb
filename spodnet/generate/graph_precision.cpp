#include "spodnet/generate/graph_precision.hpp"

#include <fmt/format.h>

#include <Eigen/Eigenvalues>
#include <cmath>

#include "spodnet/core/error.hpp"

namespace spodnet {
namespace {

constexpr double kSmallest = 0.1, kLargest = 0.9;

double draw_coupling(Signs signs, RandomStream& random) {
  const double magnitude = random.uniform(kSmallest, kLargest);
  return -draw_sign(signs, random) * magnitude;  // a positive partial correlation: Theta_ij < 0
}

}  // namespace

Matrix graph_couplings(std::size_t p, const Edges& edges, Signs signs, RandomStream& random) {
  Matrix B = Matrix::Zero(Eigen::Index(p), Eigen::Index(p));
  for (const Edge& e : edges) B(e.i, e.j) = B(e.j, e.i) = draw_coupling(signs, random);
  return B;
}

Matrix band_couplings(std::size_t p, std::size_t bandwidth, Signs signs, RandomStream& random) {
  Matrix B = Matrix::Zero(Eigen::Index(p), Eigen::Index(p));
  for (std::size_t lag = 1; lag <= bandwidth; ++lag) {
    const double c = draw_coupling(signs, random) / double(lag);
    B.diagonal(Eigen::Index(lag)).setConstant(c);
    B.diagonal(-Eigen::Index(lag)).setConstant(c);
  }
  return B;
}

Matrix precision_from_couplings(const Matrix& B, double condition, RandomStream& random) {
  Matrix A = B;
  A.diagonal() = random.uniform() * B.cwiseAbs().rowwise().sum();
  return shift_to_condition(A, condition);
}

Matrix shift_to_condition(const Matrix& A, double condition) {
  if (!(condition > 1) || !std::isfinite(condition))
    throw Error(fmt::format("condition number {}: it must be finite and above 1", condition));
  const Vector eig = Eigen::SelfAdjointEigenSolver<Matrix>(A, Eigen::EigenvaluesOnly).eigenvalues();
  const double low = eig[0], high = eig[eig.size() - 1];
  if (high == low) return Matrix::Identity(A.rows(), A.cols());
  Matrix Theta = A;
  Theta.diagonal().array() += (high - condition * low) / (condition - 1);
  return Theta;
}

}  // namespace spodnet
