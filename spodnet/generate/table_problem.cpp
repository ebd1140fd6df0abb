#include "spodnet/generate/table_problem.hpp"

#include <algorithm>
#include <cmath>

#include "spodnet/generate/level_rows.hpp"
#include "spodnet/generate/precision_family.hpp"
#include "spodnet/generate/rough_rows.hpp"
#include "spodnet/generate/table_truth.hpp"
#include "spodnet/generate/wishart.hpp"
#include "spodnet/tables/covariance.hpp"
#include "spodnet/tables/tail_factor.hpp"

namespace spodnet {
namespace {

using enum PrecisionFamily;
constexpr double kCollinear = 0.3;            ///< share of tables with collinear variables
constexpr LogRange kCollinearity{3, 1e6};     ///< 1 / the least share of a variable's own variance
constexpr double kCommonCauses = 0.5;         ///< share of tables with levels that have factors
constexpr LogRange kOwnOfLevels{1.5, 15};     ///< 1 / the least share of a variable's own there
constexpr std::size_t kLeastOfLevels = 20;    ///< rows from which levels are taken for levels
constexpr LogRange kGraphConditions{3, 300};  ///< of the graph behind it
constexpr double kDenseUpTo = 10;             ///< variables; beyond it fewer tables are dense
constexpr std::uint64_t kRowsSeed = 0x9e3779b97f4a7c15;
constexpr PrecisionFamily kFamilies[] = {sparse_cholesky, erdos_renyi, scale_free, power_law,
                                         bands,           blocks,      latent,     latent};

Matrix draw_truth(std::size_t p, double dense, bool levels, RandomStream& random) {
  if (random.uniform() < dense) return dense_precision(p, random);
  const bool collinear = random.uniform() < (levels ? kCommonCauses : kCollinear);
  const double alpha = 1 - LogRange{0.02, 0.6}.at(random.uniform());
  PrecisionMix mix;
  mix.families.assign(std::begin(kFamilies), std::end(kFamilies) - (collinear ? 2 : 0));
  mix.shuffle = true;
  PrecisionDraw kind = draw_precision_kind(mix, random);
  if (!kind.condition && random.uniform() < 0.5)
    kind.condition = kGraphConditions.at(random.uniform());
  const Matrix Theta = make_precision(kind, p, alpha, random);
  if (!collinear) return Theta;
  return collinear_precision(Theta, (levels ? kOwnOfLevels : kCollinearity).at(random.uniform()),
                             random);
}

RowLaw draw_law(double gaussian, RandomStream& random) {
  const double u = random.uniform(), v = random.uniform();
  if (u < gaussian) return RowLaw::gaussian;
  return all_row_laws()[1 + std::size_t(v * double(all_row_laws().size() - 1))];
}

/// Rows of one of the laws: their mean is not known either, so that of n rows a variance is judged
/// by 1 + 1 / n of the true one.
MatrixPair draw_of_law(const Matrix& Theta, std::size_t n, RowLaw law, RandomStream& random) {
  const double known = double(n) / (double(n) + 1);
  const auto gaussian = [&] {
    return MatrixPair{sample_covariance(Theta, n, random), Theta * known, double(n)};
  };
  if (law == RowLaw::gaussian) return gaussian();
  TableRows rows = sample_rows(Theta, n, law, random);
  if (!((rows.X.rowwise() - rows.X.row(0)).cwiseAbs().colwise().maxCoeff().minCoeff() > 0))
    return gaussian();  // a column is constant
  return {empirical_covariance(rows.X), rows.Theta * known, double(n) / tail_factor(rows.X)};
}

/// The truth depends on index / together alone, the rows on the index.
MatrixPair draw_pair(const TableMix& mix, std::uint64_t index) {
  RandomStream random(mix.seed, index / mix.together), draw(mix.seed + kRowsSeed, index);
  const std::size_t p = mix.p.at(random.uniform());
  const double ratio = mix.ratio.at(random.uniform());
  auto n = std::clamp<std::size_t>(std::size_t(ratio * double(p)), 4, mix.largest_n);
  const bool rough = random.uniform() < mix.rough;
  const RowLaw law = draw_law(mix.gaussian, random);
  const bool levels = mix.levels > 0 && random.uniform() < mix.levels;
  const Matrix Theta =
      draw_truth(p, mix.dense * std::min(1.0, kDenseUpTo / double(p)), levels, random);
  if (levels) {
    n = std::clamp(n, kLeastOfLevels, std::max(kLeastOfLevels, mix.largest_drawn));
    if (std::optional<MatrixPair> pair = draw_level_problem(Theta, n, draw))
      return std::move(*pair);
  }
  if (rough || law != RowLaw::gaussian) n = std::min(n, mix.largest_drawn);
  if (!rough) return draw_of_law(Theta, n, law, draw);
  RoughDraw drawn = draw_rough_rows(
      rough_population(Theta, rough_population_rows(n, p, random), random), n, draw);
  const double effective = std::max(2.0, double(n) / tail_factor(drawn.X));
  return {std::move(drawn.S), std::move(drawn.Theta), effective};
}

}  // namespace

MatrixPair draw_table_problem(const TableMix& mix, std::uint64_t index) {
  MatrixPair pair = draw_pair(mix, index);
  symmetrise(pair.Theta_true);  // products of scales leave it so to rounding alone
  return pair;
}

}  // namespace spodnet
