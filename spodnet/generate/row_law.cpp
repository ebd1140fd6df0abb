#include "spodnet/generate/row_law.hpp"

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "spodnet/core/cholesky.hpp"
#include "spodnet/core/error.hpp"
#include "spodnet/core/products.hpp"
#include "spodnet/generate/wishart.hpp"

namespace spodnet {
namespace {

constexpr const char* kNames[] = {"gaussian", "student", "uneven",
                                  "skewed",   "ordinal", "dependent"};
constexpr double kLeastDegrees = 2.3, kMostDegrees = 12;
constexpr double kMostVolatile = 0.8;
constexpr double kLeastUneven = 2.5, kMostUneven = 6;
constexpr double kMostSkewed = 1;
constexpr double kLeastDependence = 0.2, kMostDependence = 0.9;
constexpr std::uint64_t kMostCuts = 6;
constexpr std::size_t kTerms = 30;  ///< Hermite coefficients

double normal_density(double x) { return std::exp(-x * x / 2) / std::sqrt(2 * std::numbers::pi); }
double normal_share_above(double x) { return 0.5 * std::erfc(x / std::numbers::sqrt2); }

/// Standard deviations of N(0, Theta^{-1}), and its correlations.
struct Scaled {
  Vector scale;
  Matrix R;

  explicit Scaled(const MatrixRef& Theta) {
    if (!std::isfinite(spd_inverse(Theta, R))) throw Error("sample_rows: Theta is not SPD");
    scale = R.diagonal().cwiseSqrt();
    const Vector d = scale.cwiseInverse();
    R = scaled_both(d, R, d);
  }
};

/// A matrix whose inverse may not exist to working precision gets the least ridge that makes it.
Matrix precision_of(Matrix Sigma) {
  Matrix Theta;
  for (double ridge = 1e-12; !std::isfinite(spd_inverse(Sigma, Theta)); ridge *= 10)
    Sigma.diagonal() *= 1 + ridge;
  return (Theta + Theta.transpose()) / 2;
}

/// The cut points of one variable, ascending: normal quantiles of shares drawn in [0.05, 0.95].
struct Cuts {
  std::vector<double> points;
  std::array<double, kTerms> coefficients{};  ///< of the orthonormal Hermite polynomials 1 ...
  double variance = 0;

  explicit Cuts(RandomStream& random) {
    const std::uint64_t count = 1 + random.below(kMostCuts);
    for (std::uint64_t k = 0; k < count; ++k) points.push_back(random.uniform(-1.65, 1.65));
    std::sort(points.begin(), points.end());
    for (const double t : points) add_coefficients(t);
    double mean = 0, square = 0;  // of the number of cut points below x
    for (std::size_t m = 0; m < points.size(); ++m) {
      const double share = normal_share_above(points[m]);
      mean += share;
      square += double(2 * m + 1) * share;
    }
    variance = square - mean * mean;
  }

  /// E 1{x > t} h_k(x) = density(t) h_{k-1}(t) / sqrt(k), h orthonormal.
  void add_coefficients(double t) {
    double before = 0, h = 1;  // h_{k-2}, h_{k-1}
    for (std::size_t k = 1; k <= kTerms; ++k) {
      coefficients[k - 1] += normal_density(t) * h / std::sqrt(double(k));
      const double next = (t * h - std::sqrt(double(k - 1)) * before) / std::sqrt(double(k));
      before = h, h = next;
    }
  }

  double value(double x) const {
    return double(std::lower_bound(points.begin(), points.end(), x) - points.begin());
  }
};

double ordinal_covariance(const Cuts& a, const Cuts& b, double r) {
  double sum = 0, power = 1;
  for (std::size_t k = 0; k < kTerms; ++k) {
    power *= r;
    sum += a.coefficients[k] * b.coefficients[k] * power;
  }
  return sum;
}

/// Rows of N(0, R).
Matrix gaussian_rows(const Matrix& R, std::size_t n, RandomStream& random) {
  const Eigen::LLT<Matrix> cholesky(R);
  Matrix Z(Eigen::Index(n), R.rows());
  for (Eigen::Index k = 0; k < Z.size(); ++k) Z.data()[k] = random.normal();
  return times_transpose(Z, cholesky.matrixL());
}

void make_ordinal(const Matrix& R, TableRows& rows, RandomStream& random) {
  std::vector<Cuts> cuts;
  for (Eigen::Index j = 0; j < R.cols(); ++j) cuts.emplace_back(random);
  Matrix Sigma(R.rows(), R.cols());
  for (Eigen::Index i = 0; i < R.rows(); ++i) {
    for (Eigen::Index j = 0; j < i; ++j)
      Sigma(i, j) = Sigma(j, i) =
          ordinal_covariance(cuts[std::size_t(i)], cuts[std::size_t(j)], R(i, j));
    Sigma(i, i) = cuts[std::size_t(i)].variance;
  }
  for (Eigen::Index k = 0; k < rows.X.rows(); ++k)
    for (Eigen::Index j = 0; j < R.cols(); ++j)
      rows.X(k, j) = cuts[std::size_t(j)].value(rows.X(k, j));
  rows.Theta = precision_of(Sigma);
}

void make_skewed(const Matrix& R, TableRows& rows, RandomStream& random) {
  Vector sigma(R.cols());
  for (double& s : sigma) s = random.uniform(0, kMostSkewed) + 1e-3;
  Matrix Sigma(R.rows(), R.cols());
  for (Eigen::Index i = 0; i < R.rows(); ++i)
    for (Eigen::Index j = 0; j <= i; ++j)
      Sigma(i, j) = Sigma(j, i) = std::exp((sigma[i] * sigma[i] + sigma[j] * sigma[j]) / 2) *
                                  std::expm1(sigma[i] * sigma[j] * R(i, j));
  rows.X = (rows.X.array().rowwise() * sigma.transpose().array()).exp();
  rows.Theta = precision_of(Sigma);
}

/// Covariance R for any number of degrees of freedom.
void make_student(Matrix& X, RandomStream& random) {
  const double nu = random.uniform(kLeastDegrees, kMostDegrees);
  for (Eigen::Index k = 0; k < X.rows(); ++k)
    X.row(k) *= std::sqrt((nu - 2) / sample_chi_square(nu, random));
}

/// Rows of covariance R whose principal components are independent t.
Matrix uneven_rows(const Matrix& R, std::size_t n, RandomStream& random) {
  const Eigen::SelfAdjointEigenSolver<Matrix> eigen(R);
  const double nu = random.uniform(kLeastUneven, kMostUneven);
  Matrix Z(Eigen::Index(n), R.rows());
  for (Eigen::Index k = 0; k < Z.size(); ++k)
    Z.data()[k] = random.normal() * std::sqrt((nu - 2) / sample_chi_square(nu, random));
  const Vector root = eigen.eigenvalues().cwiseMax(0.0).cwiseSqrt();
  return times_transpose(Z * root.asDiagonal(), eigen.eigenvectors());
}

/// Autoregressive rows times a factor that changes slowly, as the volatility of prices does; the
/// covariance of a row stays R.
void make_dependent(Matrix& X, RandomStream& random) {
  const double a = random.uniform(kLeastDependence, kMostDependence), b = std::sqrt(1 - a * a);
  const double sigma = random.uniform(0, kMostVolatile), slow = 0.95;
  double h = random.normal();
  for (Eigen::Index k = 1; k < X.rows(); ++k) X.row(k) = a * X.row(k - 1) + b * X.row(k);
  for (Eigen::Index k = 0; k < X.rows(); ++k) {
    X.row(k) *= std::exp(sigma * h - sigma * sigma);
    h = slow * h + std::sqrt(1 - slow * slow) * random.normal();
  }
}

}  // namespace

std::string to_string(RowLaw law) { return kNames[std::size_t(law)]; }

RowLaw row_law_from(const std::string& text) {
  for (const RowLaw law : all_row_laws())
    if (to_string(law) == text) return law;
  throw Error("rows '" + text +
              "' are not known: gaussian, student, uneven, skewed, ordinal or dependent");
}

const std::vector<RowLaw>& all_row_laws() {
  using enum RowLaw;
  static const std::vector<RowLaw> all = {gaussian, student, uneven, skewed, ordinal, dependent};
  return all;
}

TableRows sample_rows(const MatrixRef& Theta, std::size_t n, RowLaw law, RandomStream& random) {
  const Scaled law_of_x(Theta);
  TableRows rows{gaussian_rows(law_of_x.R, n, random), {}};
  rows.Theta = scaled_both(law_of_x.scale, Theta, law_of_x.scale);
  switch (law) {
    case RowLaw::gaussian:
      break;
    case RowLaw::student:
      make_student(rows.X, random);
      break;
    case RowLaw::uneven:
      rows.X = uneven_rows(law_of_x.R, n, random);
      break;
    case RowLaw::skewed:
      make_skewed(law_of_x.R, rows, random);
      break;
    case RowLaw::ordinal:
      make_ordinal(law_of_x.R, rows, random);
      break;
    case RowLaw::dependent:
      make_dependent(rows.X, random);
      break;
  }
  return rows;
}

}  // namespace spodnet
