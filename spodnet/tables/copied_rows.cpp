#include "spodnet/tables/copied_rows.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

#include "spodnet/core/stop.hpp"

namespace spodnet {
namespace {

constexpr std::size_t kFewestCopies = 2;
constexpr double kBeyondChance = 3;

/// NaN behind all numbers: an order of all values.
int compared(double a, double b) {
  if (std::isnan(a) || std::isnan(b)) return int(std::isnan(a)) - int(std::isnan(b));
  return a < b ? -1 : a > b ? 1 : 0;
}

int compared_rows(const MatrixRef& X, Eigen::Index a, Eigen::Index b) {
  for (Eigen::Index j = 0; j < X.cols(); ++j)
    if (const int order = compared(X(a, j), X(b, j))) return order;
  return 0;
}

/// log of the chance that two rows have the same value.
double log_coincidence(const Eigen::Ref<const Vector>& column) {
  std::vector<double> sorted(column.begin(), column.end());
  std::sort(sorted.begin(), sorted.end(), [](double a, double b) { return compared(a, b) < 0; });
  double squares = 0, run = 0;
  for (std::size_t k = 0; k < sorted.size(); ++k) {
    ++run;
    if (k + 1 < sorted.size() && compared(sorted[k], sorted[k + 1]) == 0) continue;
    squares += run * run;
    run = 0;
  }
  const double n = double(sorted.size());
  return std::log(squares / (n * n));
}

}  // namespace

std::optional<CopiedRows> find_copied_rows(const MatrixRef& X) {
  std::vector<Eigen::Index> order(std::size_t(X.rows()));
  std::iota(order.begin(), order.end(), Eigen::Index(0));
  std::sort(order.begin(), order.end(), [&](auto a, auto b) { return compared_rows(X, a, b) < 0; });
  CopiedRows out;
  out.number.resize(order.size());
  for (std::size_t k = 0; k < order.size(); ++k) {
    if (k == 0 || compared_rows(X, order[k - 1], order[k]) != 0) ++out.different;
    out.number[std::size_t(order[k])] = std::uint32_t(out.different - 1);
  }
  const std::size_t copies = order.size() - out.different;
  if (copies < kFewestCopies) return std::nullopt;
  double log_chance = 0;
  for (Eigen::Index j = 0; j < X.cols(); ++j) {
    leave_if_stopped();
    log_chance += log_coincidence(X.col(j));
  }
  const double n = double(order.size()), expected = 0.5 * n * n * std::exp(0.5 * log_chance);
  if (double(copies) <= kBeyondChance * expected) return std::nullopt;
  return out;
}

bool has_different_rows(const MatrixRef& X, std::size_t least) {
  const auto before = [&](auto a, auto b) { return compared_rows(X, a, b) < 0; };
  std::set<Eigen::Index, decltype(before)> different(before);
  for (Eigen::Index i = 0; i < X.rows() && different.size() < least; ++i) different.insert(i);
  return different.size() >= least;
}

}  // namespace spodnet
