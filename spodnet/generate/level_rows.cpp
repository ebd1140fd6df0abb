#include "spodnet/generate/level_rows.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "spodnet/core/cholesky.hpp"
#include "spodnet/core/error.hpp"
#include "spodnet/generate/log_range.hpp"
#include "spodnet/generate/row_law.hpp"
#include "spodnet/tables/bivariate_normal.hpp"
#include "spodnet/tables/prepare.hpp"

namespace spodnet {
namespace {

constexpr std::uint64_t kMostLevels = 7;
constexpr double kAlike = 0.75;  ///< share of tables whose columns have equally many levels
constexpr double kMixed = 0.25, kGaps = 0.3;
constexpr double kMostSkew = 1.2, kFarthest = 1.6;
constexpr double kJitter = 0.15;
constexpr LogRange kMissing{0.01, 0.3};

std::uint64_t draw_count(RandomStream& random) { return 2 + random.below(kMostLevels - 1); }

/// How the columns of one table are cut.
struct LevelStyle {
  std::uint64_t levels;  ///< 0: each column has its own number
  double width, skew;
  bool one_side;

  explicit LevelStyle(RandomStream& random)
      : levels(random.uniform() < kAlike ? draw_count(random) : 0),
        width(random.uniform(0.9, 1.9)),
        skew(random.uniform(0, kMostSkew)),
        one_side(random.uniform() < 0.5) {}

  std::vector<double> draw_cuts(RandomStream& random) const {
    const std::uint64_t count = levels > 0 ? levels : draw_count(random);
    double shift = std::clamp(skew * random.normal(), -kFarthest, kFarthest);
    if (one_side) shift = std::abs(shift);
    std::vector<double> cuts;
    for (std::uint64_t k = 0; k + 1 < count; ++k) {
      const double place = (2 * double(k) + 2 - double(count)) / double(count - 1);
      cuts.push_back(shift + width * place + kJitter * random.normal());
    }
    std::sort(cuts.begin(), cuts.end());
    return cuts;
  }
};

/// The standard deviation of the number of cut points below a standard normal variable.
double deviation(const std::vector<double>& cuts) {
  double mean = 0, square = 0;
  for (std::size_t k = 0; k < cuts.size(); ++k) {
    const double above = normal_cdf(-cuts[k]);
    mean += above;
    square += double(2 * k + 1) * above;
  }
  return std::sqrt(square - mean * mean);
}

/// Cuts this share of the columns of X; returns the population's standard deviation of each.
Vector cut_columns(Matrix& X, double share, RandomStream& random) {
  const LevelStyle style(random);
  Vector scale = Vector::Ones(X.cols());
  for (Eigen::Index j = 0; j < X.cols(); ++j) {
    if (random.uniform() >= share) continue;
    const std::vector<double> cuts = style.draw_cuts(random);
    scale[j] = deviation(cuts);
    for (double& x : X.col(j))
      x = double(std::lower_bound(cuts.begin(), cuts.end(), x) - cuts.begin());
  }
  return scale;
}

void leave_level_gaps(Matrix& X, RandomStream& random) {
  const double share = kMissing.at(random.uniform());
  for (double& x : X.reshaped())
    if (random.uniform() < share) x = std::numeric_limits<double>::quiet_NaN();
}

/// Nothing where too few columns are left.
std::optional<Prepared> prepared_levels(Matrix X) {
  try {
    return prepare_samples({{}, {}, std::move(X)}, {.kind = TableKind::ordinal, .diagnose = false},
                           "levels");
  } catch (const Error&) {
    return std::nullopt;
  }
}

}  // namespace

std::optional<MatrixPair> draw_level_problem(const MatrixRef& Theta, std::size_t n,
                                             RandomStream& random) {
  TableRows rows = sample_rows(Theta, n, RowLaw::gaussian, random);
  Matrix R;
  if (!std::isfinite(spd_inverse(rows.Theta, R))) return std::nullopt;
  const double share = random.uniform() < kMixed ? random.uniform() : 1;
  const Vector scale = cut_columns(rows.X, share, random);
  if (random.uniform() < kGaps) leave_level_gaps(rows.X, random);
  const std::optional<Prepared> data = prepared_levels(std::move(rows.X));
  if (!data) return std::nullopt;
  const std::vector<Eigen::Index> kept(data->place.begin(), data->place.end());
  const Vector sd = scale(kept);
  const Matrix Sigma = sd.asDiagonal() * Matrix(R(kept, kept)) * sd.asDiagonal();
  MatrixPair out{data->moments.covariance(), {}, data->moments.n};
  if (!std::isfinite(spd_inverse(Sigma, out.Theta_true))) return std::nullopt;
  out.Theta_true *= double(n) / (double(n) + 1);
  return out;
}

}  // namespace spodnet
