#include "spodnet/baselines/glasso_block.hpp"

#include <algorithm>
#include <cmath>

#include "spodnet/core/kernels.hpp"

namespace spodnet {
namespace {

constexpr double kFirstTau = 1.0 / 3, kTauFactor = 1.0 / 3;
constexpr double kLastTau = 1e-5;      // where some lambda_ij is 0, else tau goes down to lambda
constexpr double kRoughSweep = 1e-2;   // tolerance of the sweeps on the way to lambda
constexpr int kWorkingSetRounds = 20;  // a column has at most so many rounds of violators

/// Largest s <= 1 with |s * difference| <= lambda.
double feasible_share(double difference, double lambda) {
  return std::abs(difference) <= lambda ? 1 : lambda / std::abs(difference);
}

}  // namespace

GlassoBlock::GlassoBlock(const Matrix& S, const Matrix& lambda)
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
      raised_(p_),
      in_set_(p_) {
  for (std::size_t i = 0; i < p_; ++i) {
    deviation_[i] = std::sqrt(S_(i, i));
    theta_[i] = 1 / S_(i, i);
    std::copy_n(&S_(i, 0), p_, w(i));
  }
}

void GlassoBlock::start_cold() {
  double t = 1, lowest = 1;  // of lambda_ij / |S_ij| and of lambda_ij / sqrt(S_ii S_jj)
  for (std::size_t i = 0; i < p_; ++i)
    for (std::size_t j = 0; j < i; ++j) {
      t = std::min(t, feasible_share(S_(i, j), lambda_(i, j)));
      lowest = std::min(lowest, lambda_(i, j) / (deviation_[i] * deviation_[j]));
    }
  for (std::size_t i = 0; i < p_; ++i)
    for (std::size_t j = 0; j < p_; ++j)
      if (i != j) w(i)[j] -= std::max(t, kFirstTau) * w(i)[j];
  if (lowest == 0) lowest = kLastTau;
  for (tau_ = kFirstTau; tau_ > lowest; tau_ *= kTauFactor) {
    sweep(kRoughSweep / double(p_));
    mix_with_S(kTauFactor);
  }
  tau_ = 0;
}

void GlassoBlock::start_warm(const Matrix& Theta, const Matrix& W) {
  double share = 1, t = 1;
  const auto scaled = [&](std::size_t i, std::size_t j) {
    return W(i, j) * (deviation_[i] / std::sqrt(W(i, i))) * (deviation_[j] / std::sqrt(W(j, j)));
  };
  for (std::size_t i = 0; i < p_; ++i)
    for (std::size_t j = 0; j < i; ++j) {
      share = std::min(share, feasible_share(scaled(i, j) - S_(i, j), lambda_(i, j)));
      t = std::min(t, feasible_share(S_(i, j), lambda_(i, j)));
    }
  for (std::size_t i = 0; i < p_; ++i) {
    theta_[i] = Theta(i, i);
    for (std::size_t j = 0; j < p_; ++j) {
      if (i == j) continue;
      w(i)[j] += share > t ? share * (scaled(i, j) - S_(i, j)) : -t * S_(i, j);
      if (Theta(i, j) == 0) continue;
      support_[i].push_back(j);
      beta_[i].push_back(-Theta(i, j) / Theta(i, i));
    }
  }
}

/// W <- S + share (W - S)
void GlassoBlock::mix_with_S(double share) {
  for (std::size_t i = 0; i < p_; ++i)
    for (std::size_t j = 0; j < p_; ++j) w(i)[j] = S_(i, j) + share * (w(i)[j] - S_(i, j));
}

const double* GlassoBlock::lambda_row(std::size_t i) {
  const double* row = &lambda_(i, 0);
  if (tau_ == 0) return row;
  for (std::size_t j = 0; j < p_; ++j)
    raised_[j] = std::max(row[j], tau_ * deviation_[i] * deviation_[j]);
  return raised_.data();
}

double GlassoBlock::sweep(double tolerance) {
  double moved = 0;
  for (std::size_t i = 0; i < p_; ++i) moved += update_column(i, tolerance);
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
  const double* lambda = lambda_row(i);
  H_.resize(k * ld);
  c_.resize(k);
  lambda_set_.resize(k);
  for (std::size_t l = 0; l < k; ++l) {
    const double* row = w(set[l]);
    for (std::size_t m = 0; m < k; ++m) H_[l * ld + m] = row[set[m]];
    std::fill(H_.data() + l * ld + k, H_.data() + (l + 1) * ld, 0.0);
    c_[l] = S_(i, set[l]);
    lambda_set_[l] = lambda[set[l]];
  }
  return lasso({k, H_.data(), c_.data(), lambda_set_.data()}, tolerance, beta_[i].data(), lasso_);
}

/// y <- W_11 beta
void GlassoBlock::multiply(std::size_t i) {
  std::fill(y_.begin(), y_.end(), 0.0);
  rows_.clear();
  for (std::size_t j : support_[i]) rows_.push_back(w(j));
  kernels().combine(ld_, rows_.size(), beta_[i].data(), rows_.data(), y_.data());
}

/// Adds to the working set the variables whose optimality condition |s_12 - y| <= lambda fails.
bool GlassoBlock::add_violators(std::size_t i, double tolerance) {
  const double *lambda = lambda_row(i), *s = &S_(i, 0);
  for (std::size_t j : support_[i]) in_set_[j] = 1;
  in_set_[i] = 1;
  const std::size_t before = support_[i].size();
  for (std::size_t j = 0; j < p_; ++j) {
    const double excess = std::abs(s[j] - y_[j]) - lambda[j];
    if (!(excess > 0) || in_set_[j] || excess * excess <= tolerance * S_(j, j)) continue;
    support_[i].push_back(j);
    beta_[i].push_back(0);
  }
  for (std::size_t j : support_[i]) in_set_[j] = 0;
  in_set_[i] = 0;
  return support_[i].size() > before;
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
  Matrix W = S_;
  for (std::size_t i = 0; i < p_; ++i)
    for (std::size_t j = 0; j < i; ++j)
      W(i, j) = W(j, i) = S_(i, j) + std::clamp(w(i)[j] - S_(i, j), -lambda_(i, j), lambda_(i, j));
  return W;
}

}  // namespace spodnet
