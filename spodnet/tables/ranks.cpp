#include "spodnet/tables/ranks.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>

#include "spodnet/core/stop.hpp"
#include "spodnet/tables/coding.hpp"
#include "spodnet/tables/pairwise.hpp"

namespace spodnet {
namespace {

std::vector<double> column(const MatrixRef& X, Eigen::Index j) {
  std::vector<double> values(std::size_t(X.rows()));
  for (Eigen::Index i = 0; i < X.rows(); ++i) values[std::size_t(i)] = X(i, j);
  return values;
}

std::vector<double> observed(const MatrixRef& X, Eigen::Index j) {
  std::vector<double> values = column(X, j);
  std::erase_if(values, [](double x) { return std::isnan(x); });
  return values;
}

double median(std::vector<double> values) {
  if (values.empty()) return 0;
  const auto middle = values.begin() + std::ptrdiff_t(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  if (values.size() % 2 == 1) return *middle;
  return 0.5 * (*middle + *std::max_element(values.begin(), middle));
}

Matrix rank_matrix(const MatrixRef& X) {
  Matrix ranks(X.rows(), X.cols());
  for (Eigen::Index j = 0; j < X.cols(); ++j) {
    leave_if_stopped();
    const std::vector<double> r = mid_ranks(column(X, j));
    for (Eigen::Index i = 0; i < X.rows(); ++i) ranks(i, j) = r[std::size_t(i)];
  }
  return ranks;
}

}  // namespace

std::vector<double> mid_ranks(std::span<const double> values) {
  std::vector<std::size_t> order;
  for (std::size_t k = 0; k < values.size(); ++k)
    if (!std::isnan(values[k])) order.push_back(k);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return values[a] < values[b]; });
  std::vector<double> ranks(values.size(), std::numeric_limits<double>::quiet_NaN());
  for (std::size_t first = 0; first < order.size();) {
    std::size_t last = first + 1;
    while (last < order.size() && values[order[last]] == values[order[first]]) ++last;
    for (std::size_t k = first; k < last; ++k) ranks[order[k]] = 0.5 * double(first + last + 1);
    first = last;
  }
  return ranks;
}

double normal_quantile(double u) {
  if (u > 0.5) return -normal_quantile(1 - u);
  // Newton on log Phi, which is concave: from the left of the root it converges monotonically.
  double x = -std::sqrt(std::max(0.0, -2 * std::log(2 * u)));
  for (int step = 0; step < 50; ++step) {
    const double Phi = 0.5 * std::erfc(-x / std::numbers::sqrt2);
    const double phi = std::exp(-0.5 * x * x) / std::sqrt(2 * std::numbers::pi);
    const double move = (std::log(u) - std::log(Phi)) * Phi / phi;
    x += move;
    if (std::abs(move) <= 1e-15 * (1 + std::abs(x))) break;
  }
  return x;
}

Matrix normal_scores(const MatrixRef& X) {
  const Vector signs = coding_signs(X);
  Matrix scores = rank_matrix(recoded(X, signs));
  for (Eigen::Index j = 0; j < X.cols(); ++j) {
    const double count = double(observed(X, j).size());
    for (Eigen::Index i = 0; i < X.rows(); ++i)
      if (!std::isnan(scores(i, j))) scores(i, j) = normal_quantile((scores(i, j) - 0.5) / count);
  }
  return recoded(scores, signs);
}

Matrix gaussian_rank_correlation(const MatrixRef& X, RankCorrelation kind) {
  constexpr double pi = std::numbers::pi;
  if (kind == RankCorrelation::spearman) {
    Matrix R = pairwise_correlation(rank_matrix(X)).R;
    R = (2 * (pi / 6 * R.array()).sin()).matrix();
    R.diagonal().setOnes();
    return R;
  }
  const Eigen::Index p = X.cols();
  Matrix R = Matrix::Identity(p, p);
  std::vector<std::vector<double>> columns;
  for (Eigen::Index j = 0; j < p; ++j) columns.push_back(column(X, j));
  for (Eigen::Index i = 0; i < p; ++i)
    for (Eigen::Index j = 0; j < i; ++j) {
      leave_if_stopped();
      R(i, j) = R(j, i) =
          std::sin(pi / 2 * kendall_tau(columns[std::size_t(i)], columns[std::size_t(j)]));
    }
  return R;
}

Vector column_medians(const MatrixRef& X) {
  Vector medians(X.cols());
  for (Eigen::Index j = 0; j < X.cols(); ++j) medians[j] = median(observed(X, j));
  return medians;
}

Vector robust_scale(const MatrixRef& X) {
  const Vector medians = column_medians(X);
  Vector scale(X.cols());
  for (Eigen::Index j = 0; j < X.cols(); ++j) {
    std::vector<double> values = observed(X, j);
    double sum = 0, squares = 0;
    for (double& x : values) {
      x -= medians[j];
      sum += x, squares += x * x;
      x = std::abs(x);
    }
    const double n = double(values.size());
    scale[j] = 1.4826 * median(values);
    if (!(scale[j] > 0) && n > 0)
      scale[j] = std::sqrt(std::max(0.0, squares / n - sum * sum / (n * n)));
  }
  return scale;
}

}  // namespace spodnet
