#include <algorithm>
#include <cmath>

#include "spodnet/core/cholesky.hpp"
#include "spodnet/estimators/glasso_block.hpp"

namespace spodnet {
namespace {

constexpr double kFirstTau = 1.0 / 3, kTauFactor = 1.0 / 3;
constexpr double kLastTau = 1e-5;     // where some lambda_ij is 0, else tau goes down to lambda
constexpr double kRoughSweep = 1e-2;  // tolerance of the sweeps on the way to lambda

constexpr double kNearBound = 0.9;  // |W - S| of a start over lambda that makes an entry an edge

}  // namespace

void GlassoBlock::start_cold(double enough) {
  reset();
  double t = 1, lowest = 1;  // of lambda_ij / |S_ij| and of lambda_ij / sqrt(S_ii S_jj)
  for (std::size_t i = 0; i < p_; ++i)
    for (std::size_t j = 0; j < i; ++j) {
      t = std::min(t, lambda_.feasible_share(i, j, -S_(i, j)));
      lowest = std::min(lowest, lambda_.smaller(i, j) / (deviation_[i] * deviation_[j]));
    }
  for (std::size_t i = 0; i < p_; ++i)
    for (std::size_t j = 0; j < p_; ++j)
      if (i != j) w(i)[j] -= std::max(t, kFirstTau) * w(i)[j];
  if (lowest == 0) lowest = kLastTau;
  for (tau_ = kFirstTau; tau_ > lowest; tau_ *= kTauFactor) {
    sweep(kRoughSweep / double(p_));
    const bool last = density() > enough;
    mix_with_S(last ? lowest / tau_ : kTauFactor);
    if (last) break;
  }
  tau_ = 0;
}

bool GlassoBlock::start_warm(const Matrix& Theta, const Matrix& W) {
  if (!(W.diagonal().minCoeff() > 0) || !(Theta.diagonal().minCoeff() > 0)) return false;
  Matrix start = scaled_to_S(W);
  if (!move_into_box(start)) return false;
  std::vector<std::size_t> set(p_);
  std::vector<double> beta(p_);
  for (std::size_t i = 0; i < p_; ++i) {
    theta_[i] = Theta(i, i);
    std::copy_n(&start(i, 0), p_, w(i));
    std::size_t count = 0;
    for (std::size_t j = 0; j < p_; ++j) {
      set[count] = j;
      beta[count] = -Theta(i, j) / Theta(i, i);
      const double move = start(i, j) - S_(i, j);
      const double up = lambda_.positive(i, j), down = lambda_.negative(i, j);
      const bool near_bound = (move >= kNearBound * up) | (-move >= kNearBound * down);
      count += (j != i) & (Theta(i, j) != 0) & near_bound;
    }
    support_[i].assign(set.begin(), set.begin() + std::ptrdiff_t(count));
    beta_[i].assign(beta.begin(), beta.begin() + std::ptrdiff_t(count));
  }
  return true;
}

/// W in the units of S: with its diagonal.
Matrix GlassoBlock::scaled_to_S(const Matrix& W) const {
  std::vector<double> ratio(p_);
  for (std::size_t i = 0; i < p_; ++i) ratio[i] = deviation_[i] / std::sqrt(W(i, i));
  Matrix scaled = S_;
  for (std::size_t i = 0; i < p_; ++i)
    for (std::size_t j = 0; j < p_; ++j)
      if (i != j) scaled(i, j) = W(i, j) * (ratio[i] * ratio[j]);
  return scaled;
}

/// Clips W, or if that is not positive definite mixes it with S, or S with its diagonal.
bool GlassoBlock::move_into_box(Matrix& W) const {
  Matrix clipped = S_;
  double share = 1, t = 1;
  for (std::size_t i = 0; i < p_; ++i)
    for (std::size_t j = 0; j < i; ++j) {
      const double move = W(i, j) - S_(i, j);
      clipped(i, j) = clipped(j, i) = S_(i, j) + lambda_.clipped(i, j, move);
      share = std::min(share, lambda_.feasible_share(i, j, move));
      t = std::min(t, lambda_.feasible_share(i, j, -S_(i, j)));
    }
  if (std::isfinite(spd_log_det(clipped))) return W.swap(clipped), true;
  if (share > t) {
    W = S_ + share * (W - S_);
  } else {
    W = (1 - t) * S_;
    W.diagonal() = S_.diagonal();
  }
  return std::isfinite(spd_log_det(W));
}

/// W <- S + share (W - S)
void GlassoBlock::mix_with_S(double share) {
  for (std::size_t i = 0; i < p_; ++i)
    for (std::size_t j = 0; j < p_; ++j) w(i)[j] = S_(i, j) + share * (w(i)[j] - S_(i, j));
}

}  // namespace spodnet
