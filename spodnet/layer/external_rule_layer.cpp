#include "spodnet/layer/external_rule_layer.hpp"

#include <algorithm>
#include <cmath>

#include "spodnet/core/cholesky.hpp"
#include "spodnet/core/formulas.hpp"

namespace spodnet {
namespace {

constexpr formulas::Doubles kDoubles;

bool usable_form(double q) { return std::isfinite(q) && q >= 0; }

}  // namespace

ExternalRuleLayer::ExternalRuleLayer(std::size_t count, std::size_t p)
    : p_(p), ld_(padded(p)), matrices_(count), x_(ld_), product_(ld_), g_(ld_), m_(ld_) {
  for (Slot& m : matrices_) {
    m.state = SchurState(p);
    m.tape = LayerTape(p);
  }
}

std::size_t ExternalRuleLayer::bytes() const {
  std::size_t total = 0;
  for (const Slot& m : matrices_)
    total += (7 * p_ * ld_ + ld_) * sizeof(double) + m.adjoint.bytes();
  return total;
}

void ExternalRuleLayer::spread(std::size_t i, std::size_t width, const double* x,
                               double* out) const {
  std::copy_n(x, i, out);
  std::copy_n(x + (width == p_ ? i + 1 : i), p_ - 1 - i, out + i + 1);
  out[i] = 0;
  std::fill(out + p_, out + ld_, 0.0);
}

void ExternalRuleLayer::gather(std::size_t i, std::size_t width, const double* x,
                               double* out) const {
  std::copy_n(x, i, out);
  std::copy_n(x + i + 1, p_ - 1 - i, out + (width == p_ ? i + 1 : i));
  if (width == p_) out[i] = 0;
}

void ExternalRuleLayer::begin(const double* Theta, const double* W, const std::uint8_t* usable,
                              const LayerOptions& options) {
  options_ = options;
  Matrix identity;
  for (std::size_t k = 0; k < count(); ++k) {
    Slot& m = matrices_[k];
    m.usable = !usable || usable[k];
    m.status = m.usable ? Status::ok : Status::not_finite;
    m.suspect = false;
    m.done = 0;
    m.drift_allowed = options.careful ? 0 : options.drift_limit;
    if (!m.usable) identity = Matrix::Identity(Eigen::Index(p_), Eigen::Index(p_));
    m.state.assign(m.usable ? Theta + k * p_ * p_ : identity.data(),
                   m.usable ? W + k * p_ * p_ : identity.data(), m.tape);
  }
}

void ExternalRuleLayer::refresh_if_drifted(Slot& m, std::size_t i) {
  const auto drift = [&] {  // w_i' Theta_i = 1
    const double w_theta = kernels().dot(ld_, m.tape.w[i], m.tape.Theta_in[i]);
    return std::abs(w_theta + m.tape.scalars[i].w_22 * m.state.diag_Theta()[i] - 1);
  };
  if (drift() <= m.drift_allowed) return;
  m.suspect = true;
  if (!m.state.refresh(m.tape, i)) return;
  m.state.get_w(i, m.tape.w[i]);
  m.tape.scalars[i].w_22 = m.tape.w[i][i];
  if (!options_.careful) m.drift_allowed = std::max(options_.drift_limit, 10 * drift());
}

void ExternalRuleLayer::fields(std::size_t i, std::size_t width, const ColumnFields<double>& out) {
  for (std::size_t k = 0; k < count(); ++k) {
    Slot& m = matrices_[k];
    const bool walks = m.status == Status::ok;
    if (walks) {
      m.state.make_theta(m.tape, i);
      m.state.get_w(i, m.tape.w[i]);
      m.tape.scalars[i].w_22 = m.tape.w[i][i];
      m.tape.scalars[i].theta_22 = m.state.diag_Theta()[i];
      refresh_if_drifted(m, i);
    }
    const auto vector = [&](const double* x, double* row) {
      if (row && walks) gather(i, width, x, row + k * width);
      if (row && !walks) std::fill_n(row + k * width, width, 0.0);
    };
    vector(m.tape.Theta_in[i], out.theta);
    vector(m.tape.w[i], out.w);
    if (out.theta_22) out.theta_22[k] = walks ? m.state.diag_Theta()[i] : 1;
    if (out.w_22) out.w_22[k] = walks ? m.tape.w[i][i] : 1;
    if (out.diag_Theta && walks) std::copy_n(m.state.diag_Theta(), p_, out.diag_Theta + k * p_);
    if (out.diag_Theta && !walks) std::fill_n(out.diag_Theta + k * p_, p_, 1.0);
  }
}

double ExternalRuleLayer::inv_theta_11(Slot& m, std::size_t i, const double* x, double* out) {
  if (options_.careful && m.state.factorise_11(m.tape, i)) return m.state.solve_11(i, x, out);
  const double* w = m.tape.w[i];
  const double factor = -kernels().dot(ld_, w, x) / m.tape.scalars[i].w_22;
  m.state.product(x, product_.data());
  const double form = kernels().schur_product(ld_, i, w, factor, x, product_.data(), out);
  if (usable_form(form)) return form;
  m.suspect = true;  // numerically unusable: retry with a factor of Theta_11
  return m.state.factorise_11(m.tape, i) ? m.state.solve_11(i, x, out) : form;
}

void ExternalRuleLayer::solve(std::size_t i, std::size_t width, const double* x, double* out) {
  for (std::size_t k = 0; k < count(); ++k) {
    Slot& m = matrices_[k];
    spread(i, width, x + k * width, x_.data());
    if (m.status == Status::ok)
      inv_theta_11(m, i, x_.data(), g_.data());
    else
      std::fill(g_.begin(), g_.end(), 0.0);
    gather(i, width, g_.data(), out + k * width);
  }
}

void ExternalRuleLayer::fail(Slot& m, double number) {
  m.status = std::isfinite(number) ? Status::not_spd : Status::not_finite;
}

void ExternalRuleLayer::scale(std::size_t i, std::size_t width, const double* z, double* scaled) {
  for (std::size_t k = 0; k < count(); ++k) {
    Slot& m = matrices_[k];
    ColumnScalars& s = m.tape.scalars[i];
    if (m.status == Status::ok) {
      spread(i, width, z + k * width, x_.data());
      s.q0 = inv_theta_11(m, i, x_.data(), m.tape.h[i]);
      if (!usable_form(s.q0)) fail(m, s.q0);
    }
    s.scale = m.status == Status::ok
                  ? formulas::scale(kDoubles, options_.scaling, options_.zeta, s.q0, s.theta_22)
                  : 0.0;
    double* row = scaled + k * width;
    for (std::size_t j = 0; j < width; ++j) row[j] = s.scale * z[k * width + j];
    if (m.status != Status::ok) std::fill_n(row, width, 0.0);
    if (width == p_) row[i] = 0;
  }
}

void ExternalRuleLayer::quadratic(std::size_t i, std::size_t width, const double* scaled,
                                  const double* lambda, double* q, std::size_t stride) {
  for (std::size_t t = 0; t < count(); ++t) {
    const std::size_t k = turn(true, t);  // after the upward sweep of `scale`
    Slot& m = matrices_[k];
    ColumnScalars& s = m.tape.scalars[i];
    double* u = m.tape.u[i];
    if (m.status == Status::ok) {
      spread(i, width, scaled + k * width, u);
      if (lambda) {
        spread(i, width, lambda + k * width, x_.data());
        kernels().soft_threshold(ld_, u, x_.data(), u);
      }
      s.q = inv_theta_11(m, i, u, m.tape.y[i]);
      if (!usable_form(s.q)) fail(m, s.q);
    }
    q[k * stride] = m.status == Status::ok ? s.q : 0.0;
  }
}

void ExternalRuleLayer::update(std::size_t i, const double* v) {
  for (std::size_t k = 0; k < count(); ++k) {
    Slot& m = matrices_[k];
    if (m.status != Status::ok) continue;
    ColumnScalars& s = m.tape.scalars[i];
    s.v_raw = v[k];
    s.v = formulas::margin(kDoubles, s.v_raw, options_.v_min, s.q);
    if (!std::isfinite(s.v + s.q) || !(s.v > 0) || std::isnan(s.v_raw)) {
      fail(m, s.v_raw);
      continue;
    }
    if (s.v < 1e-6 * std::max(s.v + s.q, s.theta_22)) m.suspect = true;
    m.tape.y[i][i] = -1;
    m.state.update(m.tape, i);  // Alg. 1, line 7
    m.done = i + 1;
  }
}

void ExternalRuleLayer::keep_spd(Slot& m) {
  if (!m.suspect) return;
  const auto positive = [&] {  // with room for another program's rounding
    Matrix Theta = m.state.theta(m.tape, m.done);
    Theta.diagonal() *= 1 - 1e-14 * double(p_);
    return std::isfinite(spd_log_det(Theta));
  };
  for (std::size_t step = 1; m.done > 0 && !positive(); step *= 2) {
    m.status = Status::not_spd;
    for (std::size_t back = std::min(step, m.done); back-- > 0;)
      m.state.undo_diagonal(m.tape, --m.done);
  }
}

void ExternalRuleLayer::end(double* Theta, double* W) {
  for (std::size_t k = 0; k < count(); ++k) {
    Slot& m = matrices_[k];
    if (!m.usable) continue;
    keep_spd(m);
    if (m.done == p_)
      m.state.get_Theta(m.tape, Theta + k * p_ * p_);
    else
      MatrixMap(Theta + k * p_ * p_, Eigen::Index(p_), Eigen::Index(p_)) =
          m.state.theta(m.tape, m.done);
    if (m.status == Status::ok || m.state.refresh(m.tape, m.done)) m.state.get_W(W + k * p_ * p_);
  }
}

}  // namespace spodnet
