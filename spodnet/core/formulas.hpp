#pragma once
// Algorithm 1's formulas for one column, for every engine: layer/ calls them with doubles, models/
// with a vector of matrices, core/'s kernels with a vector of entries, cuda/ with a thread's
// number. layer/reference.hpp writes the algorithm as the paper does; the tests compare the two.
//
// V is the number of an engine, A its arithmetic:
//   all(x)                              the constant x
//   where(mask, a, b), zero_where(mask, a)   a or b; 0 or a
//   abs(a), flip(a, s)                  |a|; -a where s is negative, else a
//   ratio(a, b), root_of_ratio(a, b)    a / b; sqrt(a / b)
//   plus_product(a, b, c)               a + b c
#include <cmath>

#include "spodnet/core/scaling.hpp"

#ifndef SPODNET_FORMULA  // a room whose compiler wants other words defines it before it includes
                         // this
#define SPODNET_FORMULA static inline __attribute__((always_inline))
#endif

namespace spodnet::formulas {

/// The arithmetic of doubles.
struct Doubles {
  SPODNET_FORMULA double all(double x) { return x; }
  SPODNET_FORMULA double where(bool mask, double a, double b) { return mask ? a : b; }
  SPODNET_FORMULA double zero_where(bool mask, double a) { return mask ? 0.0 : a; }
  SPODNET_FORMULA double flip(double a, double s) { return s < 0 ? -a : a; }
  SPODNET_FORMULA double ratio(double a, double b) { return a / b; }
  SPODNET_FORMULA double root_of_ratio(double a, double b) { return std::sqrt(a / b); }
};

/// c of z^ = c z, with q0 = z' inv_theta_11 z. A q0 below 1e-24 theta_22 is rounding: c = 0.
template <class A, class V>
SPODNET_FORMULA V scale(const A& a, Scaling scaling, V zeta, V q0, V theta_22) {
  if (scaling == Scaling::none) return a.all(1.0);
  const V limit = scaling == Scaling::relative ? zeta * theta_22 : zeta;
  const V c = a.root_of_ratio(limit, q0);
  if (scaling == Scaling::normalize) return a.where(q0 > 1e-24 * theta_22, c, a.all(0.0));
  return a.where(q0 > limit, c, a.all(1.0));
}

/// Its adjoint: d_q0, with d_z^' z^ given. Where c acts, it is proportional to q0^(-1/2).
template <class A, class V>
SPODNET_FORMULA V scale_backward(const A& a, Scaling scaling, V c, V q0, V d_z_z) {
  if (scaling == Scaling::none) return a.all(0.0);
  const V resting = a.all(scaling == Scaling::normalize ? 0.0 : 1.0);
  return a.zero_where(c == resting, a.ratio(-0.5 * d_z_z, q0));
}

/// What theta_22 then gets, where the limit is zeta theta_22 (Scaling::relative).
template <class A, class V>
SPODNET_FORMULA V limit_backward(const A& a, Scaling scaling, V d_q0, V q0, V theta_22) {
  return scaling == Scaling::relative ? -a.ratio(d_q0 * q0, theta_22) : a.all(0.0);
}

/// theta_12^+: sign(z) max(|z| - lambda, 0), with exact zeros; NaN stays NaN.
template <class A, class V>
SPODNET_FORMULA V soft_threshold(const A& a, V z, V lambda) {
  const V size = a.abs(z) - lambda;
  return a.zero_where(size <= 0.0, a.flip(size, z));
}

/// Its adjoint: d_lambda, with d = d_theta_12^+ where u = theta_12^+ is not 0, and 0 where it is.
/// (d_z is d itself.)
template <class A, class V>
SPODNET_FORMULA V soft_threshold_backward(const A& a, V d, V u) {
  return -a.flip(d, u);
}

/// The margin v = max(v_raw, v_min max(1, q)). Differs: strict positivity. NaN stays NaN.
template <class A, class V>
SPODNET_FORMULA V margin(const A& a, V v_raw, V v_min, V q) {
  const V floor = v_min * a.where(q > 1.0, q, a.all(1.0));
  return a.where(v_raw < floor, floor, v_raw);
}

/// What q gets from d_v where the floor is active.
template <class A, class V>
SPODNET_FORMULA V floor_backward(const A& a, V v_min, V q, V d_v) {
  return a.zero_where(q <= 1.0, v_min * d_v);
}

/// Entry j of inv_theta_11 x = W x - w (w'x) / w_22; factor = -(w'x) / w_22.
template <class A, class V>
SPODNET_FORMULA V schur_product(const A& a, V Wx, V w, V factor) {
  return a.plus_product(Wx, factor, w);
}

/// The Schur step, Eq. (3): W^+ = W + c_w w w' + c_y y y', with w = column i of W and y =
/// inv_theta_11 theta_12^+, y_i = -1.
template <class V>
struct SchurStep {
  V c_w, c_y;
};

/// From 1 / w_22 and 1 / v. From w_i / w_22 and y_i / v: of row i of the update, c_w w_i and c_y
/// y_i.
template <class V>
SPODNET_FORMULA SchurStep<V> schur_step(V per_w_22, V per_v) {
  return {-per_w_22, per_v};
}

/// What takes it back.
template <class V>
SPODNET_FORMULA SchurStep<V> schur_undo(V per_w_22, V per_v) {
  return {per_w_22, -per_v};
}

}  // namespace spodnet::formulas
