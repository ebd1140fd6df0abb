#include "support/random_tables.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "spodnet/core/cholesky.hpp"
#include "spodnet/core/products.hpp"
#include "spodnet/core/random.hpp"
#include "spodnet/core/symmetric_eigen.hpp"
#include "spodnet/estimators/nonlinear_shrinkage.hpp"
#include "spodnet/estimators/shrinkage.hpp"
#include "spodnet/generate/gaussian.hpp"
#include "spodnet/generate/log_range.hpp"
#include "spodnet/generate/precision_family.hpp"
#include "spodnet/generate/rough_rows.hpp"
#include "spodnet/generate/row_law.hpp"
#include "spodnet/generate/sparse_precision.hpp"
#include "spodnet/generate/table_truth.hpp"
#include "spodnet/tables/covariance.hpp"
#include "spodnet/tables/mixed_correlation.hpp"
#include "spodnet/tables/moments.hpp"

namespace spodnet::test {
namespace {

constexpr LogRange kTinyEigenvalue{1e-6, 1e-3};

Matrix draw_truth_of_table(std::size_t p, RandomStream& random) {
  const double u = random.uniform();
  if (u < 0.2) return dense_precision(p, random);
  PrecisionMix mix;
  mix.families = {PrecisionFamily::sparse_cholesky, PrecisionFamily::erdos_renyi,
                  PrecisionFamily::small_world,     PrecisionFamily::hubs,
                  PrecisionFamily::bands,           PrecisionFamily::tree};
  if (u < 0.6) mix.families.push_back(PrecisionFamily::latent);
  mix.shuffle = true;
  const PrecisionDraw kind = draw_precision_kind(mix, random);
  const Matrix Theta =
      make_precision(kind, p, 1 - LogRange{0.05, 0.6}.at(random.uniform()), random);
  return u < 0.6 ? Theta
                 : collinear_precision(Theta, LogRange{3, 1e4}.at(random.uniform()), random);
}

/// Of correlations.
Matrix in_unit_variances(const Matrix& Theta) {
  Matrix Sigma;
  spd_inverse(Theta, Sigma);
  const Vector scale = Sigma.diagonal().cwiseSqrt();
  Matrix out = scale.asDiagonal() * Theta * scale.asDiagonal();
  symmetrise(out);
  return out;
}

/// Each column cut into 2 to 7 levels at random places.
Matrix cut_into_levels(const Matrix& X, RandomStream& random) {
  Matrix out(X.rows(), X.cols());
  for (Eigen::Index j = 0; j < X.cols(); ++j) {
    std::vector<double> cuts(1 + std::size_t(random.uniform() * 6));
    for (double& cut : cuts) cut = 3 * random.uniform() - 1.5;
    std::sort(cuts.begin(), cuts.end());
    for (Eigen::Index i = 0; i < X.rows(); ++i)
      out(i, j) = double(std::lower_bound(cuts.begin(), cuts.end(), X(i, j)) - cuts.begin());
  }
  return out;
}

void leave_gaps(double share, Matrix& X, RandomStream& random) {
  for (double& x : X.reshaped())
    if (random.uniform() < share) x = std::numeric_limits<double>::quiet_NaN();
}

/// What moments make of these rows, in units of correlations.
void prepare_as(const Matrix& X, const MomentsOptions& options, RandomTable& out) {
  Moments known = moments(X, options);
  out.S = std::move(known.R);
  out.n = known.n;
}

/// Correlations with one tiny eigenvalue, its eigenvector any direction: all variables take part.
Matrix with_isolated_eigenvalue(const Matrix& Theta, double tiny, RandomStream& random) {
  const Eigen::Index p = Theta.rows();
  Vector u(p);
  for (double& x : u) x = random.normal();
  u.normalize();
  return in_unit_variances(Theta + u * u.transpose() / tiny);
}

void draw_rows_of_law(const Matrix& Theta, std::size_t n, RowLaw law, RandomTable& out,
                      RandomStream& random) {
  TableRows rows = sample_rows(Theta, n, law, random);
  out.X = rows.X.rowwise() - rows.X.colwise().mean();
  out.S = empirical_covariance(rows.X);
  out.Theta_true = std::move(rows.Theta);
}

void draw_rough(const Matrix& Theta, std::size_t n, RandomTable& out, RandomStream& random) {
  const Matrix population =
      rough_population(Theta, rough_population_rows(n, std::size_t(Theta.rows()), random), random);
  RoughDraw drawn = draw_rough_rows(population, n, random);
  out.X = drawn.X.rowwise() - drawn.X.colwise().mean();
  out.S = std::move(drawn.S);
  out.Theta_true = std::move(drawn.Theta);
}

void draw_kind(std::size_t kind, std::size_t p, std::size_t n, RandomTable& out,
               RandomStream& random) {
  constexpr RowLaw kLaws[] = {RowLaw::gaussian, RowLaw::student, RowLaw::uneven,
                              RowLaw::skewed,   RowLaw::ordinal, RowLaw::dependent};
  if (out.kind == "paper") {
    const Matrix Theta =
        make_sparse_precision({.p = p, .alpha = random.uniform(0.7, 0.98)}, random);
    return draw_rows_of_law(Theta, n, RowLaw::gaussian, out, random);
  }
  const Matrix Theta = in_unit_variances(draw_truth_of_table(p, random));
  if (kind < std::size(kLaws)) return draw_rows_of_law(Theta, n, kLaws[kind], out, random);
  if (out.kind == "rough") return draw_rough(Theta, n, out, random);
  if (out.kind == "isolated")
    return draw_rows_of_law(
        with_isolated_eigenvalue(Theta, kTinyEigenvalue.at(random.uniform()), random), n,
        RowLaw::gaussian, out, random);
  Matrix X = sample_gaussian(Theta, n, random);
  out.Theta_true = Theta;
  if (out.kind == "levels")
    return prepare_as(cut_into_levels(X, random),
                      {.kinds = std::vector<ColumnKind>(p, ColumnKind::ordinal)}, out);
  if (out.kind == "ranks")
    return prepare_as(X.array().exp(), {.ranks = RankCorrelation::spearman}, out);
  leave_gaps(random.uniform(0.02, 0.4), X, random);
  prepare_as(X, {}, out);
}

}  // namespace

RandomTable random_table(std::uint64_t seed, std::uint64_t index, const RandomTableSizes& sizes) {
  RandomStream random(seed, index);
  const std::size_t kind = index % std::size(kTableKinds);
  for (;;) {  // once more where a column is constant, or two were never seen together
    const double p = LogRange{sizes.least_p, sizes.most_p}.at(random.uniform());
    const double ratio = LogRange{sizes.least_ratio, sizes.most_ratio}.at(random.uniform());
    const auto n = std::max<std::size_t>(6, std::size_t(ratio * std::floor(p)));
    RandomTable out;
    out.kind = kTableKinds[kind];
    out.n = double(n);
    draw_kind(kind, std::size_t(p), n, out, random);
    symmetrise(out.S);
    symmetrise(out.Theta_true);
    if (out.S.allFinite() && out.S.diagonal().minCoeff() > 0 && out.n >= 2) return out;
  }
}

double loss_of(const Matrix& Theta, const Matrix& Theta_true) {
  Matrix Sigma;
  const double log_det_true = spd_inverse(Theta_true, Sigma), log_det = spd_log_det(Theta);
  const double p = double(Theta.rows());
  return (Sigma.cwiseProduct(Theta).sum() - p + log_det_true - log_det) / p;
}

JudgedTruth judged_truth(const RandomTable& table, const Matrix& Theta) {
  const Vector unit = table.S.diagonal().cwiseSqrt();
  const Matrix R = scaled_both(unit.cwiseInverse(), table.S, unit.cwiseInverse());
  const Matrix truth = scaled_both(unit, table.Theta_true, unit);
  const double linear = loss_of(oas(R, table.n).Theta, truth);
  const double nonlinear = loss_of(nonlinear_shrinkage(R, table.n).Theta, truth);
  JudgedTruth out;
  out.loss = loss_of(Theta, table.Theta_true);
  const double better = std::min(linear, nonlinear), worse = std::max(linear, nonlinear);
  out.good = better <= 0.5 && out.loss <= better + 0.1;
  out.absurd = worse <= 0.5 && out.loss > worse + 1;
  return out;
}

}  // namespace spodnet::test
