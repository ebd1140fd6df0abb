#include "spodnet/data/table_truth.hpp"

#include <algorithm>
#include <cmath>

#include "spodnet/core/cholesky.hpp"
#include "spodnet/core/products.hpp"
#include "spodnet/data/log_range.hpp"

namespace spodnet {
namespace {

constexpr LogRange kDenseFactors{1.3, 10};  ///< per variable
constexpr LogRange kCurveLengths{0.03, 3}, kCurveNoise{1e-6, 0.3};

double smooth_kernel(std::uint64_t kind, double r) {
  if (kind == 0) return std::exp(-r);
  if (kind == 1) return (1 + r) * std::exp(-r);
  return std::exp(-r * r / 2);
}

Matrix with_unit_diagonal(const Matrix& Sigma) {
  const Vector scale = Sigma.diagonal().cwiseSqrt().cwiseInverse();
  return scale.asDiagonal() * Sigma * scale.asDiagonal();
}

}  // namespace

Matrix collinear_precision(const Matrix& Theta_g, double condition, RandomStream& random) {
  const Eigen::Index p = Theta_g.rows();
  const auto h = Eigen::Index(1 + random.below(std::max<std::uint64_t>(1, std::uint64_t(p) / 2)));
  const double decay = random.uniform(0, 1.5);
  Matrix Lambda(p, h);
  for (Eigen::Index j = 0; j < p; ++j)
    for (Eigen::Index k = 0; k < h; ++k)
      Lambda(j, k) = random.normal() * std::pow(double(k + 1), -decay);
  Matrix Sigma;
  (void)spd_inverse(Theta_g, Sigma);
  Vector own(p);
  for (double& d : own) d = std::pow(condition, -random.uniform());
  const Vector g = (own.array() / Sigma.diagonal().array()).sqrt();
  const Vector f = ((1 - own.array()) / Lambda.rowwise().squaredNorm().array()).sqrt();
  Lambda = f.asDiagonal() * Lambda;
  Sigma = g.asDiagonal() * Sigma * g.asDiagonal();
  Sigma += Lambda * Lambda.transpose();
  Matrix Theta;
  (void)spd_inverse(Sigma, Theta);
  return (Theta + Theta.transpose()) / 2;
}

Matrix dense_precision(std::size_t p, RandomStream& random) {
  const auto h = Eigen::Index(std::ceil(double(p) * kDenseFactors.at(random.uniform())));
  const double decay = random.uniform(0, 1);
  Matrix A(Eigen::Index(p), h);
  for (Eigen::Index k = 0; k < h; ++k) {
    const double size = std::pow(double(k + 1), -decay);
    for (double& a : A.col(k)) a = size * random.normal();
  }
  for (Eigen::Index j = 0; j < A.rows(); ++j) A.row(j) /= A.row(j).norm();
  Matrix Theta;
  (void)spd_inverse(times_transpose(A, A), Theta);
  return Theta;
}

Matrix curve_precision(std::size_t p, RandomStream& random) {
  Vector t(static_cast<Eigen::Index>(p));
  const bool even = random.uniform() < 0.5;
  for (Eigen::Index j = 0; j < t.size(); ++j)
    t[j] = even ? (double(j) + 0.5) / double(p) : random.uniform();
  Matrix Sigma = Matrix::Zero(t.size(), t.size());
  const std::uint64_t kernels = 1 + random.below(3);
  for (std::uint64_t k = 0; k < kernels; ++k) {
    const std::uint64_t kind = random.below(3);
    const double length = kCurveLengths.at(random.uniform()), size = random.uniform();
    for (Eigen::Index i = 0; i < t.size(); ++i)
      for (Eigen::Index j = 0; j < t.size(); ++j)
        Sigma(i, j) += size * smooth_kernel(kind, std::abs(t[i] - t[j]) / length);
  }
  Sigma = with_unit_diagonal(Sigma);
  const double noise = kCurveNoise.at(random.uniform());
  for (double& s : Sigma.diagonal()) s += noise * std::exp(random.normal() / 2);
  Matrix Theta;
  (void)spd_inverse(with_unit_diagonal(Sigma), Theta);
  return (Theta + Theta.transpose()) / 2;
}

}  // namespace spodnet
