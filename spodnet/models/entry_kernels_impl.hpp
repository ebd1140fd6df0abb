// The per-entry work of ubg-any, included once per instruction set (see core/kernel_vectors.hpp).
#include "spodnet/core/kernel_vectors.hpp"
#include "spodnet/core/kernels.hpp"
#include "spodnet/models/entry_kernels.hpp"

namespace spodnet {
namespace SPODNET_ISA {

constexpr int F = int(kEntryFeatures);

SPODNET_INLINE Vec root(Vec x) {
  Vec out;
  for (std::size_t l = 0; l < kLanes; ++l) out[l] = __builtin_sqrt(x[l]);
  return out;
}

/// 1 / x, 0 where x is 0 (the padding).
SPODNET_INLINE Vec inverse(Vec x) { return only_where(x > 0.0, 1.0 / x); }

SPODNET_INLINE void add(double* to, Vec x) { store(to, load(to) + x); }

/// A partial sum of kBlock numbers: lane l of vector number `j / kLanes` goes to its own place.
SPODNET_INLINE double* partial(double* sums, std::size_t index, std::size_t j) {
  return sums + index * kBlock + j % kBlock;
}

/// One vector of entries with its features.
struct Entries {
  Vec z, size, theta, w, r, Theta, s_jj, m, inv_m;
  Vec x[F];
  Vec t[F];  ///< phi(y) = y t, phi'(y) = t^2; 1 where the feature is not squashed
};

SPODNET_INLINE void set_feature(Entries& e, int f, Vec y) {
  e.t[f] = 1.0 / (1.0 + abs_of(y));
  e.x[f] = y * e.t[f];
}

SPODNET_INLINE Entries read(const EntryInput& in, std::size_t j) {
  Entries e;
  e.z = load(in.z + j), e.size = abs_of(e.z);
  e.theta = flip_where_negative(load(in.theta + j), e.z);
  e.w = flip_where_negative(load(in.w + j), e.z);
  e.r = flip_where_negative(load(in.s + j), e.z) - e.w;
  e.Theta = load(in.diag_Theta + j), e.s_jj = load(in.diag_S + j);
  e.m = root(e.Theta * in.theta_22), e.inv_m = inverse(e.m);
  const Vec scaled = e.size * e.inv_m, step = e.r * e.m;
  set_feature(e, 0, scaled);
  e.x[1] = e.theta * e.inv_m, e.t[1] = all(1);
  set_feature(e, 2, step);
  set_feature(e, 3, e.w * e.m);
  set_feature(e, 4, in.k * scaled);
  set_feature(e, 5, in.k * step);
  set_feature(e, 6, e.size);
  set_feature(e, 7, e.Theta);
  set_feature(e, 8, e.s_jj * e.Theta);
  return e;
}

SPODNET_INLINE Vec unit(const EntryWeights& net, std::size_t k, const Vec (&x)[F]) {
  Vec pre = all(net.b[k]);
  for (int f = 0; f < F; ++f) pre += net.A[k * F + std::size_t(f)] * x[f];
  return pre;
}

static void thresholds(const EntryInput& in, const EntryWeights& net, double* lambda) {
  for (std::size_t j = 0; j < in.n; j += kLanes) {
    const Entries e = read(in, j);
    Vec out = all(net.c);
    for (std::size_t k = 0; k < net.hidden; ++k) {
      const Vec pre = unit(net, k, e.x);
      out += net.B[k] * only_where(pre > 0.0, pre);
    }
    store(lambda + j, e.m * (0.5 * (out + root(out * out + 1.0))));
  }
}

/// From the features' adjoints to those of the column.
SPODNET_INLINE Vec read_backward(const EntryInput& in, std::size_t j, const Entries& e,
                                 const Vec (&d_x)[F], Vec d_m, EntryAdjoint& adjoint) {
  Vec d_y[F];
  for (int f = 0; f < F; ++f) d_y[f] = d_x[f] * e.t[f] * e.t[f];
  const Vec d_scaled = d_y[0] + in.k * d_y[4], d_step = d_y[2] + in.k * d_y[5];
  const Vec d_size = d_scaled * e.inv_m + d_y[6];
  d_m += d_step * e.r + d_y[3] * e.w - (d_scaled * e.size + d_y[1] * e.theta) * (e.inv_m * e.inv_m);
  add(adjoint.d_z + j, flip_where_negative(d_size, e.z));
  add(adjoint.d_theta + j, flip_where_negative(d_y[1] * e.inv_m, e.z));
  add(adjoint.d_w + j, flip_where_negative((d_y[3] - d_step) * e.m, e.z));
  add(adjoint.d_diag + j, d_y[7] + d_y[8] * e.s_jj + d_m * e.inv_m * (0.5 * in.theta_22));
  return 0.5 * d_m * e.Theta * e.inv_m;
}

static void thresholds_backward(const EntryInput& in, const EntryWeights& net,
                                const double* d_lambda, EntryAdjoint& adjoint) {
  Vec d_theta_22 = zero();
  for (std::size_t j = 0; j < in.n; j += kLanes) {
    const Entries e = read(in, j);
    Vec out = all(net.c);
    for (std::size_t k = 0; k < net.hidden; ++k) {
      const Vec pre = unit(net, k, e.x);
      const Vec h = only_where(pre > 0.0, pre);
      out += net.B[k] * h;
    }
    const Vec hypotenuse = root(out * out + 1.0), d = load(d_lambda + j);
    const Vec d_out = d * e.m * (0.5 * (1.0 + out / hypotenuse));
    Vec d_x[F];
    for (Vec& d_f : d_x) d_f = zero();
    for (std::size_t k = 0; k < net.hidden; ++k) {
      const Vec pre = unit(net, k, e.x);
      const Mask on = pre > 0.0;
      add(partial(adjoint.d_B, k, j), d_out * only_where(on, pre));
      const Vec d_pre = only_where(on, d_out * net.B[k]);
      add(partial(adjoint.d_b, k, j), d_pre);
      for (int f = 0; f < F; ++f) {
        add(partial(adjoint.d_A, k * F + std::size_t(f), j), d_pre * e.x[f]);
        d_x[f] += d_pre * net.A[k * F + std::size_t(f)];
      }
    }
    add(partial(adjoint.d_c, 0, j), d_out);
    d_theta_22 += read_backward(in, j, e, d_x, d * (0.5 * (out + hypotenuse)), adjoint);
  }
  adjoint.d_theta_22 += sum(d_theta_22);
}

static ColumnSums sums(const EntryInput& in) {
  Vec theta2 = zero(), r2 = zero(), w2 = zero(), theta_r = zero();
  for (std::size_t j = 0; j < in.n; j += kLanes) {
    const Vec theta = load(in.theta + j), w = load(in.w + j), r = load(in.s + j) - w;
    const Vec Theta = load(in.diag_Theta + j);
    theta2 += theta * theta * inverse(Theta);
    r2 += r * r * Theta;
    w2 += w * w * Theta;
    theta_r += theta * r;
  }
  return {sum(theta2) / in.theta_22, sum(r2) * in.theta_22, sum(w2) * in.theta_22, sum(theta_r)};
}

static void sums_backward(const EntryInput& in, const ColumnSums& d, EntryAdjoint& adjoint) {
  const Vec c_theta = all(d.theta2 / in.theta_22), c_r = all(d.r2 * in.theta_22),
            c_w = all(d.w2 * in.theta_22), c_tr = all(d.theta_r);
  Vec d_theta2 = zero(), d_m2 = zero();
  for (std::size_t j = 0; j < in.n; j += kLanes) {
    const Vec theta = load(in.theta + j), w = load(in.w + j), r = load(in.s + j) - w;
    const Vec Theta = load(in.diag_Theta + j), t = theta * inverse(Theta);
    const Vec r_Theta = r * Theta, w_Theta = w * Theta;
    add(adjoint.d_theta + j, 2.0 * c_theta * t + c_tr * r);
    add(adjoint.d_w + j, 2.0 * (c_w * w_Theta - c_r * r_Theta) - c_tr * theta);
    add(adjoint.d_diag + j, c_r * r * r + c_w * w * w - c_theta * t * t);
    d_theta2 += theta * t;
    d_m2 += d.r2 * r * r_Theta + d.w2 * w * w_Theta;
  }
  adjoint.d_theta_22 += sum(d_m2) - d.theta2 * sum(d_theta2) / (in.theta_22 * in.theta_22);
}

static void step(const EntryInput& in, double gamma_0, double gamma_1, double* z) {
  const Vec g0 = all(gamma_0), g1 = all(gamma_1 * in.theta_22);
  for (std::size_t j = 0; j < in.n; j += kLanes) {
    const Vec r = load(in.s + j) - load(in.w + j);
    store(z + j, load(in.theta + j) - (g0 + g1 * load(in.diag_Theta + j)) * r);
  }
}

static void step_backward(const EntryInput& in, double gamma_0, double gamma_1, const double* d_z,
                          double d_gamma[2], EntryAdjoint& adjoint) {
  const Vec g0 = all(gamma_0), g1 = all(gamma_1 * in.theta_22);
  Vec plain = zero(), newton = zero();
  for (std::size_t j = 0; j < in.n; j += kLanes) {
    const Vec r = load(in.s + j) - load(in.w + j), Theta = load(in.diag_Theta + j);
    const Vec d = load(d_z + j), d_r = d * r;
    plain += d_r;
    newton += d_r * Theta;
    add(adjoint.d_theta + j, d);
    add(adjoint.d_w + j, d * (g0 + g1 * Theta));
    add(adjoint.d_diag + j, -(g1 * d_r));
  }
  const double total = sum(newton);
  d_gamma[0] = -sum(plain);
  d_gamma[1] = -total * in.theta_22;
  adjoint.d_theta_22 -= gamma_1 * total;
}

extern const EntryKernels entry_table;
const EntryKernels entry_table = {SPODNET_ISA_NAME, thresholds, thresholds_backward, sums,
                                  sums_backward,    step,       step_backward};

}  // namespace SPODNET_ISA
}  // namespace spodnet
