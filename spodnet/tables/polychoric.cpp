#include "spodnet/tables/polychoric.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

#include "spodnet/tables/ranks.hpp"

namespace spodnet {
namespace {

constexpr double kMostRho = 0.9999;
constexpr double kLeastProbability = 1e-12;  // of a cell: rounding may leave less than nothing
constexpr double kRhoTolerance = 1e-8;
constexpr double kQuadratic = 1e-4;  // Newton's steps below, in units of 1 - rho^2, end it
constexpr int kMostSteps = 60;
constexpr double kEmptyCorner = 0.5;  // rows

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
  for (const double cut : column.cut) column.below.push_back(normal_cdf(cut));
  column.information = 0;
  for (std::size_t k = 0; k < column.levels(); ++k) {
    const double slice = normal_density(column.cut[k]) - normal_density(column.cut[k + 1]);
    column.score.push_back(slice / column.share[k]);
    column.information += slice * column.score[k];
  }
}

void add_row_bits(OrderedColumn& column) {
  constexpr std::size_t kBits = 64;
  const std::size_t words = (column.level.size() + kBits - 1) / kBits;
  column.rows.assign(column.levels() * words, 0);
  for (std::size_t i = 0; i < column.level.size(); ++i)
    if (column.level[i] >= 0)
      column.rows[std::size_t(column.level[i]) * words + i / kBits] |= std::uint64_t(1)
                                                                       << (i % kBits);
}

/// The finite ones: all but the first and the last.
std::span<const double> finite_ones(const std::vector<double>& of_cuts) {
  return std::span(of_cuts).subspan(1, of_cuts.size() - 2);
}

void put_inside(const auto& inside, Matrix& F) {
  const Eigen::Index rows = F.rows() - 2, cols = F.cols() - 2;
  for (Eigen::Index b = 0; b < cols; ++b)
    for (Eigen::Index a = 0; a < rows; ++a) F(a + 1, b + 1) = inside[a + b * rows];
}

/// F(a, b) belongs to all below cut points a and b; this is what lies in one cell.
double in_cell(const Matrix& F, Eigen::Index a, Eigen::Index b) {
  return F(a + 1, b + 1) - F(a, b + 1) - F(a + 1, b) + F(a, b);
}

/// Levels below and levels above the cut point nearest to the median. Of two equally near ones,
/// which recoding x -> -x swaps, the lower and the higher: the levels between are in neither half.
struct Halves {
  Eigen::Index low = 1, high = 1;
};

Halves halves_of(const OrderedColumn& column) {
  constexpr double kEqual = 1e-9;  // but for rounding
  const auto far = [&](std::size_t k) { return std::abs(column.below[k] - 0.5); };
  std::size_t low = 1, high = 1;
  for (std::size_t k = 2; k < column.levels(); ++k) {
    if (far(k) < far(low) - kEqual) low = high = k;
    if (far(k) < far(low) + kEqual) high = k;
  }
  return {Eigen::Index(low), Eigen::Index(column.levels() - high)};
}

/// Values seen, ascending, with the sum of their weights.
struct SeenValues {
  std::vector<double> value, sum;

  std::size_t place(double x) const {
    return std::size_t(std::lower_bound(value.begin(), value.end(), x) - value.begin());
  }
  void add(double x, double weight) {
    const std::size_t at = place(x);
    if (at == value.size() || value[at] != x) {
      value.insert(value.begin() + std::ptrdiff_t(at), x);
      sum.insert(sum.begin() + std::ptrdiff_t(at), 0.0);
    }
    sum[at] += weight;
  }
};

}  // namespace

OrderedColumn ordered_column(const Eigen::Ref<const Vector>& values, const Vector& weight) {
  SeenValues seen;
  double total = 0;
  for (Eigen::Index i = 0; i < values.size(); ++i) {
    const double w = weight_of(weight, std::size_t(i));
    if (std::isnan(values[i]) || !(w > 0)) continue;
    seen.add(values[i], w);
    total += w;
  }
  OrderedColumn out;
  for (const double sum : seen.sum) out.share.push_back(sum / total);
  for (const double value : values) {
    const std::size_t at = std::isnan(value) ? seen.value.size() : seen.place(value);
    const bool known = at < seen.value.size() && seen.value[at] == value;
    out.level.push_back(known ? int(at) : -1);
  }
  add_cuts(out);
  add_row_bits(out);
  return out;
}

void Polychoric::count(const OrderedColumn& a, const OrderedColumn& b) {
  counts_.resize(Eigen::Index(a.levels()), Eigen::Index(b.levels()));
  if (weight_.size() == 0) {
    level_kernels().common_bits(a.rows.size() / a.levels(), a.levels(), a.rows.data(), b.levels(),
                                b.rows.data(), counts_.data());
  } else {
    counts_.setZero();
    for (std::size_t i = 0; i < a.level.size(); ++i)
      if (a.level[i] >= 0 && b.level[i] >= 0)
        counts_(a.level[i], b.level[i]) += weight_of(weight_, i);
  }
  n_ = counts_.sum();
  fill_corners(a, b);
}

/// In proportion to what independence expects in each of its cells.
void Polychoric::fill_corner(Eigen::Index top, Eigen::Index left, Eigen::Index rows,
                             Eigen::Index cols) {
  if (counts_.block(top, left, rows, cols).sum() > 0) return;
  const double expected = in_row_.segment(top, rows).sum() * in_col_.segment(left, cols).sum() / n_;
  if (!(expected > 0)) return;
  const double unit = std::min(kEmptyCorner, expected) / expected / n_;
  for (Eigen::Index b = left; b < left + cols; ++b)
    for (Eigen::Index a = top; a < top + rows; ++a) counts_(a, b) = unit * in_row_[a] * in_col_[b];
  expected_ += expected;
}

void Polychoric::fill_corners(const OrderedColumn& a, const OrderedColumn& b) {
  expected_ = 0;
  if (!(n_ > 0)) return;
  in_row_ = counts_.rowwise().sum();
  in_col_ = counts_.colwise().sum();
  const Halves of_a = halves_of(a), of_b = halves_of(b);
  const Eigen::Index i = counts_.rows() - of_a.high, j = counts_.cols() - of_b.high;
  fill_corner(0, 0, of_a.low, of_b.low);
  fill_corner(i, 0, of_a.high, of_b.low);
  fill_corner(0, j, of_a.low, of_b.high);
  fill_corner(i, j, of_a.high, of_b.high);
  n_ = counts_.sum();
}

void Polychoric::set_cells(const OrderedColumn& a, const OrderedColumn& b) {
  for (Matrix* F : {&P_, &d_P_, &dd_P_}) F->setZero(counts_.rows() + 1, counts_.cols() + 1);
  for (Eigen::Index k = 0; k < P_.rows(); ++k) P_(k, counts_.cols()) = a.below[std::size_t(k)];
  for (Eigen::Index k = 0; k < P_.cols(); ++k) P_(counts_.rows(), k) = b.below[std::size_t(k)];
  inner_.start(finite_ones(a.cut), finite_ones(a.below), finite_ones(b.cut), finite_ones(b.below));
}

Polychoric::Slopes Polychoric::at(double rho) {
  inner_.move_to(rho);
  put_inside(inner_.P(), P_);
  put_inside(inner_.d_P(), d_P_);
  put_inside(inner_.dd_P(), dd_P_);
  Slopes out;
  for (Eigen::Index b = 0; b < counts_.cols(); ++b)
    for (Eigen::Index a = 0; a < counts_.rows(); ++a) {
      const double P = std::max(in_cell(P_, a, b), kLeastProbability);
      const double slope = in_cell(d_P_, a, b) / P;
      out.slope += counts_(a, b) * slope;
      out.curvature += counts_(a, b) * (in_cell(dd_P_, a, b) / P - slope * slope);
      out.information += n_ * P * slope * slope;
    }
  return out;
}

double Polychoric::empty_corners(const OrderedColumn& a, const OrderedColumn& b) {
  if (a.levels() < 2 || b.levels() < 2) return 0;
  count(a, b);
  return expected_;
}

double Polychoric::operator()(const OrderedColumn& a, const OrderedColumn& b, double start) {
  effective_ = 0;
  if (a.levels() < 2 || b.levels() < 2) return 0;
  count(a, b);
  if (!(n_ > 0)) return 0;
  set_cells(a, b);
  double low = -kMostRho, high = kMostRho, rho = std::clamp(start, -0.95, 0.95);
  for (int step = 0; step < kMostSteps; ++step) {
    const Slopes here = at(rho);
    effective_ = std::pow(1 - rho * rho, 2) * here.information;
    (here.slope > 0 ? low : high) = rho;  // the likelihood has one maximum
    const bool newton = -here.curvature > 0.2 * here.information;
    double next = rho + here.slope / (newton ? -here.curvature : here.information);
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
