#include "spodnet/data/polychoric.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "spodnet/data/bivariate_normal.hpp"
#include "spodnet/data/ranks.hpp"

namespace spodnet {
namespace {

constexpr double kMostRho = 0.9999;
constexpr double kLeastProbability = 1e-12;  // of a cell: rounding may leave less than nothing
constexpr double kRhoTolerance = 1e-8;
constexpr int kMostSteps = 60;

double weight_of(const Vector& weight, std::size_t row) {
  return weight.size() > 0 ? weight[Eigen::Index(row)] : 1;
}

void add_cuts(OrderedColumn& column) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  column.cut = {-kInfinity};
  double below = 0;
  for (std::size_t k = 0; k + 1 < column.levels(); ++k)
    column.cut.push_back(normal_quantile(below += column.share[k]));
  column.cut.push_back(kInfinity);
  column.information = 0;
  for (std::size_t k = 0; k < column.levels(); ++k) {
    const double slice = normal_density(column.cut[k]) - normal_density(column.cut[k + 1]);
    column.score.push_back(slice / column.share[k]);
    column.information += slice * column.score[k];
  }
}

/// The derivative of the log-likelihood in rho, and Fisher's information.
struct Score {
  double slope = 0, information = 0;
};

Score score_at(double rho, const Matrix& counts, const std::vector<double>& cut_a,
               const std::vector<double>& cut_b) {
  const BivariateNormal normal(rho);
  const Eigen::Index rows = counts.rows() + 1, cols = counts.cols() + 1;
  Matrix P(rows, cols), d_P(rows, cols);  // below both cut points
  for (Eigen::Index a = 0; a < rows; ++a)
    for (Eigen::Index b = 0; b < cols; ++b) {
      P(a, b) = normal.cdf(cut_a[std::size_t(a)], cut_b[std::size_t(b)]);
      d_P(a, b) = normal.density(cut_a[std::size_t(a)], cut_b[std::size_t(b)]);
    }
  const auto cell = [](const Matrix& F, Eigen::Index a, Eigen::Index b) {
    return F(a + 1, b + 1) - F(a, b + 1) - F(a + 1, b) + F(a, b);
  };
  Score out;
  const double n = counts.sum();
  for (Eigen::Index a = 0; a < counts.rows(); ++a)
    for (Eigen::Index b = 0; b < counts.cols(); ++b) {
      const double probability = std::max(cell(P, a, b), kLeastProbability);
      const double slope = cell(d_P, a, b);
      out.slope += counts(a, b) * slope / probability;
      out.information += n * slope * slope / probability;
    }
  return out;
}

}  // namespace

OrderedColumn ordered_column(const Eigen::Ref<const Vector>& values, const Vector& weight) {
  std::map<double, double> sums;
  double total = 0;
  for (Eigen::Index i = 0; i < values.size(); ++i) {
    const double w = weight_of(weight, std::size_t(i));
    if (std::isnan(values[i]) || !(w > 0)) continue;
    sums[values[i]] += w;
    total += w;
  }
  OrderedColumn out;
  std::map<double, int> place;
  for (const auto& [value, sum] : sums) {
    place[value] = int(out.share.size());
    out.share.push_back(sum / total);
  }
  for (const double value : values) {
    const auto found = place.find(value);
    out.level.push_back(std::isnan(value) || found == place.end() ? -1 : found->second);
  }
  add_cuts(out);
  return out;
}

Matrix pair_counts(const OrderedColumn& a, const OrderedColumn& b, const Vector& weight) {
  Matrix counts = Matrix::Zero(Eigen::Index(a.levels()), Eigen::Index(b.levels()));
  for (std::size_t i = 0; i < a.level.size(); ++i)
    if (a.level[i] >= 0 && b.level[i] >= 0) counts(a.level[i], b.level[i]) += weight_of(weight, i);
  return counts;
}

double polychoric_correlation(Matrix counts, const std::vector<double>& cut_a,
                              const std::vector<double>& cut_b, double start) {
  if (counts.rows() < 2 || counts.cols() < 2 || !(counts.sum() > 0)) return 0;
  if (counts.size() == 4)
    for (double& count : counts.reshaped())
      if (count == 0) count = 0.5;
  double low = -kMostRho, high = kMostRho, rho = std::clamp(start, -0.95, 0.95);
  for (int step = 0; step < kMostSteps; ++step) {
    const Score score = score_at(rho, counts, cut_a, cut_b);
    (score.slope > 0 ? low : high) = rho;  // the likelihood has one maximum
    double next = rho + score.slope / score.information;
    if (!(next > low && next < high)) next = 0.5 * (low + high);
    const double move = std::abs(next - rho);
    rho = next;
    if (move < kRhoTolerance || high - low < kRhoTolerance) break;
  }
  return rho;
}

}  // namespace spodnet
