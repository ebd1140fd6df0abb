#include "spodnet/layer/external_rule_adjoint.hpp"

#include <algorithm>

namespace spodnet {

ExternalRuleAdjoint::ExternalRuleAdjoint(std::size_t p)
    : G_(p), column_(G_.ld()), vectors_(kMaxTerms * G_.ld()) {}

void ExternalRuleAdjoint::start(const double* d_Theta, bool whole) {
  const std::size_t p = G_.p();
  whole_ = whole;
  columns_ = G_.ld();
  terms_ = kept_ = 0;
  for (std::size_t r = 0; r < p; ++r) {
    double* g = G_.row(r);
    for (std::size_t c = 0; c <= r; ++c) g[c] = 0.5 * (d_Theta[r * p + c] + d_Theta[c * p + r]);
    G_.mirror_row(r);
  }
}

void ExternalRuleAdjoint::get_column(std::size_t i, double* column) const {
  G_.get_column(i, column);
  double at_i[kMaxTerms];
  for (std::size_t k = 0; k < terms_; ++k) at_i[k] = coef_[k] * left_[k][i];
  kernels().combine(G_.ld(), terms_, at_i, right_, column);
}

double* ExternalRuleAdjoint::keep(const double* x) {
  double* copy = vectors_.data() + G_.ld() * kept_++;
  std::copy_n(x, G_.ld(), copy);
  return copy;
}

void ExternalRuleAdjoint::append(double coef, double* left, double* right) {
  coef_[terms_] = coef;
  left_[terms_] = left;
  right_[terms_] = right;
  ++terms_;
}

void ExternalRuleAdjoint::subtract(double c, const double* x) {
  if (c == 0) return;
  if (terms_ + 1 > kMaxTerms) flush();
  double* kept = keep(x);
  append(-c, kept, kept);
}

void ExternalRuleAdjoint::subtract(double c, const double* x, const double* y) {
  if (terms_ + 2 > kMaxTerms) flush();
  double *kept_x = keep(x), *kept_y = keep(y);
  append(-0.5 * c, kept_x, kept_y);
  append(-0.5 * c, kept_y, kept_x);
}

void ExternalRuleAdjoint::replace_column(std::size_t i, const double* d_theta_12,
                                         double d_theta_22) {
  for (std::size_t k = 0; k < terms_; ++k) left_[k][i] = 0;
  kernels().linear(G_.ld(), 0.5, d_theta_12, 0.0, d_theta_12, column_.data());
  column_[i] = d_theta_22;
  G_.set_column(i, column_.data());
  if (!whole_) columns_ = padded(i);
}

void ExternalRuleAdjoint::add_diagonal(const double* d_diag) {
  for (std::size_t j = 0; j < G_.p(); ++j) G_.add_to_diagonal(j, d_diag[j]);
}

void ExternalRuleAdjoint::flush() {
  if (terms_ > 0)
    kernels().rank_update(G_.p(), G_.ld(), G_.data(), terms_, coef_, left_, right_, columns_);
  terms_ = kept_ = 0;
}

void ExternalRuleAdjoint::read(double* G) const {
  const std::size_t p = G_.p();
  for (std::size_t r = 0; r < p; ++r)
    for (std::size_t c = 0; c <= r; ++c) G[r * p + c] = G[c * p + r] = G_.row(r)[c];
}

}  // namespace spodnet
