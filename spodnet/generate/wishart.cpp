#include "spodnet/generate/wishart.hpp"

#include <Eigen/Cholesky>
#include <cmath>

#include "spodnet/core/error.hpp"
#include "spodnet/generate/gaussian.hpp"
#include "spodnet/tables/covariance.hpp"

namespace spodnet {

double sample_chi_square(double degrees, RandomStream& random) {
  if (degrees < 2)  // X of two degrees more, times U^(2 / degrees)
    return sample_chi_square(degrees + 2, random) * std::pow(1 - random.uniform(), 2 / degrees);
  const double d = degrees / 2 - 1.0 / 3, c = 1 / std::sqrt(9 * d);
  for (;;) {
    const double x = random.normal();
    const double v = std::pow(1 + c * x, 3);
    if (v <= 0) continue;
    if (std::log(1 - random.uniform()) < 0.5 * x * x + d - d * v + d * std::log(v))
      return 2 * d * v;
  }
}

Matrix sample_covariance(const MatrixRef& Theta, std::size_t n, RandomStream& random) {
  if (n < 2) throw Error("sample_covariance: n must be at least 2");
  const Eigen::Index p = Theta.rows();
  if (n <= std::size_t(p) + 1) return empirical_covariance(sample_gaussian(Theta, n, random));
  const Eigen::LLT<Matrix> cholesky(Theta);
  if (cholesky.info() != Eigen::Success) throw Error("sample_covariance: Theta is not SPD");
  Matrix B = Matrix::Zero(p, p);
  for (Eigen::Index i = 0; i < p; ++i) {
    B(i, i) = std::sqrt(sample_chi_square(double(n) - 1 - double(i), random));
    for (Eigen::Index j = 0; j < i; ++j) B(i, j) = random.normal();
  }
  const Matrix root = cholesky.matrixU().solve(B);  // C^{-T} B
  Matrix S = Matrix::Zero(p, p);
  S.selfadjointView<Eigen::Lower>().rankUpdate(root, 1 / double(n));
  S.triangularView<Eigen::StrictlyUpper>() = S.transpose();
  return S;
}

}  // namespace spodnet
