#include "spodnet/models/variable_frame.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace spodnet {
namespace {

constexpr double kNoVariance = 1e-200;  ///< at most this much: the variable counts as constant

double correlation(const double* S, const UnitScales& d, std::size_t i, std::size_t j) {
  if (i == j) return 1;
  return d.constant[i] || d.constant[j] ? 0.0 : d.times(S[i * d.power.size() + j], i, j);
}

/// Sum of the squared correlations of each variable with all others.
std::vector<double> keys(const double* S, const UnitScales& d) {
  const std::size_t p = d.power.size();
  std::vector<double> key(p, 0.0);
  for (std::size_t i = 0; i < p; ++i)
    for (std::size_t j = 0; j < i; ++j) {
      const double r = correlation(S, d, i, j), r2 = r * r;
      key[i] += r2;
      key[j] += r2;
    }
  return key;
}

/// Calls put(i, j, k, l) for the lower triangle of (k, l): variables i, j enter as numbers k, l.
template <class Put>
void for_pairs(const std::vector<std::size_t>& order, Put put) {
  for (std::size_t k = 0; k < order.size(); ++k)
    for (std::size_t l = 0; l <= k; ++l) put(order[k], order[l], k, l);
}

}  // namespace

UnitScales::UnitScales(const double* S, std::size_t p)
    : mantissa(p, 1.0), power(p, 1.0), constant(p) {
  for (std::size_t i = 0; i < p; ++i) {
    const double s = S[i * p + i];
    constant[i] = !(s > kNoVariance);
    if (constant[i]) continue;
    int exponent = 0;
    mantissa[i] = std::frexp(1 / std::sqrt(s), &exponent);
    power[i] = std::ldexp(1.0, exponent);
  }
}

VariableFrame::VariableFrame(const double* S, std::size_t p, bool standardized)
    : d_(S, p), standardized_(standardized), order_(p) {
  const std::vector<double> key = keys(S, d_);
  std::iota(order_.begin(), order_.end(), std::size_t{0});
  std::stable_sort(order_.begin(), order_.end(),
                   [&](std::size_t a, std::size_t b) { return key[a] > key[b]; });
}

void VariableFrame::enter_covariance(const double* S, double* S_in) const {
  const std::size_t p = order_.size();
  for_pairs(order_, [&](std::size_t i, std::size_t j, std::size_t k, std::size_t l) {
    S_in[k * p + l] = S_in[l * p + k] = standardized_ ? correlation(S, d_, i, j) : S[i * p + j];
  });
}

void VariableFrame::enter_precision(const double* Theta, double* Theta_in) const {
  const std::size_t p = order_.size();
  for_pairs(order_, [&](std::size_t i, std::size_t j, std::size_t k, std::size_t l) {
    const double value = Theta[i * p + j];
    Theta_in[k * p + l] = Theta_in[l * p + k] = standardized_ ? d_.divide(value, i, j) : value;
  });
}

void VariableFrame::enter_gradient(const double* G, double* G_in) const {
  const std::size_t p = order_.size();
  for_pairs(order_, [&](std::size_t i, std::size_t j, std::size_t k, std::size_t l) {
    const double value = G[i * p + j];
    G_in[k * p + l] = G_in[l * p + k] = standardized_ ? d_.times(value, i, j) : value;
  });
}

Matrix VariableFrame::leave_covariance(const Matrix& W_in) const {
  Matrix W(W_in.rows(), W_in.cols());
  for_pairs(order_, [&](std::size_t i, std::size_t j, std::size_t k, std::size_t l) {
    W(i, j) = W(j, i) = standardized_ ? d_.divide(W_in(k, l), i, j) : W_in(k, l);
  });
  return W;
}

Matrix VariableFrame::leave_precision(const Matrix& Theta_in) const {
  Matrix Theta(Theta_in.rows(), Theta_in.cols());
  for_pairs(order_, [&](std::size_t i, std::size_t j, std::size_t k, std::size_t l) {
    Theta(i, j) = Theta(j, i) = standardized_ ? d_.times(Theta_in(k, l), i, j) : Theta_in(k, l);
  });
  return Theta;
}

}  // namespace spodnet
