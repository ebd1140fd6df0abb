#include "spodnet/estimators/glasso_box.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "spodnet/core/cholesky.hpp"
#include "spodnet/core/kernels.hpp"
#include "spodnet/core/stop.hpp"

namespace spodnet {
namespace {

constexpr int kPasses = 4;  // coordinate passes over one column; more cost what they bring

/// W_ij is at the bound s + positive and theta_ij > 0, or at s - negative and theta_ij < 0.
bool stays_an_edge(double w, double s, double positive, double negative, double theta) {
  const bool above = theta > 0;  // no jumps: signs of theta are unpredictable
  return (above & (w == s + positive)) | (!above & (w == s - negative));
}

}  // namespace

GlassoBox::GlassoBox(const Matrix& S, const SidedPenalty& lambda, Matrix W)
    : p_(std::size_t(S.rows())),
      ld_(padded(p_)),
      S_(S),
      lambda_(lambda),
      variances_(S.diagonal()),
      W_(std::move(W)),
      Theta_(p_ * ld_),
      diagonal_(ld_),
      rows_(2 * ld_),
      coef_(2 * ld_),
      w_(ld_),
      g_(ld_),
      low_(ld_),
      high_(ld_),
      step_(ld_),
      moving_(p_) {}

bool GlassoBox::invert() {
  const double log_det = spd_inverse(W_, inverse_);
  if (!std::isfinite(log_det)) return false;
  log_det_W_ = log_det;
  for (std::size_t i = 0; i < p_; ++i) {
    std::copy_n(&inverse_(i, 0), p_, theta(i));
    diagonal_[i] = inverse_(i, i);
  }
  return true;
}

void GlassoBox::sweep() {
  for (std::size_t i = 0; i < p_; ++i) {
    leave_if_stopped();
    update_column(i);
  }
}

void GlassoBox::update_column(std::size_t i) {
  double *old = rows_.data(), *factor = coef_.data();
  std::copy_n(theta(i), ld_, old);
  const double scale = -1 / old[i];
  for (std::size_t j = 0; j < ld_; ++j)
    factor[j] = g_[j] = scale * old[j];  // M w = -theta / theta_ii
  const double *s = &S_(i, 0), *positive = &lambda_.positive(i, 0);
  const double* negative = &lambda_.negative(i, 0);
  for (std::size_t j = 0; j < p_; ++j) {
    low_[j] = s[j] - negative[j];
    high_[j] = s[j] + positive[j];
    step_[j] = 1 / (diagonal_[j] + old[j] * factor[j]);
  }
  std::copy_n(&W_(i, 0), p_, w_.data());
  if (solve_column(i)) store_column(i);
}

/// Passes over the entries of the column that would move. False when rounding left no Schur
/// complement; the column is then better kept.
bool GlassoBox::solve_column(std::size_t i) {
  std::size_t count = 0;
  for (std::size_t j = 0; j < p_; ++j) {
    const double w = w_[j], low = low_[j], high = high_[j];
    const double target = std::min(std::max(w - g_[j] * step_[j], low), high);
    moving_[count] = j;
    // Rounding may leave no move inside the bounds: who is asked again must not depend on that.
    count += ((target != w) | ((low < w) & (w < high))) & (j != i);
  }
  BoxColumn column{ld_,          Theta_.data(), rows_.data(), coef_.data(), low_.data(),
                   high_.data(), step_.data(),  w_.data(),    g_.data(),    0};
  for (int pass = 0; pass < kPasses; ++pass)
    count = kernels().box_pass(column, count, moving_.data());
  kernels().axpy(ld_, column.shift, rows_.data(), g_.data());
  g_[i] = 0;
  return S_(i, i) - kernels().dot(ld_, w_.data(), g_.data()) > 0;
}

/// Theta <- Theta - theta theta' / theta_ii (old row i) + theta theta' / theta_ii (new row i).
void GlassoBox::store_column(std::size_t i) {
  const auto& k = kernels();
  double *next = rows_.data() + ld_, *factor = coef_.data() + ld_;
  const double theta_ii = 1 / (S_(i, i) - k.dot(ld_, w_.data(), g_.data()));
  g_[i] = -1;
  for (std::size_t j = 0; j < ld_; ++j) {
    factor[j] = -g_[j];
    next[j] = theta_ii * factor[j];
    diagonal_[j] += coef_[j] * rows_[j] + factor[j] * next[j];
  }
  for (std::size_t j = 0; j < p_; ++j) W_(i, j) = W_(j, i) = w_[j];
  k.gemm(p_, ld_, 2, coef_.data(), 1, ld_, rows_.data(), ld_, Theta_.data(), ld_);
}

Matrix GlassoBox::precision() const {
  Matrix Theta = inverse_;
  for (std::size_t i = 0; i < p_; ++i) {
    const double *w = &W_(i, 0), *s = &S_(i, 0);
    const double *above = &lambda_.positive(i, 0), *below = &lambda_.negative(i, 0);
    double* theta = &Theta(i, 0);
    for (std::size_t j = 0; j < p_; ++j)
      theta[j] = stays_an_edge(w[j], s[j], above[j], below[j], theta[j]) ? theta[j] : 0;
    theta[i] = inverse_(i, i);
  }
  return Theta;
}

double GlassoBox::gap_estimate() const {
  double sum = 0;
  for (std::size_t i = 0; i < p_; ++i) {
    const double *theta = &inverse_(i, 0), *w = &W_(i, 0), *s = &S_(i, 0);
    const double *above = &lambda_.positive(i, 0), *below = &lambda_.negative(i, 0);
    double row = 0;
    for (std::size_t j = 0; j < i; ++j) {
      const bool edge = stays_an_edge(w[j], s[j], above[j], below[j], theta[j]);
      row += edge ? 0 : theta[j] * theta[j] * variances_[j];
    }
    sum += row * variances_[i];
  }
  return sum;
}

}  // namespace spodnet
