#include "spodnet/generate/table_truth.hpp"

#include <algorithm>
#include <cmath>

#include "spodnet/core/cholesky.hpp"
#include "spodnet/core/products.hpp"
#include "spodnet/generate/log_range.hpp"

namespace spodnet {
namespace {

constexpr LogRange kDenseFactors{1.3, 10};  ///< per variable

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

}  // namespace spodnet
