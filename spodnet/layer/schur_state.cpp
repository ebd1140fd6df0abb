#include "spodnet/layer/schur_state.hpp"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>

#include "spodnet/core/cholesky.hpp"
#include "spodnet/core/symmetry.hpp"

namespace spodnet {
namespace {

/// out (p - 1 numbers) = x without entry i.
void copy_without(std::size_t p, std::size_t i, const double* x, double* out) {
  std::copy_n(x, i, out);
  std::copy(x + i + 1, x + p, out + i);
}

}  // namespace

SchurState::SchurState(std::size_t p) : p_(p), W_(p), diag_Theta_(padded(p)) {}

SchurState SchurState::forward_only(std::size_t p, ThreadPool* pool) {
  SchurState state;
  state.p_ = p;
  state.diag_Theta_.resize(padded(p));
  if (p < kLarge)
    state.W_ = TriMatrix(p);
  else
    state.large_.emplace(p, pool);
  state.carried_.resize(2 * padded(p));
  return state;
}

Status SchurState::start(const double* S, double offset, LayerTape& tape) {
  pending_w_ = nullptr;
  if (large_) {
    large_->assign(S, offset);
  } else {
    W_.assign(S, p());
    for (std::size_t i = 0; i < p(); ++i) W_.add_to_diagonal(i, offset);
  }
  const bool good = invert_spd(large_ ? large_->triangle() : W_, tape.Theta_in[0], nullptr,
                               large_ ? large_->pool() : nullptr);
  for (std::size_t i = 0; i < p(); ++i) diag_Theta_[i] = tape.Theta_in[i][i];
  return good ? Status::ok : Status::not_spd;
}

void SchurState::assign(const double* Theta, const double* W, LayerTape& tape) {
  assign_W(W);
  for (std::size_t i = 0; i < p(); ++i) {
    std::copy_n(Theta + i * p(), p(), tape.Theta_in[i]);
    diag_Theta_[i] = tape.Theta_in[i][i];
  }
}

void SchurState::assign_W(const double* W) {
  if (large_)
    large_->assign(W, 0);
  else
    W_.assign(W, p());
  pending_w_ = nullptr;
}

void SchurState::next_layer(const LayerTape& done, LayerTape& tape) {
  if (&done == &tape && pending_w_) {  // whose w and y will be overwritten
    std::copy_n(pending_w_, ld(), carried_.data());
    std::copy_n(pending_y_, ld(), carried_.data() + ld());
    pending_w_ = carried_.data();
    pending_y_ = carried_.data() + ld();
  }
  for (std::size_t r = 0; r < p(); ++r) {
    std::copy_n(done.u[r], r, tape.Theta_in[r]);
    for (std::size_t c = 0; c < r; ++c) tape.Theta_in[c][r] = done.u[r][c];
    tape.Theta_in[r][r] = diag_Theta_[r];
  }
}

double* SchurState::make_theta(LayerTape& tape, std::size_t i) const {
  double* theta_12 = tape.Theta_in[i];
  const double* u = tape.u[0] + i;
  for (std::size_t k = 0; k < i; ++k) theta_12[k] = u[k * ld()];
  theta_12[i] = 0;
  return theta_12;
}

formulas::SchurStep<double> SchurState::pending_row(std::size_t i) const {
  if (!pending_w_) return {0, 0};
  return formulas::schur_step(pending_w_[i] / pending_a_, pending_y_[i] / pending_v_);
}

void SchurState::get_w(std::size_t i, double* w) const {
  if (large_) return large_->column(i, w);
  const auto step = pending_row(i);
  kernels().triangle_column(ld(), W_.data(), i, step.c_w, pending_w_, step.c_y, pending_y_, w);
}

void SchurState::product(const double* x, double* out) {
  if (large_) return large_->product(x, out);
  if (pending_w_) {
    const auto step = formulas::schur_step(1 / pending_a_, 1 / pending_v_);
    kernels().update_product(p(), ld(), W_.data(), pending_w_, step.c_w, pending_y_, step.c_y, x,
                             out);
    pending_w_ = nullptr;
  } else {
    kernels().symmetric_product(p(), ld(), W_.data(), x, out);
  }
}

void SchurState::get_W(double* W) const {
  AlignedVector row(ld());
  for (std::size_t i = 0; i < p(); ++i) {
    if (large_) {
      large_->column(i, row.data());
    } else {
      const std::size_t end = TriMatrix::row_end(i);
      std::copy_n(W_.row(i), end, row.data());
      if (pending_w_) {
        const auto step = pending_row(i);
        kernels().axpy(end, step.c_w, pending_w_, row.data());
        kernels().axpy(end, step.c_y, pending_y_, row.data());
      }
    }
    std::copy_n(row.data(), i + 1, W + i * p());
  }
  mirror_lower(W, p());
}

void SchurState::get_Theta(const LayerTape& tape, double* Theta) const {
  for (std::size_t r = 0; r < p(); ++r) {
    std::copy_n(tape.u[r], r, Theta + r * p());
    Theta[r * p() + r] = diag_Theta_[r];
  }
  mirror_lower(Theta, p());
}

void SchurState::update(LayerTape& tape, std::size_t i) {
  const ColumnScalars& s = tape.scalars[i];
  diag_Theta_[i] = s.v + s.q;  // Eq. (2)
  if (large_) {
    const auto step = formulas::schur_step(1 / tape.w[i][i], 1 / s.v);
    large_->update(step.c_w, tape.w[i]);
    large_->update(step.c_y, tape.y[i]);
    return;
  }
  pending_w_ = tape.w[i];
  pending_y_ = tape.y[i];
  pending_a_ = tape.w[i][i];
  pending_v_ = s.v;
}

Matrix SchurState::theta(const LayerTape& tape, std::size_t done) const {
  Matrix Theta(p(), p());
  for (std::size_t r = 0; r < p(); ++r) {
    for (std::size_t c = 0; c < r; ++c) {
      const bool rewritten_r = r < done, rewritten_c = c < done;
      const double value = rewritten_r   ? tape.u[r][c]
                           : rewritten_c ? tape.u[c][r]
                                         : tape.Theta_in[c][r];  // there it never changed
      Theta(r, c) = Theta(c, r) = value;
    }
    Theta(r, r) = diag_Theta_[r];
  }
  return Theta;
}

bool SchurState::refresh(const LayerTape& tape, std::size_t done) {
  Matrix inverse;
  if (!std::isfinite(spd_inverse(theta(tape, done), inverse, large_ ? large_->pool() : nullptr)))
    return false;
  assign_W(inverse.data());
  return true;
}

bool SchurState::factorise_11(const LayerTape& tape, std::size_t i) {
  const Matrix Theta = theta(tape, i);
  L_11_.resize(Theta.rows() - 1, Theta.cols() - 1);
  for (std::size_t r = 0, row = 0; r < p(); ++r)
    if (r != i) copy_without(p(), i, &Theta(r, 0), L_11_.data() + (p() - 1) * row++);
  const Eigen::LLT<Eigen::Ref<Matrix>> cholesky(L_11_);
  return cholesky.info() == Eigen::Success && L_11_.diagonal().allFinite();
}

double SchurState::solve_11(std::size_t i, const double* x, double* out) const {
  Vector t(L_11_.rows());
  copy_without(p(), i, x, t.data());
  L_11_.triangularView<Eigen::Lower>().solveInPlace(t);
  const double quadratic = t.squaredNorm();
  L_11_.triangularView<Eigen::Lower>().transpose().solveInPlace(t);
  std::fill_n(out, ld(), 0.0);
  std::copy_n(t.data(), i, out);
  std::copy(t.data() + i, t.data() + t.size(), out + i + 1);
  return quadratic;
}

void SchurState::undo_product(const LayerTape& tape, std::size_t i, const double* x, double* out) {
  if (pending_w_ == tape.w[i]) {  // the walk's last update was never applied
    pending_w_ = nullptr;
    kernels().symmetric_product(p(), ld(), W_.data(), x, out);
  } else {
    const auto undo = formulas::schur_undo(1 / tape.w[i][i], 1 / tape.scalars[i].v);
    kernels().update_product(p(), ld(), W_.data(), tape.w[i], undo.c_w, tape.y[i], undo.c_y, x,
                             out);
  }
}

}  // namespace spodnet
