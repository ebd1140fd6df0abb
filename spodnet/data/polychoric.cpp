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
constexpr double kQuadratic = 1e-4;  // Newton's steps below, in units of 1 - rho^2, end it
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

/// The finite ones: all but the first and the last.
std::vector<double> inner(const std::vector<double>& cut) {
  return {cut.begin() + 1, cut.end() - 1};
}

/// The likelihood of counts between cut points as a function of rho.
class CellLikelihood {
 public:
  CellLikelihood(const Matrix& counts, const std::vector<double>& cut_a,
                 const std::vector<double>& cut_b)
      : counts_(counts),
        n_(counts.sum()),
        inner_(inner(cut_a), inner(cut_b)),
        P_(Matrix::Zero(counts.rows() + 1, counts.cols() + 1)),
        d_P_(P_),
        dd_P_(P_) {
    for (Eigen::Index a = 0; a < P_.rows(); ++a)
      P_(a, counts.cols()) = normal_cdf(cut_a[std::size_t(a)]);
    for (Eigen::Index b = 0; b < P_.cols(); ++b)
      P_(counts.rows(), b) = normal_cdf(cut_b[std::size_t(b)]);
  }

  /// Derivatives of the log-likelihood, and Fisher's information.
  struct Slopes {
    double slope = 0, curvature = 0, information = 0;
  };

  Slopes at(double rho) {
    inner_.move_to(rho);
    put(inner_.P(), P_);
    put(inner_.d_P(), d_P_);
    put(inner_.dd_P(), dd_P_);
    Slopes out;
    for (Eigen::Index b = 0; b < counts_.cols(); ++b)
      for (Eigen::Index a = 0; a < counts_.rows(); ++a) {
        const double P = std::max(cell(P_, a, b), kLeastProbability);
        const double slope = cell(d_P_, a, b) / P;
        out.slope += counts_(a, b) * slope;
        out.curvature += counts_(a, b) * (cell(dd_P_, a, b) / P - slope * slope);
        out.information += n_ * P * slope * slope;
      }
    return out;
  }

 private:
  static void put(const Eigen::ArrayXd& inside, Matrix& F) {
    const Eigen::Index rows = F.rows() - 2, cols = F.cols() - 2;
    for (Eigen::Index b = 0; b < cols; ++b)
      for (Eigen::Index a = 0; a < rows; ++a) F(a + 1, b + 1) = inside[a + b * rows];
  }

  /// F(a, b) belongs to all below cut points a and b; this is what lies in one cell.
  static double cell(const Matrix& F, Eigen::Index a, Eigen::Index b) {
    return F(a + 1, b + 1) - F(a, b + 1) - F(a + 1, b) + F(a, b);
  }

  const Matrix& counts_;
  double n_;
  BivariateNormal inner_;
  Matrix P_, d_P_, dd_P_;
};

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
  CellLikelihood likelihood(counts, cut_a, cut_b);
  double low = -kMostRho, high = kMostRho, rho = std::clamp(start, -0.95, 0.95);
  for (int step = 0; step < kMostSteps; ++step) {
    const CellLikelihood::Slopes at = likelihood.at(rho);
    (at.slope > 0 ? low : high) = rho;  // the likelihood has one maximum
    const bool newton = -at.curvature > 0.2 * at.information;
    double next = rho + at.slope / (newton ? -at.curvature : at.information);
    const bool inside = next > low && next < high;
    if (!inside) next = 0.5 * (low + high);
    const double move = std::abs(next - rho), close = 1 - rho * rho;
    rho = next;
    if (newton && inside && move < kQuadratic * close) break;  // the error is some move^2
    if (move < kRhoTolerance || high - low < kRhoTolerance) break;
  }
  return rho;
}

}  // namespace spodnet
