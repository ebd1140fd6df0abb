#include "spodnet/layer/adjoint_state.hpp"

#include <algorithm>

namespace spodnet {

AdjointState::AdjointState(std::size_t p)
    : G_(p),
      left_(kPendingColumns * kTerms * G_.ld()),
      right_(kPendingColumns * kTerms * G_.ld()) {}

AdjointState::Norms AdjointState::start(const LayerTape& last, const double* Theta_true,
                                        double factor) {
  pending_ = 0;
  Norms norms;
  for (std::size_t r = 0; r < G_.p(); ++r) {
    const double* truth = Theta_true + r * G_.p();
    const double* u = last.u[r];
    double* g = G_.row(r);
    double difference = 0, size = 0;
    for (std::size_t c = 0; c < r; ++c) {
      const double d = u[c] - truth[c];
      difference += d * d;
      size += truth[c] * truth[c];
      g[c] = factor * d;
    }
    const double d = last.diag_out[r] - truth[r];
    g[r] = factor * d;
    norms.difference += 2 * difference + d * d;
    norms.truth += 2 * size + truth[r] * truth[r];
    for (std::size_t c = r / kBlock * kBlock; c < r; ++c) G_.row(c)[r] = g[c];
  }
  return norms;
}

void AdjointState::get_column(std::size_t i, double* column) const {
  const std::size_t ld = G_.ld();
  G_.get_column(i, column);
  if (pending_ > 0)
    kernels().gemm(1, ld, pending_, &left_[i], 0, ld, right_.data(), ld, column, ld);
}

void AdjointState::append(double factor, const double* left, const double* right) {
  const std::size_t ld = G_.ld();
  double* out = &left_[pending_ * ld];
  for (std::size_t j = 0; j < ld; ++j) out[j] = factor * left[j];
  std::copy_n(right, ld, &right_[pending_ * ld]);
  ++pending_;
}

void AdjointState::undo_column(std::size_t i, const double* d_theta_12, double d_theta_22,
                               double d_q, const double* y, double d_q0, const double* h,
                               const double* m, const double* w) {
  const std::size_t ld = G_.ld();
  for (std::size_t k = 0; k < pending_; ++k) left_[k * ld + i] = right_[k * ld + i] = 0;
  double* column = &left_[pending_ * ld];  // scratch until append overwrites it
  for (std::size_t j = 0; j < ld; ++j) column[j] = 0.5 * d_theta_12[j];
  column[i] = d_theta_22;
  G_.set_column(i, column);
  append(-d_q, y, y);
  append(-d_q0, h, h);
  if (m) {
    append(-0.5, m, w);
    append(-0.5, w, m);
  }
}

void AdjointState::add_diagonal(const double* d_diag) {
  for (std::size_t j = 0; j < G_.p(); ++j) G_.add_to_diagonal(j, d_diag[j]);
}

void AdjointState::flush(std::size_t columns) {
  const std::size_t ld = G_.ld(), limit = padded(columns);
  for (std::size_t r = 0; r < G_.p() && pending_ > 0; r += kBlock)
    kernels().gemm(kBlock, std::min(r + kBlock, limit), pending_, &left_[r], 1, ld, right_.data(),
                   ld, G_.row(r), ld);
  pending_ = 0;
}

double AdjointState::inner_with_square(const ColumnHistory& A) {
  flush(G_.p());
  const Kernels& kernel = kernels();
  double total = 0;
  for (std::size_t i = 0; i < G_.p(); ++i) {  // <G, A^2> = sum_i a_i' G a_i
    kernel.symmetric_product(G_.p(), G_.ld(), G_.data(), A[i], right_.data());
    total += kernel.dot(G_.ld(), A[i], right_.data());
  }
  return total;
}

}  // namespace spodnet
