#include "spodnet/layer/adjoint_state.hpp"

#include <algorithm>

namespace spodnet {

AdjointState::AdjointState(std::size_t p)
    : G_(p), column_(G_.ld()), m_(kPendingColumns * G_.ld()) {}

AdjointState::Norms AdjointState::start(const LayerTape& last, const double* Theta_true,
                                        double factor) {
  pending_ = 0;
  Norms norms;
  for (std::size_t r = 0; r < G_.p(); ++r) {
    const double* truth = Theta_true + r * G_.p();
    const double* u = last.u[r];
    double* g = G_.row(r);
    double squares[2];
    kernels().difference(r, factor, u, truth, g, squares);
    const double d = last.diag_out[r] - truth[r];
    g[r] = factor * d;
    norms.difference += d * d + 2 * squares[0];
    norms.truth += truth[r] * truth[r] + 2 * squares[1];
    for (std::size_t c = r / kBlock * kBlock; c < r; ++c) G_.row(c)[r] = g[c];
  }
  return norms;
}

void AdjointState::assign(const double* G) {
  pending_ = 0;
  G_.assign(G, G_.p());
}

void AdjointState::get_column(std::size_t i, double* column) const {
  G_.get_column(i, column);
  double at_i[kMaxTerms];
  for (std::size_t k = 0; k < pending_; ++k) at_i[k] = coef_[k] * left_[k][i];
  kernels().combine(G_.ld(), pending_, at_i, right_, column);
}

void AdjointState::append(double coef, double* left, double* right) {
  coef_[pending_] = coef;
  left_[pending_] = left;
  right_[pending_] = right;
  ++pending_;
}

void AdjointState::undo_column(std::size_t i, const double* d_theta_12, double d_theta_22,
                               double d_q, double* y, double d_q0, double* h, double* m, double* w,
                               std::size_t read) {
  for (std::size_t k = 0; k < pending_; ++k) left_[k][i] = 0;  // each is a left one once
  if (read <= i) {
    kernels().linear(TriMatrix::row_end(i), 0.5, d_theta_12, 0.0, d_theta_12, G_.row(i));
    G_.row(i)[i] = d_theta_22;
    G_.mirror_row(i);
  } else {
    kernels().linear(G_.ld(), 0.5, d_theta_12, 0.0, d_theta_12, column_.data());
    column_[i] = d_theta_22;
    G_.set_column(i, column_.data());
  }
  if (m) {
    append(-0.5, m, w);
    append(-0.5, w, m);
  }
  append(-d_q, y, y);
  append(-d_q0, h, h);
}

void AdjointState::add_diagonal(const double* d_diag) {
  for (std::size_t j = 0; j < G_.p(); ++j) G_.add_to_diagonal(j, d_diag[j]);
}

void AdjointState::flush(std::size_t columns) {
  if (pending_ > 0)
    kernels().rank_update(G_.p(), G_.ld(), G_.data(), pending_, coef_, left_, right_,
                          padded(columns));
  pending_ = 0;
}

double AdjointState::inner_with_square(const ColumnHistory& A) {
  flush(G_.p());
  const Kernels& kernel = kernels();
  double total = 0;
  for (std::size_t i = 0; i < G_.p(); ++i) {  // <G, A^2> = sum_i a_i' G a_i
    kernel.symmetric_product(G_.p(), G_.ld(), G_.data(), A[i], column_.data());
    total += kernel.dot(G_.ld(), A[i], column_.data());
  }
  return total;
}

double AdjointState::quadratic_form(const double* x) {
  flush(G_.p());
  kernels().symmetric_product(G_.p(), G_.ld(), G_.data(), x, column_.data());
  return kernels().dot(G_.ld(), x, column_.data());
}

void AdjointState::add_input_gradient(const ColumnHistory& A, double* d_S) {
  flush(G_.p());
  const std::size_t p = G_.p();
  AlignedVector GA(p * G_.ld());
  for (std::size_t i = 0; i < p; ++i)
    kernels().symmetric_product(p, G_.ld(), G_.data(), A[i], &GA[i * G_.ld()]);
  for (std::size_t i = 0; i < p; ++i)
    for (std::size_t j = 0; j <= i; ++j) {
      const double product = kernels().dot(G_.ld(), A[j], &GA[i * G_.ld()]);
      d_S[i * p + j] -= product;
      if (j < i) d_S[j * p + i] -= product;
    }
}

}  // namespace spodnet
