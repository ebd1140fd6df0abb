#include <algorithm>

#include "spodnet/core/formulas.hpp"
#include "spodnet/layer/external_rule_layer.hpp"

namespace spodnet {
namespace {

constexpr formulas::Doubles kBackMath;

}  // namespace

void ExternalRuleLayer::back_begin(const double* d_Theta, const double* W, bool to_input) {
  for (std::size_t k = 0; k < count(); ++k) {
    Slot& m = matrices_[k];
    if (m.adjoint.p() == 0) m.adjoint = ExternalRuleAdjoint(p_);
    if (m.status != Status::ok) continue;
    m.adjoint.start(d_Theta + k * p_ * p_, to_input);
    m.state.assign_W(W + k * p_ * p_);
  }
}

void ExternalRuleLayer::back_threshold(std::size_t i, std::size_t width, const double* J,
                                       const double* slope, double* d_v, double* d_lambda,
                                       double* d_scaled) {
  back_margin(i, d_v);
  for (std::size_t k = 0; k < count(); ++k) {
    Slot& m = matrices_[k];
    m.d_theta_22 = d_v[k] * J[3 * k];
    m.d_w_22 = d_v[k] * J[3 * k + 1];
    m.d_q += d_v[k] * J[3 * k + 2];
  }
  back_form(i, width, nullptr, slope, d_lambda, d_scaled);
}

void ExternalRuleLayer::back_margin(std::size_t i, double* d_v) {
  columns_.resize(count() * ld_);
  for (std::size_t k = 0; k < count(); ++k) {
    Slot& m = matrices_[k];
    m.d_theta_22 = m.d_w_22 = m.d_q = d_v[k] = 0;
    if (m.status != Status::ok) continue;
    const ColumnScalars& s = m.tape.scalars[i];
    double* g = columns_.data() + k * ld_;
    m.adjoint.get_column(i, g);
    const bool floored = s.v != s.v_raw;
    d_v[k] = floored ? 0 : g[i];  // theta_22^+ = v + q, Eq. (2)
    m.d_q = g[i];
    if (floored) m.d_q += formulas::floor_backward(kBackMath, options_.v_min, s.q, g[i]);
  }
}

void ExternalRuleLayer::back_form(std::size_t i, std::size_t width, const double* d_q,
                                  const double* slope, double* d_lambda, double* d_scaled) {
  for (std::size_t k = 0; k < count(); ++k) {
    Slot& m = matrices_[k];
    double* d_z = d_scaled + k * width;
    double* d_l = d_lambda ? d_lambda + k * width : nullptr;
    if (m.status != Status::ok) {
      std::fill_n(d_z, width, 0.0);
      if (d_l) std::fill_n(d_l, width, 0.0);
      continue;
    }
    if (d_q) m.d_q += d_q[k];
    const double* g = columns_.data() + k * ld_;
    const double* u = m.tape.u[i];
    if (!d_l) {
      kernels().linear(ld_, 2.0, g, 2 * m.d_q, m.tape.y[i], x_.data());
      gather(i, width, x_.data(), d_z);
      continue;
    }
    kernels().soft_threshold_backward(ld_, u, g, m.d_q, m.tape.y[i], x_.data(), product_.data());
    gather(i, width, x_.data(), d_z);
    gather(i, width, product_.data(), d_l);
    if (slope)
      for (std::size_t j = 0; j < width; ++j) d_z[j] += slope[k * width + j] * d_l[j];
  }
}

void ExternalRuleLayer::back_scale(std::size_t i, std::size_t width, const double* scaled,
                                   const double* d_scaled, double* d_z) {
  for (std::size_t k = 0; k < count(); ++k) {
    Slot& m = matrices_[k];
    const ColumnScalars& s = m.tape.scalars[i];
    if (m.status != Status::ok) {
      std::fill_n(d_z + k * width, width, 0.0);
      continue;
    }
    spread(i, width, scaled + k * width, product_.data());
    spread(i, width, d_scaled + k * width, x_.data());
    const double d_z_z = kernels().dot(ld_, x_.data(), product_.data());
    const double d_q0 = formulas::scale_backward(kBackMath, options_.scaling, s.scale, s.q0, d_z_z);
    kernels().linear(ld_, s.scale, x_.data(), 2 * d_q0, m.tape.h[i], x_.data());
    gather(i, width, x_.data(), d_z + k * width);
    m.d_theta_22 += formulas::limit_backward(kBackMath, options_.scaling, d_q0, s.q0, s.theta_22);
    m.adjoint.subtract(d_q0, m.tape.h[i]);
  }
}

void ExternalRuleLayer::back_solve(std::size_t i, std::size_t width, const double* h,
                                   const double* d_h, double* d_x) {
  for (std::size_t k = 0; k < count(); ++k) {
    Slot& m = matrices_[k];
    if (m.status != Status::ok) {
      std::fill_n(d_x + k * width, width, 0.0);
      continue;
    }
    // W is the one after step i, whose Schur complement is the same: W_11 - y y' / v.
    const double* y = m.tape.y[i];
    spread(i, width, d_h + k * width, x_.data());
    m.state.product(x_.data(), m_.data());
    kernels().axpy(ld_, -kernels().dot(ld_, y, x_.data()) / m.tape.scalars[i].v, y, m_.data());
    m_[i] = 0;
    gather(i, width, m_.data(), d_x + k * width);
    spread(i, width, h + k * width, x_.data());
    m.adjoint.subtract(1, m_.data(), x_.data());  // d inv_theta_11 = -inv_theta_11 dTheta ...
  }
}

void ExternalRuleLayer::back_close(std::size_t i, std::size_t width,
                                   const ColumnFields<const double>& d) {
  for (std::size_t t = 0; t < count(); ++t) {
    const std::size_t k = turn(i % 2 == 0, t);
    Slot& m = matrices_[k];
    if (m.status != Status::ok) continue;
    const auto vector = [&](const double* rows, double* out) {
      if (rows)
        spread(i, width, rows + k * width, out);
      else
        std::fill_n(out, ld_, 0.0);
    };
    vector(d.theta, x_.data());
    m.adjoint.replace_column(i, x_.data(), m.d_theta_22 + (d.theta_22 ? d.theta_22[k] : 0.0));
    if (d.diag_Theta) m.adjoint.add_diagonal(d.diag_Theta + k * p_);
    vector(d.w, x_.data());
    x_[i] = m.d_w_22 + (d.w_22 ? d.w_22[k] : 0.0);
    m.state.undo_product(m.tape, i, x_.data(), m_.data());
    if (d.w || x_[i] != 0) m.adjoint.subtract(1, m_.data(), m.tape.w[i]);
    std::copy_n(m.tape.y[i], ld_, x_.data());
    x_[i] = 0;
    m.adjoint.subtract(m.d_q, x_.data());
  }
}

void ExternalRuleLayer::back_end(double* d_Theta) {
  for (std::size_t k = 0; k < count(); ++k) {
    Slot& m = matrices_[k];
    double* out = d_Theta + k * p_ * p_;
    if (m.status != Status::ok) {
      std::fill_n(out, p_ * p_, 0.0);
      continue;
    }
    m.adjoint.flush();
    m.adjoint.read(out);
  }
}

}  // namespace spodnet
