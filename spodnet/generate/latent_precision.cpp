#include "spodnet/generate/latent_precision.hpp"

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>

#include "spodnet/core/products.hpp"

namespace spodnet {
namespace {

constexpr std::uint64_t kVariablesPerCause = 5;

Vector eigenvalues(const Matrix& A) {
  return Eigen::SelfAdjointEigenSolver<Matrix>(A, Eigen::EigenvaluesOnly).eigenvalues();
}

Matrix draw_loadings(Eigen::Index p, Signs signs, RandomStream& random) {
  const auto h =
      1 + random.below(std::max<std::uint64_t>(1, std::uint64_t(p) / kVariablesPerCause));
  Matrix Lambda(p, Eigen::Index(h));
  for (Eigen::Index i = 0; i < p; ++i)
    for (Eigen::Index k = 0; k < Lambda.cols(); ++k) {
      const double x = random.normal() / double(k + 1);
      Lambda(i, k) = signs == Signs::positive ? std::abs(x) : x;
    }
  return Lambda;
}

Matrix inverse(const Matrix& A) {
  const Matrix B = solve(Eigen::LLT<Matrix>(A), Matrix::Identity(A.rows(), A.cols()));
  return (B + B.transpose()) / 2;
}

}  // namespace

Matrix latent_precision(const Matrix& Theta_g, double condition, Signs signs,
                        RandomStream& random) {
  const Matrix Lambda = draw_loadings(Theta_g.rows(), signs, random);
  const double size = eigenvalues(transpose_times(Lambda, Lambda)).maxCoeff();
  const Vector eig = eigenvalues(Theta_g);
  const double least = 1 / eig.maxCoeff(), largest = 1 / eig.minCoeff();
  const double t = std::max(0.0, condition * least - largest);
  return inverse(inverse(Theta_g) + t / size * times_transpose(Lambda, Lambda));
}

}  // namespace spodnet
