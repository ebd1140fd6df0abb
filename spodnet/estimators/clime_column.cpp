#include "spodnet/estimators/clime_column.hpp"

#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <limits>

#include "spodnet/core/kernels.hpp"
#include "spodnet/core/random.hpp"
#include "spodnet/core/stop.hpp"

namespace spodnet {
namespace {

constexpr double kPerturbation = 1e-10;
constexpr double kEdgeRounding = 1e-12;  // of a sum, relative to the sum of its terms' magnitudes
constexpr int kChangesKept = 20;         // of the inverse, before it is computed again
constexpr int kBendsPerEntry = 50;       // a walk of more bends than that turns in a circle

/// The smallest step at which something is met, and what.
struct Nearest {
  double slowest;  ///< speeds below it are rounding
  double step = std::numeric_limits<double>::infinity();
  Eigen::Index at = -1;
  double sign = 0;
  bool inside = false;  ///< one of those that are in already leaves

  void meet(double distance, double speed, Eigen::Index k, double side, bool leaves) {
    if (!(speed > slowest) || std::max(distance, 0.0) / speed >= step) return;
    *this = {slowest, std::max(distance, 0.0) / speed, k, side, leaves};
  }
};

std::vector<bool> marked(Eigen::Index p, const std::vector<Eigen::Index>& members) {
  std::vector<bool> in(static_cast<std::size_t>(p));
  for (Eigen::Index k : members) in[std::size_t(k)] = true;
  return in;
}

Matrix without(const Matrix& A, Eigen::Index row, Eigen::Index column) {
  Matrix out(A.rows() - 1, A.cols() - 1);
  for (Eigen::Index i = 0; i < out.rows(); ++i)
    for (Eigen::Index k = 0; k < out.cols(); ++k) out(i, k) = A(i + (i >= row), k + (k >= column));
  return out;
}

template <class T>
void erase(std::vector<T>& from, std::size_t at) {
  from.erase(from.begin() + std::ptrdiff_t(at));
}

}  // namespace

/// Row i becomes active (`is_row`) with this sign, or the non-zero at place i of `columns` is 0.
struct ClimeColumn::Entering {
  bool is_row;
  Eigen::Index i;
  double sign;
};

ClimeProblem::ClimeProblem(const MatrixRef& S)
    : p(S.rows()), ld(padded(std::size_t(p))), rows(std::size_t(p) * ld), bound(p), cost(p) {
  RandomStream random(1);
  for (Eigen::Index i = 0; i < p; ++i) {
    for (Eigen::Index k = 0; k < p; ++k) rows[std::size_t(i) * ld + std::size_t(k)] = S(i, k);
    bound[i] = 1 + kPerturbation * random.uniform();
    cost[i] = 1 + kPerturbation * random.uniform();
  }
}

ClimeColumn::ClimeColumn(const ClimeProblem& problem, Eigen::Index j)
    : problem_(problem),
      j_(j),
      lambda_(1 / problem.bound[j]),
      r_(problem.ld),
      g_(problem.ld),
      q_(problem.ld),
      h_(problem.ld) {
  ended_ = !pivot({true, j, 1});
}

Vector ClimeColumn::part(Eigen::Index i, const std::vector<Eigen::Index>& at) const {
  Vector out(Eigen::Index(at.size()));
  for (std::size_t k = 0; k < at.size(); ++k) out[Eigen::Index(k)] = problem_.row(i)[at[k]];
  return out;
}

/// out <- sum_k x_k S(rows_k, :)
void ClimeColumn::combine(const std::vector<Eigen::Index>& rows, const Vector& x,
                          AlignedVector& out) const {
  std::fill(out.begin(), out.end(), 0.0);
  std::vector<const double*> pointers;
  for (Eigen::Index k : rows) pointers.push_back(problem_.row(k));
  kernels().combine(problem_.ld, pointers.size(), x.data(), pointers.data(), out.data());
}

void ClimeColumn::refresh() {
  const Eigen::Index k = Eigen::Index(rows_.size());
  Matrix part_of_S(k, k);
  for (Eigen::Index a = 0; a < k; ++a) part_of_S.row(a) = part(rows_[std::size_t(a)], columns_);
  inverse_ = Eigen::PartialPivLU<Matrix>(part_of_S).inverse();
  changes_ = 0;
}

void ClimeColumn::add(Eigen::Index i, Eigen::Index l) {
  const Eigen::Index k = inverse_.rows();
  const Vector u = inverse_ * part(l, rows_), row = part(i, columns_);
  const Vector v = inverse_.transpose() * row;
  const double z = problem_.row(i)[l] - row.dot(u);
  Matrix next(k + 1, k + 1);
  next.topLeftCorner(k, k) = inverse_ + u * v.transpose() / z;
  next.col(k).head(k) = -u / z;
  next.row(k).head(k) = -v.transpose() / z;
  next(k, k) = 1 / z;
  inverse_ = std::move(next);
  rows_.push_back(i);
  columns_.push_back(l);
}

void ClimeColumn::drop(std::size_t row, std::size_t column) {
  const Eigen::Index a = Eigen::Index(column), b = Eigen::Index(row);
  const Vector left = inverse_.col(b), right = inverse_.row(a).transpose();
  inverse_ -= left * right.transpose() / inverse_(a, b);
  inverse_ = without(inverse_, a, b);
  erase(rows_, row), erase(row_signs_, row);
  erase(columns_, column), erase(column_signs_, column);
}

void ClimeColumn::replace_row(std::size_t row, Eigen::Index i) {
  const Eigen::Index b = Eigen::Index(row);
  Vector v = inverse_.transpose() * part(i, columns_);
  const Vector column = inverse_.col(b) / v[b];
  v[b] = 0;
  inverse_ -= column * v.transpose();
  inverse_.col(b) = column;
  rows_[row] = i;
}

void ClimeColumn::replace_column(std::size_t column, Eigen::Index l) {
  const Eigen::Index a = Eigen::Index(column);
  Vector u = inverse_ * part(l, rows_);
  const Vector row = inverse_.row(a).transpose() / u[a];
  u[a] = 0;
  inverse_ -= u * row.transpose();
  inverse_.row(a) = row.transpose();
  columns_[column] = l;
}

/// Moves the dual along its edge until the next of its constraints is met, and takes that into
/// the basis. False when there is none: the primal has no solution below this lambda.
bool ClimeColumn::pivot(const Entering& entering) {
  const Eigen::Index k = Eigen::Index(rows_.size());
  Vector y = Vector::Zero(k), d = y;
  if (k > 0) {
    Vector costs(k);
    for (Eigen::Index a = 0; a < k; ++a)
      costs[a] = column_signs_[std::size_t(a)] * problem_.cost[columns_[std::size_t(a)]];
    y = inverse_.transpose() * costs;
    d = entering.is_row
            ? Vector(-entering.sign * (inverse_.transpose() * part(entering.i, columns_)))
            : Vector(-entering.sign * inverse_.row(entering.i).transpose());
  }
  combine(rows_, y, q_);
  combine(rows_, d, h_);
  if (entering.is_row)
    kernels().axpy(problem_.ld, entering.sign, problem_.row(entering.i), h_.data());
  std::vector<bool> in = marked(problem_.p, columns_);
  if (!entering.is_row) in[std::size_t(columns_[std::size_t(entering.i)])] = false;
  Nearest next{kEdgeRounding * (1 + d.lpNorm<1>())};
  for (Eigen::Index b = 0; b < k; ++b) {
    const double sign = row_signs_[std::size_t(b)];
    next.meet(sign * y[b], -sign * d[b], b, 0, true);
  }
  for (Eigen::Index l = 0; l < problem_.p; ++l) {
    if (in[std::size_t(l)]) continue;
    const double side = h_[std::size_t(l)] > 0 ? 1 : -1;
    next.meet(problem_.cost[l] - side * q_[std::size_t(l)], side * h_[std::size_t(l)], l, side,
              false);
  }
  if (next.at < 0) return false;
  const std::size_t met = std::size_t(next.at), place = std::size_t(entering.i);
  if (entering.is_row && next.inside) {
    replace_row(met, entering.i);
    row_signs_[met] = entering.sign;
  } else if (entering.is_row) {
    add(entering.i, next.at);
    row_signs_.push_back(entering.sign);
    column_signs_.push_back(next.sign);
  } else if (next.inside) {
    drop(met, place);
  } else {
    replace_column(place, next.at);
    column_signs_[place] = next.sign;
  }
  if (++changes_ >= kChangesKept || !inverse_.allFinite()) refresh();
  return inverse_.allFinite();
}

bool ClimeColumn::move_to(double lambda) {
  for (Eigen::Index bend = 0; !ended_ && lambda_ > lambda; ++bend) {
    leave_if_stopped();
    const Eigen::Index k = Eigen::Index(rows_.size());
    Vector target = Vector::Zero(k), signed_bounds(k);
    for (Eigen::Index b = 0; b < k; ++b) {
      target[b] = rows_[std::size_t(b)] == j_;
      signed_bounds[b] = row_signs_[std::size_t(b)] * problem_.bound[rows_[std::size_t(b)]];
    }
    const Vector slope = inverse_ * signed_bounds;  // of b as lambda falls
    const Vector b = inverse_ * target - lambda_ * slope;
    combine(columns_, b, r_);
    combine(columns_, slope, g_);
    const std::vector<bool> in = marked(problem_.p, rows_);
    Nearest next{kEdgeRounding * (1 + slope.lpNorm<1>())};
    for (Eigen::Index a = 0; a < k; ++a) {
      const double sign = column_signs_[std::size_t(a)];
      next.meet(sign * b[a], -sign * slope[a], a, sign, true);
    }
    for (Eigen::Index i = 0; i < problem_.p; ++i) {
      if (in[std::size_t(i)]) continue;
      const double r = double(i == j_) - r_[std::size_t(i)], g = -g_[std::size_t(i)];
      for (double side : {1.0, -1.0})
        next.meet(lambda_ * problem_.bound[i] - side * r, problem_.bound[i] + side * g, i, side,
                  false);
    }
    if (next.step >= lambda_ - lambda) {
      lambda_ = lambda;
      break;
    }
    lambda_ -= next.step;
    ended_ = bend > kBendsPerEntry * problem_.p || !pivot({!next.inside, next.at, next.sign});
  }
  if (!ended_) refresh();
  return !ended_;
}

Vector ClimeColumn::primal() const {
  const Eigen::Index k = Eigen::Index(rows_.size());
  Vector target(k), b = Vector::Zero(problem_.p);
  for (Eigen::Index a = 0; a < k; ++a)
    target[a] = double(rows_[std::size_t(a)] == j_) - lambda_ * row_signs_[std::size_t(a)];
  const Vector values = inverse_ * target;
  for (Eigen::Index a = 0; a < k; ++a) b[columns_[std::size_t(a)]] = values[a];
  return b;
}

Vector ClimeColumn::dual() const {
  const Eigen::Index k = Eigen::Index(rows_.size());
  Vector y = Vector::Zero(problem_.p);
  const Vector values = inverse_.transpose() * Eigen::Map<const Vector>(column_signs_.data(), k);
  for (Eigen::Index b = 0; b < k; ++b) y[rows_[std::size_t(b)]] = values[b];
  return y;
}

}  // namespace spodnet
