#include "spodnet/layer/matrix_workspace.hpp"

#include <algorithm>
#include <cmath>

#include "spodnet/core/formulas.hpp"

namespace spodnet {
namespace {

constexpr formulas::Doubles kMath;

}  // namespace

MatrixWorkspace::MatrixWorkspace(std::size_t p) : state(p), adjoint(p), S_rows(p) {
  for (AlignedVector* x : {&lambda, &product, &diag_S, &d_z, &d_lambda, &d_theta_12, &d_w, &d_diag})
    x->assign(padded(p), 0.0);
}

MatrixWorkspace MatrixWorkspace::forward_only(std::size_t p, ThreadPool* pool) {
  MatrixWorkspace out;
  out.state = SchurState::forward_only(p, pool);
  out.S_rows = ColumnHistory(p, 1);
  out.keeps_S = false;
  for (AlignedVector* x : {&out.lambda, &out.product, &out.diag_S}) x->assign(padded(p), 0.0);
  return out;
}

void MatrixWorkspace::start(const Sample& sample, double offset, const LayerOptions& options,
                            LayerTape& tape, const double* W_in) {
  n = sample.n;
  constraints = sample.constraints;
  layer = done = 0;
  refreshes = 0;
  drift_allowed = options.drift_limit;
  S = sample.S;
  for (std::size_t i = 0, p = state.p(); i < p; ++i) {
    diag_S[i] = S[i * p + i];
    if (keeps_S) load_S(i);
  }
  const double* W = W_in ? W_in : sample.S;
  status = state.start(W, offset, tape);
  if (options.bound == 0) return;
  diag_W.assign(state.ld(), 0.0);
  for (std::size_t i = 0, p = state.p(); i < p; ++i) diag_W[i] = W[i * p + i] + offset;
}

void MatrixWorkspace::next_layer(const LayerTape& previous, LayerTape& tape) {
  ++layer;
  done = 0;
  state.next_layer(previous, tape);
}

void MatrixWorkspace::load_S(std::size_t i) {
  std::copy_n(S + i * state.p(), state.p(), S_rows[i]);
  S_rows[i][i] = 0;
}

Column MatrixWorkspace::column(LayerTape& tape, std::size_t i, std::size_t index) {
  tape.w[i][i] = 0;
  if (!keeps_S) load_S(i);
  return {.i = i,
          .p = state.p(),
          .slot = index,
          .n = n,
          .theta_12 = tape.Theta_in[i],
          .w_12 = tape.w[i],
          .s_12 = S_rows[i],
          .theta_22 = state.diag_Theta()[i],
          .w_22 = tape.scalars[i].w_22,
          .s_22 = diag_S[i],
          .diag_Theta = state.diag_Theta(),
          .diag_S = diag_S.data(),
          .summary = summary_numbers()};
}

double MatrixWorkspace::drift(const LayerTape& tape, std::size_t i) const {
  const double w_theta = kernels().dot(state.ld(), tape.w[i], tape.Theta_in[i]);
  return std::abs(w_theta + tape.scalars[i].w_22 * state.diag_Theta()[i] - 1);
}

void MatrixWorkspace::get_w(LayerTape& tape, std::size_t i) const {
  state.get_w(i, tape.w[i]);
  tape.scalars[i].w_22 = tape.w[i][i];
}

Column MatrixWorkspace::load(LayerTape& tape, std::size_t i, std::size_t index,
                             const LayerOptions& options) {
  state.make_theta(tape, i);
  get_w(tape, i);
  tape.scalars[i].theta_22 = state.diag_Theta()[i];
  Column loaded = column(tape, i, index);
  careful = false;
  if (status != Status::ok) return loaded;
  if (options.careful && reload_carefully(tape, i, index, loaded)) return loaded;
  if (!(drift(tape, i) <= drift_allowed) && reload(tape, i, index, loaded))
    drift_allowed = std::max(options.drift_limit, 10 * drift(tape, i));
  return loaded;
}

bool MatrixWorkspace::reload(LayerTape& tape, std::size_t i, std::size_t index, Column& loaded) {
  if (!state.refresh(tape, i)) return false;
  ++refreshes;
  get_w(tape, i);
  loaded = column(tape, i, index);
  return true;
}

bool MatrixWorkspace::reload_carefully(LayerTape& tape, std::size_t i, std::size_t index,
                                       Column& loaded) {
  careful = reload(tape, i, index, loaded) && state.factorise_11(tape, i);
  return careful;
}

double MatrixWorkspace::inv_theta_11(const LayerTape& tape, std::size_t i, const double* x,
                                     double* out) {
  if (careful) return state.solve_11(i, x, out);
  const double* w = tape.w[i];  // the sum below hides behind the sweep over W
  const double factor = -kernels().dot(state.ld(), w, x) / tape.scalars[i].w_22;
  state.product(x, product.data());
  return kernels().schur_product(state.ld(), i, w, factor, x, product.data(), out);
}

bool MatrixWorkspace::scale(LayerTape& tape, std::size_t i, const LayerOptions& options) {
  ColumnScalars& s = tape.scalars[i];
  double* z = tape.z[i];
  z[i] = 0;
  if (constraints) constraints->mask(i, z);  // what follows keeps zeros and signs
  std::fill(z + state.p(), z + state.ld(), 0.0);
  s.q = s.v_raw = 0;
  s.q0 = inv_theta_11(tape, i, z, tape.h[i]);
  if (!std::isfinite(s.q0) || s.q0 < 0) return false;
  s.scale = formulas::scale(kMath, options.scaling, options.zeta, s.q0, s.theta_22);
  return true;
}

bool MatrixWorkspace::set_y(LayerTape& tape, std::size_t i, const LayerOptions& options) {
  double& q = tape.scalars[i].q;
  q = inv_theta_11(tape, i, tape.u[i], tape.y[i]);
  if (options.bound > 0 && std::isfinite(q)) stay_in_bounds(tape, i, options.bound);
  return std::isfinite(q) && q >= 0;
}

/// W_jj^+ = (inv_theta_11)_jj + y_j^2 / v, with v taken for 1 / s_22; the old y is -w_12 / w_22.
void MatrixWorkspace::stay_in_bounds(LayerTape& tape, std::size_t i, double bound) {
  double *y = tape.y[i], *u = tape.u[i];
  const double *w = tape.w[i], *theta = tape.Theta_in[i];
  const double w_22 = tape.scalars[i].w_22, v = 1 / diag_S[i];
  double share = 1;
  for (std::size_t j = 0; j < state.p(); ++j) {
    if (j == i) continue;
    const double inner = diag_W[j] - w[j] * w[j] / w_22, old = std::abs(w[j]) / w_22;
    const double most = std::sqrt(std::max(v * (bound * diag_S[j] - inner), old * old));
    const double least = std::sqrt(std::clamp(v * (diag_S[j] / bound - inner), 0.0, old * old));
    const double to = w[j] > 0 ? -y[j] : y[j];  // in the sign of the old y
    if (to > most) share = std::min(share, (most - old) / (to - old));
    if (to < -most) share = std::min(share, (old + most) / (old - to));
    if (least > 0 && to < least) share = std::min(share, (old - least) / (old - to));
  }
  if (share == 1) return;
  for (std::size_t j = 0; j < state.p(); ++j) {
    if (j == i) continue;
    u[j] = share * u[j] + (1 - share) * theta[j];
    y[j] = share * y[j] - (1 - share) * w[j] / w_22;
  }
  tape.scalars[i].q = kernels().dot(state.ld(), u, y);
}

bool MatrixWorkspace::set_margin(LayerTape& tape, std::size_t i, double v_raw,
                                 const LayerOptions& options) {
  ColumnScalars& s = tape.scalars[i];
  s.v_raw = v_raw;
  if (options.bound > 0)
    v_raw = std::clamp(v_raw, 1 / (options.bound * diag_S[i]), options.bound / diag_S[i]);
  s.v = formulas::margin(kMath, v_raw, options.v_min, s.q);
  tape.y[i][i] = -1;
  return std::isfinite(s.v) && s.v > 0 && v_raw == v_raw;
}

void MatrixWorkspace::finish(LayerTape& tape, std::size_t i) {
  const ColumnScalars& s = tape.scalars[i];
  tape.w[i][i] = s.w_22;
  for (std::size_t j = 0; j < diag_W.size(); ++j)
    diag_W[j] += tape.y[i][j] * tape.y[i][j] / s.v - tape.w[i][j] * tape.w[i][j] / s.w_22;
  state.update(tape, i);
  done = i + 1;
}

Column MatrixWorkspace::load_back(LayerTape& tape, std::size_t i, std::size_t index) {
  state.undo_diagonal(tape, i);
  return column(tape, i, index);
}

}  // namespace spodnet
