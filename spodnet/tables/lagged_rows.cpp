#include "spodnet/tables/lagged_rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

#include "spodnet/core/error.hpp"
#include "spodnet/io/message.hpp"

namespace spodnet {
namespace {

constexpr double kLongestStep = 1.5;  // of the usual one: more is a missed beep or a night
constexpr double kFewBeeps = 20;      // a person: fewer bias the effects of a variable on itself

bool same_day(const Occasions& at, std::size_t i, std::size_t j) {
  return at.person[i] == at.person[j] && (at.day.empty() || at.day[i] == at.day[j]);
}

/// Rows by person, day and beep.
std::vector<std::size_t> in_time(const Occasions& at, const std::string& where) {
  std::vector<std::size_t> order(at.person.size());
  std::iota(order.begin(), order.end(), 0u);
  for (const std::size_t i : order)
    if (!std::isfinite(at.beep[Eigen::Index(i)]))
      throw Error(fmt::format("{}: row {} has no time: leave it out, or fill it in", where, i + 1));
  std::stable_sort(order.begin(), order.end(), [&](std::size_t i, std::size_t j) {
    if (at.person[i] != at.person[j]) return at.person[i] < at.person[j];
    if (!at.day.empty() && at.day[i] != at.day[j]) return at.day[i] < at.day[j];
    return at.beep[Eigen::Index(i)] < at.beep[Eigen::Index(j)];
  });
  return order;
}

/// Differences between successive rows of a person and day.
std::vector<double> steps_of(const Occasions& at, const std::vector<std::size_t>& order,
                             const std::string& where) {
  std::vector<double> steps;
  for (std::size_t k = 1; k < order.size(); ++k) {
    const std::size_t i = order[k - 1], j = order[k];
    if (!same_day(at, i, j)) continue;
    const double step = at.beep[Eigen::Index(j)] - at.beep[Eigen::Index(i)];
    if (step == 0)
      throw Error(fmt::format("{}: rows {} and {} are of one person at one time ({:g}){}", where,
                              std::min(i, j) + 1, std::max(i, j) + 1, at.beep[Eigen::Index(i)],
                              at.day.empty() ? "; if beeps start again each day, name the column "
                                               "of days"
                                             : ""));
    steps.push_back(step);
  }
  if (steps.empty())
    throw Error(where + ": no person has two rows" + (at.day.empty() ? "" : " on one day"));
  return steps;
}

double median_of(std::vector<double> values) {
  const auto middle = values.begin() + std::ptrdiff_t(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

/// X about the means of the rows of each unit, numbered from 0.
Matrix within_units(const Matrix& X, const std::vector<std::uint32_t>& unit) {
  const std::size_t units = 1 + *std::max_element(unit.begin(), unit.end());
  Matrix sum = Matrix::Zero(Eigen::Index(units), X.cols()), count = sum, Z = X;
  for (Eigen::Index i = 0; i < X.rows(); ++i)
    for (Eigen::Index j = 0; j < X.cols(); ++j)
      if (!std::isnan(X(i, j))) {
        sum(unit[std::size_t(i)], j) += X(i, j);
        count(unit[std::size_t(i)], j) += 1;
      }
  for (Eigen::Index i = 0; i < X.rows(); ++i)
    for (Eigen::Index j = 0; j < X.cols(); ++j)
      Z(i, j) -= sum(unit[std::size_t(i)], j) / count(unit[std::size_t(i)], j);
  return Z;
}

/// Of each row: twice its person's number, and one more in the second half of the person's rows.
std::vector<std::uint32_t> halves_of(const Occasions& at, const std::vector<std::size_t>& order) {
  std::vector<std::uint32_t> half(order.size());
  for (std::size_t first = 0, last; first < order.size(); first = last) {
    for (last = first; last < order.size() && at.person[order[last]] == at.person[order[first]];)
      ++last;
    for (std::size_t k = first; k < last; ++k)
      half[order[k]] = 2 * at.person[order[k]] + (2 * (k - first) >= last - first);
  }
  return half;
}

/// Root of the mean square of the values observed.
double spread_of(const Matrix& Z, Eigen::Index j) {
  double squares = 0, count = 0;
  for (const double z : Z.col(j))
    if (!std::isnan(z)) squares += z * z, ++count;
  return std::sqrt(squares / std::max(1.0, count));
}

/// In units of the within-person standard deviations, without what does not vary.
Matrix in_own_units(const Matrix& X, const Matrix& Z, const std::vector<std::string>& names,
                    const std::string& where, std::vector<Eigen::Index>& kept, LaggedRows& out) {
  std::vector<std::string> gone;
  std::vector<double> scale;
  for (Eigen::Index j = 0; j < Z.cols(); ++j) {
    double largest = 0;
    for (const double x : X.col(j))
      if (!std::isnan(x)) largest = std::max(largest, std::abs(x));
    const double spread = spread_of(Z, j);
    if (spread > 1e-12 * largest) {
      kept.push_back(j);
      scale.push_back(spread);
      out.names.push_back(names[std::size_t(j)]);
    } else {
      gone.push_back(names[std::size_t(j)]);
    }
  }
  if (!gone.empty())
    out.notes.push_back({true, fmt::format("{} {} within no person: left out", listed(gone),
                                           gone.size() == 1 ? "varies" : "vary")});
  if (kept.size() < 2) throw Error(where + ": fewer than two variables vary within a person");
  out.scale = Eigen::Map<const Vector>(scale.data(), Eigen::Index(scale.size()));
  return Z(Eigen::all, kept).array().rowwise() / out.scale.transpose().array();
}

void note_pairs(const Occasions& at, std::size_t rows, std::size_t gaps, std::size_t nights,
                std::size_t incomplete, LaggedRows& out) {
  std::vector<double> counts(1 + *std::max_element(at.person.begin(), at.person.end()), 0.0);
  for (const std::uint32_t person : at.person) ++counts[person];
  out.fewest = median_of(counts);
  out.notes.push_back(
      {false, fmt::format(
                  "{} rows of {} persons give {} pairs of a row and the one before it; not joined: "
                  "{} across days or persons, {} across longer gaps than {:g} (1.5 times the usual "
                  "step of {:g}), {} with a missing value",
                  rows, counts.size(), out.Y.rows(), nights, gaps, kLongestStep * out.step,
                  out.step, incomplete)});
  if (out.fewest < kFewBeeps)
    out.notes.push_back(
        {true,
         fmt::format("half of the persons have {:.0f} rows or fewer: with so few the correction "
                     "of effects for removed means is rough",
                     out.fewest)});
}

}  // namespace

LaggedRows lagged_rows(const Matrix& X, const std::vector<std::string>& names, const Occasions& at,
                       const std::string& where) {
  const auto order = in_time(at, where);
  LaggedRows out;
  out.step = median_of(steps_of(at, order, where));
  std::vector<Eigen::Index> kept;
  const Matrix Z = in_own_units(X, within_units(X, at.person), names, where, kept, out);
  const auto half = halves_of(at, order);
  std::vector<Eigen::Index> now, before;
  std::size_t gaps = 0, nights = 0, incomplete = 0;
  for (std::size_t k = 1; k < order.size(); ++k) {
    const auto i = Eigen::Index(order[k - 1]), j = Eigen::Index(order[k]);
    if (!same_day(at, order[k - 1], order[k])) {
      ++nights;
    } else if (at.beep[j] - at.beep[i] > kLongestStep * out.step) {
      ++gaps;
    } else if (Z.row(i).hasNaN() || Z.row(j).hasNaN()) {
      ++incomplete;
    } else {
      before.push_back(i), now.push_back(j);
      out.in_half.push_back(half[order[k - 1]] == half[order[k]]);
      out.persons += out.person.empty() || out.person.back() != at.person[order[k]];
      out.person.push_back(at.person[order[k]]);
    }
  }
  if (Eigen::Index(now.size()) < Z.cols() + 2)
    throw Error(fmt::format("{}: {} pairs of successive rows are too few for {} variables", where,
                            now.size(), Z.cols()));
  out.Y = Z(now, Eigen::all);
  out.X = Z(before, Eigen::all);
  const Matrix H =
      within_units(X(Eigen::all, kept), half).array().rowwise() / out.scale.transpose().array();
  out.Y_half = H(now, Eigen::all);
  out.X_half = H(before, Eigen::all);
  note_pairs(at, order.size(), gaps, nights, incomplete, out);
  return out;
}

}  // namespace spodnet
