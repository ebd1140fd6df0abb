// The per-entry work of ubg-any and pnp-any, included once per instruction set (see
// core/kernel_vectors.hpp).
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

/// The threshold: out to lambda / m.
template <bool kSees>
struct Threshold {
  static constexpr bool kSigned = kSees, kAdds = false;
  SPODNET_INLINE Vec value(Vec out) { return 0.5 * (out + root(out * out + 1.0)); }
  SPODNET_INLINE Vec slope(Vec out) { return 0.5 * (1.0 + out / root(out * out + 1.0)); }
};

/// The shift of z in units of m, never beyond 1.
struct Shift {
  static constexpr bool kSigned = true, kAdds = true;
  SPODNET_INLINE Vec value(Vec out) { return out / (1.0 + abs_of(out)); }
  SPODNET_INLINE Vec slope(Vec out) {
    const Vec t = 1.0 / (1.0 + abs_of(out));
    return t * t;
  }
};

/// x with the sign of z divided out, unless signs are to be seen.
template <class Head>
SPODNET_INLINE Vec folded(Vec x, Vec z) {
  return Head::kSigned ? x : flip_where_negative(x, z);
}

/// One vector of entries with its features; size, theta, w and r are folded.
struct Entries {
  Vec z, size, theta, w, r, Theta, s_jj, m, inv_m;
  Vec x[F];
  Vec t[F];  ///< phi(y) = y t, phi'(y) = t^2; 1 where the feature is not squashed
};

/// The entries that count in a backward, kLanes at a time: most thresholds of a sparse column have
/// no adjoint. `used` <= kLanes; the lanes beyond repeat the first entry and have d = 0.
struct Active {
  std::size_t index[kLanes];
  std::size_t used = 0;
};

SPODNET_INLINE Vec gather(const double* x, const Active& at) {
  Vec out;
  for (std::size_t l = 0; l < kLanes; ++l) out[l] = x[at.index[l]];
  return out;
}

SPODNET_INLINE void scatter_add(double* x, const Active& at, Vec v) {
  for (std::size_t l = 0; l < at.used; ++l) x[at.index[l]] += v[l];
}

SPODNET_INLINE void set_feature(Entries& e, int f, Vec y) {
  e.t[f] = 1.0 / (1.0 + abs_of(y));
  e.x[f] = y * e.t[f];
}

template <class Head>
SPODNET_INLINE Entries features(const EntryInput& in, Vec z, Vec theta, Vec w, Vec s, Vec Theta,
                                Vec s_jj) {
  Entries e;
  e.z = z, e.size = folded<Head>(z, z);
  e.theta = folded<Head>(theta, z);
  e.w = folded<Head>(w, z);
  e.r = folded<Head>(s, z) - e.w;
  e.Theta = Theta, e.s_jj = s_jj;
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

SPODNET_INLINE Vec output(const EntryWeights& net, const Vec (&x)[F]) {
  Vec out = all(net.c);
  for (std::size_t k = 0; k < net.hidden; ++k) {
    const Vec pre = unit(net, k, x);
    out += net.B[k] * only_where(pre > 0.0, pre);
  }
  return out;
}

template <class Head>
static void evaluate(const EntryInput& in, const EntryWeights& net, double* result) {
  for (std::size_t j = 0; j < in.n; j += kLanes) {
    const Vec z = load(in.z + j);
    const Entries e = features<Head>(in, z, load(in.theta + j), load(in.w + j), load(in.s + j),
                                     load(in.diag_Theta + j), load(in.diag_S + j));
    const Vec value = e.m * Head::value(output(net, e.x));
    store(result + j, Head::kAdds ? z + value : value);
  }
}

/// From the features' adjoints to those of the column.
template <class Head>
SPODNET_INLINE Vec features_backward(const EntryInput& in, const Active& at, const Entries& e,
                                     const Vec (&d_x)[F], Vec d_m, EntryAdjoint& adjoint) {
  Vec d_y[F];
  for (int f = 0; f < F; ++f) d_y[f] = d_x[f] * e.t[f] * e.t[f];
  const Vec d_scaled = d_y[0] + in.k * d_y[4], d_step = d_y[2] + in.k * d_y[5];
  const Vec d_size = d_scaled * e.inv_m + d_y[6];
  d_m += d_step * e.r + d_y[3] * e.w - (d_scaled * e.size + d_y[1] * e.theta) * (e.inv_m * e.inv_m);
  scatter_add(adjoint.d_z, at, folded<Head>(d_size, e.z));
  scatter_add(adjoint.d_theta, at, folded<Head>(d_y[1] * e.inv_m, e.z));
  scatter_add(adjoint.d_w, at, folded<Head>((d_y[3] - d_step) * e.m, e.z));
  scatter_add(adjoint.d_diag, at, d_y[7] + d_y[8] * e.s_jj + d_m * e.inv_m * (0.5 * in.theta_22));
  return 0.5 * d_m * e.Theta * e.inv_m;
}

/// The adjoint of up to kLanes entries; returns their share of d_theta_22.
template <class Head>
static Vec active_backward(const EntryInput& in, const EntryWeights& net, const Active& at, Vec d,
                           EntryAdjoint& adjoint) {
  const Entries e =
      features<Head>(in, gather(in.z, at), gather(in.theta, at), gather(in.w, at), gather(in.s, at),
                     gather(in.diag_Theta, at), gather(in.diag_S, at));
  const Vec out = output(net, e.x);
  const Vec d_out = d * e.m * Head::slope(out);
  Vec d_x[F];
  for (Vec& d_f : d_x) d_f = zero();
  for (std::size_t k = 0; k < net.hidden; ++k) {
    const Vec pre = unit(net, k, e.x);
    const Mask on = pre > 0.0;
    add(adjoint.d_B + k * kBlock, d_out * only_where(on, pre));
    const Vec d_pre = only_where(on, d_out * net.B[k]);
    add(adjoint.d_b + k * kBlock, d_pre);
    for (std::size_t f = 0; f < kEntryFeatures; ++f) {
      add(adjoint.d_A + (k * kEntryFeatures + f) * kBlock, d_pre * e.x[f]);
      d_x[f] += d_pre * net.A[k * kEntryFeatures + f];
    }
  }
  add(adjoint.d_c, d_out);
  return features_backward<Head>(in, at, e, d_x, d * Head::value(out), adjoint);
}

template <class Head>
static void evaluate_backward(const EntryInput& in, const EntryWeights& net, const double* d_result,
                              EntryAdjoint& adjoint) {
  Vec d_theta_22 = zero(), d = zero();
  Active at;
  const auto work = [&] {
    for (std::size_t l = at.used; l < kLanes; ++l) at.index[l] = at.index[0], d[l] = 0;
    d_theta_22 += active_backward<Head>(in, net, at, d, adjoint);
    at.used = 0;
  };
  for (std::size_t j = 0; j < in.n; ++j) {
    if (d_result[j] == 0) continue;
    d[at.used] = d_result[j];
    at.index[at.used++] = j;
    if (at.used == kLanes) work();
  }
  if (at.used > 0) work();
  adjoint.d_theta_22 += sum(d_theta_22);
}

static void thresholds(const EntryInput& in, const EntryWeights& net, double* lambda) {
  in.signs ? evaluate<Threshold<true>>(in, net, lambda)
           : evaluate<Threshold<false>>(in, net, lambda);
}

static void thresholds_backward(const EntryInput& in, const EntryWeights& net,
                                const double* d_lambda, EntryAdjoint& adjoint) {
  in.signs ? evaluate_backward<Threshold<true>>(in, net, d_lambda, adjoint)
           : evaluate_backward<Threshold<false>>(in, net, d_lambda, adjoint);
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

static void step(const EntryInput& in, double gamma, double* z) {
  const Vec g = all(gamma);
  for (std::size_t j = 0; j < in.n; j += kLanes) {
    const Vec m = root(load(in.diag_Theta + j) * in.theta_22);
    const Vec y = m * (load(in.s + j) - load(in.w + j));
    store(z + j, load(in.theta + j) - g * m * y / (1.0 + abs_of(y)));
  }
}

static double step_backward(const EntryInput& in, double gamma, const double* d_z,
                            EntryAdjoint& adjoint) {
  Vec d_gamma = zero(), d_theta_22 = zero();
  for (std::size_t j = 0; j < in.n; j += kLanes) {
    const Vec Theta = load(in.diag_Theta + j), m = root(Theta * in.theta_22);
    const Vec r = load(in.s + j) - load(in.w + j), d = load(d_z + j), y = m * r;
    const Vec t = 1.0 / (1.0 + abs_of(y)), phi = y * t, d_y = -gamma * m * d * t * t;
    const Vec d_m2 = 0.5 * inverse(m) * (d_y * r - gamma * d * phi);  // of m^2
    d_gamma -= d * m * phi;
    d_theta_22 += d_m2 * Theta;
    add(adjoint.d_theta + j, d);
    add(adjoint.d_w + j, -(d_y * m));
    add(adjoint.d_diag + j, d_m2 * in.theta_22);
  }
  adjoint.d_theta_22 += sum(d_theta_22);
  return sum(d_gamma);
}

extern const EntryKernels entry_table;
const EntryKernels entry_table = {SPODNET_ISA_NAME,
                                  thresholds,
                                  thresholds_backward,
                                  evaluate<Shift>,
                                  evaluate_backward<Shift>,
                                  sums,
                                  sums_backward,
                                  step,
                                  step_backward};

}  // namespace SPODNET_ISA
}  // namespace spodnet
