#include "spodnet/estimators/glasso_block.hpp"

#include <algorithm>
#include <cmath>

#include "spodnet/core/kernels.hpp"
#include "spodnet/core/stop.hpp"

namespace spodnet {
namespace {

constexpr double kFar = 1e300;         // takes any move out of the box
constexpr int kWorkingSetRounds = 20;  // a column has at most so many rounds of violators

}  // namespace

GlassoBlock::GlassoBlock(const Matrix& S, const SidedPenalty& lambda)
    : p_(std::size_t(S.rows())),
      ld_(padded(p_)),
      S_(S),
      lambda_(lambda),
      W_(p_ * ld_),
      y_(ld_),
      support_(p_),
      beta_(p_),
      theta_(p_),
      deviation_(p_),
      positive_(p_),
      negative_(p_),
      violators_(p_) {
  for (std::size_t i = 0; i < p_; ++i) deviation_[i] = std::sqrt(S_(i, i));
  reset();
}

/// W = S and no edges.
void GlassoBlock::reset() {
  for (std::size_t i = 0; i < p_; ++i) {
    theta_[i] = 1 / S_(i, i);
    std::copy_n(&S_(i, 0), p_, w(i));
    support_[i].clear();
    beta_[i].clear();
  }
}

const double* GlassoBlock::raised_row(const Matrix& lambda, std::size_t i,
                                      std::vector<double>& raised) {
  const double* row = &lambda(i, 0);
  if (tau_ == 0) return row;
  for (std::size_t j = 0; j < p_; ++j)
    raised[j] = std::max(row[j], tau_ * deviation_[i] * deviation_[j]);
  return raised.data();
}

double GlassoBlock::sweep(double tolerance) {
  double moved = 0;
  for (std::size_t i = 0; i < p_; ++i) {
    leave_if_stopped();
    moved += update_column(i, tolerance);
  }
  return moved;
}

double GlassoBlock::update_column(std::size_t i, double tolerance) {
  const double own_tolerance = tolerance / theta_[i];
  double moved = 0;
  if (!support_[i].empty()) moved += solve_working_set(i, own_tolerance);
  multiply(i);
  for (int round = 0; round < kWorkingSetRounds && add_violators(i, own_tolerance); ++round) {
    moved += solve_working_set(i, own_tolerance);
    multiply(i);
  }
  store_column(i);
  return moved * theta_[i];
}

/// Solves the lasso on the variables of support_[i].
double GlassoBlock::solve_working_set(std::size_t i, double tolerance) {
  const auto& set = support_[i];
  const std::size_t k = set.size(), ld = padded(k);
  const double* positive = raised_row(lambda_.positive, i, positive_);
  const double* negative = raised_row(lambda_.negative, i, negative_);
  H_.resize(k * ld);
  c_.resize(k);
  above_.resize(k);
  below_.resize(k);
  for (std::size_t l = 0; l < k; ++l) {
    const double* row = w(set[l]);
    for (std::size_t m = 0; m < k; ++m) H_[l * ld + m] = row[set[m]];
    std::fill(H_.data() + l * ld + k, H_.data() + (l + 1) * ld, 0.0);
    c_[l] = S_(i, set[l]);
    above_[l] = negative[set[l]];  // beta > 0 where Theta < 0
    below_[l] = positive[set[l]];
  }
  return lasso({k, H_.data(), c_.data(), above_.data(), below_.data()}, tolerance, beta_[i].data(),
               lasso_);
}

/// y <- W_11 beta
void GlassoBlock::multiply(std::size_t i) {
  std::fill(y_.begin(), y_.end(), 0.0);
  rows_.clear();
  for (std::size_t j : support_[i]) rows_.push_back(w(j));
  kernels().combine(ld_, rows_.size(), beta_[i].data(), rows_.data(), y_.data());
}

/// Adds to the working set the variables whose optimality condition -lambda+ <= s_12 - y <= lambda-
/// fails.
bool GlassoBlock::add_violators(std::size_t i, double tolerance) {
  const double* positive = raised_row(lambda_.positive, i, positive_);
  const double* negative = raised_row(lambda_.negative, i, negative_);
  const double *s = &S_(i, 0), allowed = std::sqrt(tolerance);
  const auto& set = support_[i];
  const std::size_t before = set.size();
  std::size_t count = 0;
  for (std::size_t j = 0; j < p_; ++j) {
    const double r = s[j] - y_[j];
    violators_[count] = j;
    count += std::max(r - negative[j], -r - positive[j]) > allowed * deviation_[j];
  }
  for (std::size_t v = 0; v < count; ++v) {
    const std::size_t j = violators_[v];
    const auto end = set.begin() + std::ptrdiff_t(before);
    if (j == i || std::find(set.begin(), end, j) != end) continue;
    support_[i].push_back(j);
    beta_[i].push_back(0);
  }
  return set.size() > before;
}

void GlassoBlock::store_column(std::size_t i) {
  auto& set = support_[i];
  auto& beta = beta_[i];
  double q = 0;
  std::size_t kept = 0;
  for (std::size_t l = 0; l < set.size(); ++l) {
    if (beta[l] == 0) continue;
    q += beta[l] * y_[set[l]];
    set[kept] = set[l];
    beta[kept++] = beta[l];
  }
  if (!(q < S_(i, i))) kept = 0;  // only if S is not positive semi-definite: keep the old column
  set.resize(kept);
  beta.resize(kept);
  if (!(q < S_(i, i))) return;
  for (std::size_t j = 0; j < p_; ++j) w(j)[i] = w(i)[j] = y_[j];
  w(i)[i] = S_(i, i);
  theta_[i] = 1 / (S_(i, i) - q);
}

Matrix GlassoBlock::precision() const {
  Matrix Theta = Matrix::Zero(S_.rows(), S_.cols());
  for (std::size_t i = 0; i < p_; ++i) {
    Theta(i, i) = theta_[i];
    for (std::size_t l = 0; l < support_[i].size(); ++l)
      Theta(i, support_[i][l]) = -beta_[i][l] * theta_[i];
  }
  for (Eigen::Index i = 0; i < Theta.rows(); ++i)
    for (Eigen::Index j = 0; j < i; ++j) {
      const double a = Theta(i, j), b = Theta(j, i);
      Theta(i, j) = Theta(j, i) = a != 0 && b != 0 ? 0.5 * a + 0.5 * b : 0;
    }
  return Theta;
}

Matrix GlassoBlock::dual_point() const {
  const Matrix Theta = precision();
  Matrix W = S_;
  for (std::size_t i = 0; i < p_; ++i)
    for (std::size_t j = 0; j < i; ++j) {
      const double move = w(i)[j] - S_(i, j) + kFar * Theta(i, j);
      W(i, j) = W(j, i) = S_(i, j) + lambda_.clipped(i, j, move);
    }
  return W;
}

double GlassoBlock::density() const {
  std::size_t edges = 0;
  for (const auto& set : support_) edges += set.size();
  return double(edges) / double(p_ * (p_ - 1));
}

}  // namespace spodnet
