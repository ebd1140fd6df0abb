#include "spodnet/generate/rough_rows.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <numeric>

#include "spodnet/core/cholesky.hpp"
#include "spodnet/core/products.hpp"
#include "spodnet/generate/log_range.hpp"
#include "spodnet/generate/row_law.hpp"
#include "spodnet/tables/covariance.hpp"

namespace spodnet {
namespace {

constexpr double kClusters = 0.25, kPlainColumns = 0.25, kRelations = 0.3, kOutliers = 0.3;
constexpr double kHeavy = 0.25;            ///< chance of t rows instead of Gaussian ones
constexpr LogRange kRounding{1e-8, 1e-4};  ///< variance of the noise that rounding is
constexpr LogRange kRowsPerColumn{5, 40};

void add_clusters(Matrix& X, RandomStream& random) {
  const auto count = Eigen::Index(2 + random.below(4));
  const double size = random.uniform(0.5, 3);
  Matrix centres(count, X.cols());
  for (double& c : centres.reshaped()) c = size * random.normal() * (random.uniform() < 0.6);
  for (Eigen::Index i = 0; i < X.rows(); ++i)
    X.row(i) += centres.row(Eigen::Index(random.below(std::uint64_t(count))));
}

/// The value below which a share of the column lies.
double quantile(const Matrix& X, Eigen::Index j, double share) {
  std::vector<double> sorted(X.col(j).begin(), X.col(j).end());
  const auto place = sorted.begin() + std::ptrdiff_t(share * double(sorted.size() - 1));
  std::nth_element(sorted.begin(), place, sorted.end());
  return *place;
}

void cut_column(Matrix& X, Eigen::Index j, std::vector<double> shares) {
  for (double& share : shares) share = quantile(X, j, share);
  for (double& x : X.col(j)) {
    double level = 0;
    for (const double cut : shares) level += x > cut;
    x = level;
  }
}

void transform_column(Matrix& X, Eigen::Index j, std::uint64_t kind, RandomStream& random) {
  const double u = random.uniform();
  auto column = X.col(j).array();
  switch (kind) {
    case 0:  // skewed
      column = ((0.2 + 1.3 * u) * column).min(8.0).exp();
      break;
    case 1: {  // levels
      std::vector<double> shares(1 + random.below(6));
      for (double& share : shares) share = random.uniform(0.05, 0.95);
      cut_column(X, j, shares);
      break;
    }
    case 2:  // a rare yes or no
      cut_column(X, j, {1 - LogRange{0.05, 0.5}.at(u)});
      break;
    case 3: {  // a count with many zeros
      const double zero = quantile(X, j, 0.1 + 0.75 * u);
      column = (2 * (column - zero)).max(0.0).ceil();
      break;
    }
    case 4:  // a square
      column = (column + 2 * u).square();
      break;
    default:  // rounded
      column = (column * (1 + 6 * u)).round();
  }
}

/// In half of the tables all columns are of one kind, in the others each has its own.
void transform_columns(Matrix& X, RandomStream& random) {
  const bool alike = random.uniform() < 0.5;
  const std::uint64_t all = random.below(6);
  const double share = alike ? 1 : random.uniform();
  for (Eigen::Index j = 0; j < X.cols(); ++j)
    if (random.uniform() < share) transform_column(X, j, alike ? all : random.below(6), random);
}

void standardise(Matrix& X) {
  X.rowwise() -= X.colwise().mean().eval();
  for (Eigen::Index j = 0; j < X.cols(); ++j) {
    const double norm = X.col(j).norm();
    if (norm > 0) X.col(j) *= std::sqrt(double(X.rows())) / norm;
  }
}

/// Columns that follow from others, up to noise (a share of the variance, 0 in one of three).
void add_relations(Matrix& X, RandomStream& random) {
  const auto p = std::uint64_t(X.cols());
  if (p < 3) return;
  const std::uint64_t count = 1 + random.below(std::max<std::uint64_t>(1, p / 4));
  for (std::uint64_t k = 0; k < count; ++k) {
    const auto a = Eigen::Index(random.below(p)), b = Eigen::Index(random.below(p)),
               c = Eigen::Index(random.below(p));
    if (a == b || b == c || a == c) continue;
    const std::uint64_t kind = random.below(3);
    const double weight = random.uniform(-1, 1);
    const double noise =
        random.uniform() < 0.33 ? 0 : std::sqrt(LogRange{1e-5, 0.1}.at(random.uniform()));
    if (kind == 0)
      X.col(a) = X.col(b) + weight * X.col(c);
    else if (kind == 1)
      X.col(a) = (X.col(b).array() + 2 * weight) * (X.col(c).array() + 2);
    else
      X.col(a) = (X.col(b).array() > 0.5).select(X.col(a).array() - 2, X.col(a).array());
    standardise(X);
    for (double& x : X.col(a)) x += noise * random.normal();
  }
}

void add_outliers(Matrix& X, RandomStream& random) {
  const double share = LogRange{0.002, 0.05}.at(random.uniform());
  const double size = random.uniform(3, 10), columns = random.uniform();
  for (Eigen::Index i = 0; i < X.rows(); ++i) {
    if (random.uniform() >= share) continue;
    const auto sure = Eigen::Index(random.below(std::uint64_t(X.cols())));
    for (Eigen::Index j = 0; j < X.cols(); ++j)
      if (j == sure || random.uniform() < columns) X(i, j) *= size;
  }
}

/// Unit variances; columns that lost theirs, or follow from the others, get noise of their own.
void add_rounding(Matrix& X, RandomStream& random) {
  standardise(X);
  const double small = std::sqrt(kRounding.at(random.uniform()));
  for (Eigen::Index j = 0; j < X.cols(); ++j) {
    const double noise = X.col(j).isZero(0) ? 1 : small;
    for (double& x : X.col(j)) x += noise * random.normal();
  }
  standardise(X);
}

}  // namespace

std::size_t rough_population_rows(std::size_t n, std::size_t p, RandomStream& random) {
  const double rows = 100 + kRowsPerColumn.at(random.uniform()) * double(p);
  return n + std::max({n, std::size_t(rows), std::size_t(300)});
}

Matrix rough_population(const MatrixRef& Theta, std::size_t count, RandomStream& random) {
  const RowLaw law = random.uniform() < kHeavy ? RowLaw::student : RowLaw::gaussian;
  Matrix X = sample_rows(Theta, count, law, random).X;
  if (random.uniform() < kClusters) add_clusters(X, random);
  if (random.uniform() >= kPlainColumns) transform_columns(X, random);
  standardise(X);
  if (random.uniform() < kRelations) add_relations(X, random);
  if (random.uniform() < kOutliers) add_outliers(X, random);
  add_rounding(X, random);
  return X;
}

RoughDraw draw_rough_rows(const Matrix& population, std::size_t n, RandomStream& random) {
  std::vector<std::uint32_t> order(std::size_t(population.rows()));
  std::iota(order.begin(), order.end(), 0u);
  random.shuffle(order);
  const auto middle = order.begin() + std::ptrdiff_t(n);
  const std::vector<std::uint32_t> first(order.begin(), middle), rest(middle, order.end());
  RoughDraw out{population(first, Eigen::all), {}, {}};
  out.S = empirical_covariance(out.X);
  for (Eigen::Index j = 0; j < out.S.cols(); ++j)
    if (!(out.S(j, j) > 0)) out.S(j, j) = 1;
  Matrix Sigma = covariance_about(population(rest, Eigen::all), column_means(out.X));
  assert(Sigma.allFinite() && (Sigma.diagonal().array() > 0).all());
  while (!std::isfinite(spd_inverse(Sigma, out.Theta))) Sigma.diagonal() *= 1 + 1e-9;
  return out;
}

}  // namespace spodnet
