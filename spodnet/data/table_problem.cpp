#include "spodnet/data/table_problem.hpp"

#include <algorithm>
#include <cmath>

#include "spodnet/core/cholesky.hpp"
#include "spodnet/data/covariance.hpp"
#include "spodnet/data/precision_family.hpp"
#include "spodnet/data/wishart.hpp"

namespace spodnet {
namespace {

using enum PrecisionFamily;
constexpr double kCollinear = 0.3;            ///< share of tables with collinear variables
constexpr LogRange kCollinearity{3, 1e6};     ///< 1 / the least share of a variable's own variance
constexpr LogRange kGraphConditions{3, 300};  ///< of the graph behind it
constexpr PrecisionFamily kFamilies[] = {sparse_cholesky, erdos_renyi, scale_free, power_law,
                                         bands,           blocks,      latent,     latent};

Matrix draw_truth(std::size_t p, RandomStream& random) {
  const bool collinear = random.uniform() < kCollinear;
  const double alpha = 1 - LogRange{0.02, 0.6}.at(random.uniform());
  PrecisionMix mix;
  mix.families.assign(std::begin(kFamilies), std::end(kFamilies) - (collinear ? 2 : 0));
  mix.shuffle = true;
  PrecisionDraw kind = draw_precision_kind(mix, random);
  if (!kind.condition && random.uniform() < 0.5)
    kind.condition = kGraphConditions.at(random.uniform());
  const Matrix Theta = make_precision(kind, p, alpha, random);
  if (!collinear) return Theta;
  return collinear_precision(Theta, kCollinearity.at(random.uniform()), random);
}

RowLaw draw_law(double gaussian, RandomStream& random) {
  const double u = random.uniform(), v = random.uniform();
  if (u < gaussian) return RowLaw::gaussian;
  return all_row_laws()[1 + std::size_t(v * double(all_row_laws().size() - 1))];
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

namespace {

MatrixPair draw_pair(const TableMix& mix, std::uint64_t index) {
  RandomStream random(mix.seed, index);
  const std::size_t p = mix.p.at(random.uniform());
  const double ratio = mix.ratio.at(random.uniform());
  auto n = std::clamp<std::size_t>(std::size_t(ratio * double(p)), 5, mix.largest_n);
  const RowLaw law = draw_law(mix.gaussian, random);
  const Matrix Theta = draw_truth(p, random);
  if (law == RowLaw::gaussian) return {sample_covariance(Theta, n, random), Theta, double(n)};
  n = std::min(n, mix.largest_drawn);
  TableRows rows = sample_rows(Theta, n, law, random);
  if (!((rows.X.rowwise() - rows.X.row(0)).cwiseAbs().colwise().maxCoeff().minCoeff() > 0))
    return {sample_covariance(Theta, n, random), Theta, double(n)};  // a column is constant
  return {empirical_covariance(rows.X), std::move(rows.Theta), double(n) / tail_factor(rows.X)};
}

}  // namespace

MatrixPair draw_table_problem(const TableMix& mix, std::uint64_t index) {
  MatrixPair pair = draw_pair(mix, index);
  symmetrise(pair.Theta_true);  // products of scales leave it so to rounding alone
  return pair;
}

}  // namespace spodnet
