#pragma once
// The size-free rules as the walks see them: ubg-any (models/ubg_any.hpp) and pnp-any, which
// shifts every entry by a second network (models/pnp_any.hpp).
#include "spodnet/cuda/backward.cuh"
#include "spodnet/cuda/entry_network.cuh"
#include "spodnet/cuda/layer_weights.cuh"

namespace spodnet::cuda {

constexpr int kColumnFeatures = 9, kSummaryNumbers = 7;
constexpr double kLargestStep = 6, kLargestMargin = 3, kLargestLog = 12, kPresent = 0.05;

/// Where a column's numbers lie on its tape; its features come first.
struct AnyTape {
  int sums, log_gamma, gamma_h, gamma_d_h, gamma_d, g_in, g_h, g_d_h, g_d, lambda, psi, size;

  __host__ __device__ explicit AnyTape(const RuleAt& at) {
    sums = at.features, log_gamma = sums + 4;
    gamma_h = log_gamma + 1, gamma_d_h = gamma_h + at.gamma.hidden;
    gamma_d = gamma_d_h + at.gamma.hidden;
    g_in = gamma_d + 1, g_h = g_in + 2, g_d_h = g_h + at.margin.hidden;
    g_d = g_d_h + at.margin.hidden;
    lambda = g_d + 1, psi = lambda + EntryNetworkTape(at.lambda, 0).size;
    size = psi + EntryNetworkTape(at.psi, 0).size;
  }
};

__device__ __forceinline__ double bounded_log(double x) {
  return fmin(fmax(log(x), -kLargestLog), kLargestLog);
}
__device__ __forceinline__ double bounded_log_slope(double x) {
  return fabs(log(x)) < kLargestLog ? 1 / x : 0.0;
}

template <class B, bool kShift>
struct AnyWalk {
  static constexpr bool kReadsW = true, kReadsDiagonal = true, kNeedsResidualSums = false;
  static constexpr int kLength = B::kSlots, kWarps = B::kVectorWarps;

  RuleAt at;
  AnyTape on;
  LayerWeights layer;
  WarpMlp gamma, g;
  EntryNetwork<B> lambda, psi;
  int at_x, at_scratch, at_terms, at_features;  ///< in shared memory
  int scratch;                                  ///< numbers of it a warp has
  double d_x = 0;                               ///< the adjoint of feature `lane`, in every warp
  double gamma_value = 0;

  __host__ __device__ static int widest(const RuleAt& at) {
    int n = at.gamma.hidden > at.margin.hidden ? at.gamma.hidden : at.margin.hidden;
    n = at.lambda.adapt.hidden > n ? at.lambda.adapt.hidden : n;
    return even(at.psi.adapt.hidden > n ? at.psi.adapt.hidden : n);
  }
  __host__ __device__ static int terms_numbers(const RuleAt& at) {
    return 2 * kLength * (at.psi.hidden > at.lambda.hidden ? at.psi.hidden : at.lambda.hidden);
  }
  __host__ __device__ static int tape_numbers(const RuleAt& at) { return AnyTape(at).size; }
  __host__ __device__ static int scratch_numbers(const RuleAt&) { return 0; }
  __host__ __device__ static int shared_numbers(const RuleAt& at, int, bool) {
    return WarpMlp::shared_numbers(at.gamma) + WarpMlp::shared_numbers(at.margin) +
           EntryNetwork<B>::shared_numbers(at.lambda) +
           (kShift ? EntryNetwork<B>::shared_numbers(at.psi) : 0) + even(at.features + 2) +
           kWarps * 2 * widest(at) + terms_numbers(at) + (kEntryFeatures + 1) * kLength;
  }

  __device__ AnyWalk(const RuleAt& at_, B& b, bool) : at(at_), on(at_) {
    int next = b.at_rule;
    gamma.place(at.gamma, next);
    g.place(at.margin, next);
    lambda.place(at.lambda, on.lambda, next);
    if (kShift) psi.place(at.psi, on.psi, next);
    at_x = next, next += even(at.features + 2);
    scratch = 2 * widest(at);
    at_scratch = next, next += kWarps * scratch;
    at_terms = next, next += terms_numbers(at);
    at_features = next, next += (kEntryFeatures + 1) * kLength;
    b.at_rule = next;
  }

  __device__ void begin_layer(B& b, const LayerWeights& weights) {
    layer = weights;
    gamma.begin(layer.weights, b.tid, b.threads());
    g.begin(layer.weights, b.tid, b.threads());
    lambda.begin(layer.weights, b.tid, b.threads());
    if (kShift) psi.begin(layer.weights, b.tid, b.threads());
    block_barrier();
  }
  __device__ __forceinline__ double* x() const { return shared_memory + at_x; }
  /// Two rows of hidden units of this warp.
  __device__ __forceinline__ double* mine(const B& b) const {
    return shared_memory + at_scratch + b.warp * scratch;
  }
  __device__ __forceinline__ EntryContext context(const B& b, const Problem& problem,
                                                  const Column& column, double Theta) const {
    return {Theta, b.s_jj(), column.theta_22, sqrt(problem.n) / 3};
  }
  __device__ __forceinline__ double variance(const Column& column) const {
    return fma(kPresent, column.w_22, column.s_22);
  }

  __device__ void begin_forward(B&, const Tape&) const {}
  __device__ void look_ahead(B&, const Tape&, int) const {}
  __device__ void finish_ahead(B&, const Tape&, int) const {}
  __device__ void join_preactivation(B&, const Tape&, int) const {}

  /// Feature `lane` of a column (models/column_features.hpp).
  __device__ __forceinline__ double feature(const B& b, const Problem& problem,
                                            const Column& column, const double (&sums)[4]) const {
    const int f = b.lane;
    const double n = problem.n, p = double(b.p);
    if (f < 3) return log1p(sums[f]);
    if (f == 3) return sums[3] / (1 + fabs(sums[3]));
    if (f == 4) return column.s_22 / (column.s_22 + column.w_22);
    if (f == 5) return bounded_log(column.theta_22 * column.w_22);
    if (f == 6) return bounded_log(column.w_22);
    if (f == 7) return fmin(fmax((log(n) - 4) / 2, -2.0), 3.0);
    if (f == 8) return fmin(fmax(log(n / p) / 2, -3.0), 4.0);
    return f < at.features ? problem.summary[f - kColumnFeatures] : 0.0;
  }

  __device__ double preactivation(B& b, const Problem& problem, const Tape& tape,
                                  const Column& column, const Entry& e) {
    const double Theta = b.inside ? b.T(b.j)[b.j] : 0.0, r = e.s - e.w;
    const double inv_Theta = Theta > 0 ? 1 / Theta : 0.0;
    double sums[4] = {e.theta * e.theta * inv_Theta, r * r * Theta, e.w * e.w * Theta, e.theta * r};
    b.sum(sums);
    sums[0] /= column.theta_22, sums[1] *= column.theta_22, sums[2] *= column.theta_22;
    double* keep = tape.of_rule(column.i);
    if (b.warp == 0) {
      const double f = feature(b, problem, column, sums);
      if (b.lane < at.features) x()[b.lane] = keep[b.lane] = f;
      if (b.lane == 0)
#pragma unroll
        for (int k = 0; k < 4; ++k) keep[on.sums + k] = sums[k];
    }
    b.wait_vectors();
    if (b.warp == 1 % kWarps) lambda.open(x(), keep, b.lane);
    if (kShift && b.warp == 2 % kWarps) psi.open(x(), keep, b.lane);
    gamma.hidden(x(), mine(b), b.lane);
    const double log_gamma = gamma.output(mine(b), b.lane);
    if (b.j == 0) keep[on.log_gamma] = log_gamma;
    gamma_value = bounded_exp(log_gamma, kLargestStep);
    const double m = sqrt(Theta * column.theta_22), y = m * r;
    const double u = e.theta - gamma_value * m * y / (1.0 + fabs(y));
    b.wait_vectors();
    if (!kShift) return e.in ? u : 0.0;
    const EntryFeatures f = entry_features(e, u, true, context(b, problem, column, Theta));
    const double z = fma(f.m, ShiftHead::value(psi.output(f.x)), u);
    return e.in ? z : 0.0;
  }
  __device__ __forceinline__ double threshold(B& b, const Problem& problem, const Column& column,
                                              const Entry& e, double z) const {
    const double Theta = b.inside ? b.T(b.j)[b.j] : 0.0;
    const EntryFeatures f = entry_features(e, z, kShift, context(b, problem, column, Theta));
    return f.m * ThresholdHead::value(lambda.output(f.x));
  }
  __device__ __forceinline__ double margin(B& b, const Problem&, const Column& column,
                                           double q) const {
    margin_input(b, column, q);
    g.hidden(x(), mine(b), b.lane);
    const double out = g.output(mine(b), b.lane);
    b.wait_vectors();  // x is the next column's from now on
    return bounded_exp(out, kLargestMargin) / variance(column);
  }
  /// The last two features of g.
  __device__ __forceinline__ void margin_input(B& b, const Column& column, double q) const {
    if (b.slot == 0) x()[at.features] = log1p(q * column.w_22), x()[at.features + 1] = log1p(q);
    b.wait_vectors();
  }

  __device__ void begin_backward(B&, const Tape&, bool) const {}

  /// The diagonal of Theta at entry j before step i.
  __device__ __forceinline__ double diag_Theta(const B& b, int i) const {
    if (!b.inside) return 0;
    const double* t = b.numbers(b.j);
    return b.j < i ? t[kV] + t[kQ] : t[kTheta22];
  }
  __device__ double margin_backward(B& b, const Problem&, const Tape& tape, const Column& column,
                                    double q, double d_v, ColumnAdjoint& d) {
    double* keep = tape.of_rule(column.i);
    begin_column(b, keep);
    margin_input(b, column, q);
    double *h = mine(b), *d_h = h + scratch / 2;
    g.hidden(x(), h, b.lane);
    const double out = g.output(h, b.lane), v = bounded_exp(out, kLargestMargin) / variance(column);
    const double d_out = bounded_exp_backward(out, kLargestMargin, d_v) / variance(column);
    g.hidden_backward(h, d_out, d_h, b.lane);
    if (b.lane < at.features) d_x += g.input_backward(d_h, b.lane);
    const double d_relative = g.input_backward(d_h, at.features) / (1 + q * column.w_22);
    const double d_plain = g.input_backward(d_h, at.features + 1) / (1 + q);
    if (b.warp == 0) {
      for (int k = b.lane; k < at.margin.hidden; k += 32)
        keep[on.g_h + k] = h[k], keep[on.g_d_h + k] = d_h[k];
      if (b.lane < 2) keep[on.g_in + b.lane] = x()[at.features + b.lane];
      if (b.lane == 0) keep[on.g_d] = d_out;
    }
    __syncwarp();
    d.w_22 += d_relative * q - d_v * v * kPresent / variance(column);
    return d_relative * column.w_22 + d_plain;
  }
  /// The features of a column and its networks' b and B, from its tape.
  __device__ void begin_column(B& b, double* keep) {
    if (b.warp == 0 && b.lane < at.features) x()[b.lane] = keep[b.lane];
    if (b.warp == 1 % kWarps) lambda.recall(keep, b.lane);
    if (kShift && b.warp == 2 % kWarps) psi.recall(keep, b.lane);
    d_x = 0;
  }
  /// What g leaves where its floor held: nothing.
  __device__ void skip_margin_backward(B& b, const Tape& tape, int i) {
    double* keep = tape.of_rule(i);
    begin_column(b, keep);
    if (b.warp == 0)
      for (int k = on.g_in + b.lane; k <= on.g_d; k += 32) keep[k] = 0;
    b.wait_vectors();
  }

  /// One network backwards for one entry: d is the adjoint of Head's value times m. Returns d_z.
  template <class Head>
  __device__ double network_backward(B& b, const EntryNetwork<B>& net, const Entry& e, double z,
                                     bool with_signs, const EntryContext& c, double d, double* keep,
                                     EntryAdjoint& d_entry, double& d_theta_22) {
    const EntryFeatures f = entry_features(e, z, with_signs, c);
    const double out = net.output(f.x), d_out = d * f.m * Head::slope(out);
    double d_f[kEntryFeatures];
    net.backward(f.x, d_out, d_f, shared_memory + at_terms + b.slot);
    double* features = shared_memory + at_features + b.slot;
#pragma unroll
    for (int k = 0; k < kEntryFeatures; ++k) features[k * kLength] = f.x[k];
    features[kEntryFeatures * kLength] = d_out;
    const double d_z =
        entry_features_backward(f, c, d_f, d * Head::value(out), d_entry, d_theta_22);
    join_network_backward(b, net);
    b.sum_array(net.d_b(), 2 * net.at.hidden + 1);
    d_x += net.close(keep, mine(b), b.warp, b.lane);
    return d_z;
  }
  /// What the whole block does of it.
  __device__ __forceinline__ void join_network_backward(B& b, const EntryNetwork<B>& net) const {
    block_barrier();
    net.reduce(shared_memory + at_terms, shared_memory + at_features, b.warp, b.threads() / 32,
               b.lane);
    block_barrier();
  }

  __device__ double threshold_backward(B& b, const Problem& problem, const Tape& tape,
                                       const Column& column, const Entry& e, double z,
                                       double d_lambda, EntryAdjoint& d_entry, ColumnAdjoint&) {
    const EntryContext c = context(b, problem, column, diag_Theta(b, column.i));
    double d_theta_22 = 0;
    const double d_z = network_backward<ThresholdHead>(b, lambda, e, z, kShift, c, d_lambda,
                                                       tape.of_rule(column.i), d_entry, d_theta_22);
    d_theta_22_ = d_theta_22;  // of this entry; summed with what follows
    return d_z;
  }
  __device__ __forceinline__ void join_preactivation_backward(B& b, const Tape&, int) const {
    join_network_backward(b, lambda);
    if (kShift) join_network_backward(b, psi);
  }
  __device__ __forceinline__ void residual_sum(double) {}

  __device__ void preactivation_backward(B& b, const Problem& problem, const Tape& tape,
                                         const Column& column, const Entry& e, const TapeEntry&,
                                         double d_z, EntryAdjoint& d_entry, ColumnAdjoint& d) {
    double* keep = tape.of_rule(column.i);
    const double Theta = diag_Theta(b, column.i), r = e.s - e.w;
    const EntryContext c = context(b, problem, column, Theta);
    const double log_gamma = keep[on.log_gamma], step = bounded_exp(log_gamma, kLargestStep);
    const double m = sqrt(Theta * column.theta_22), y = m * r, t = 1.0 / (1.0 + fabs(y));
    double d_theta_22 = d_theta_22_, d_u = d_z;
    if (kShift) {
      const double u = e.theta - step * m * y * t;
      d_u += network_backward<ShiftHead>(b, psi, e, u, true, c, e.in ? d_z : 0.0, keep, d_entry,
                                         d_theta_22);
      if (!e.in) d_u = 0;
    }
    // u = theta - gamma m phi(m r)
    const double inv_m = m > 0 ? 1 / m : 0.0, phi = y * t, d_y = -step * m * d_u * t * t;
    const double d_m2 = 0.5 * inv_m * (d_y * r - step * d_u * phi);
    d_entry.theta += d_u;
    d_entry.w -= d_y * m;
    d_entry.diag += d_m2 * column.theta_22;
    double s[1] = {-d_u * m * phi};
    b.sum(s);
    step_size_backward(b, keep, log_gamma, s[0]);
    // the features' sums
    double d_sums[4];
    features_backward(b, column, keep, d_sums, d);
    const double inv_Theta = Theta > 0 ? 1 / Theta : 0.0, ratio = e.theta * inv_Theta;
    const double c_theta = d_sums[0] / column.theta_22;
    const double c_r = d_sums[1] * column.theta_22, c_w = d_sums[2] * column.theta_22;
    d_entry.theta += 2.0 * c_theta * ratio + d_sums[3] * r;
    d_entry.w += 2.0 * (c_w * e.w - c_r * r) * Theta - d_sums[3] * e.theta;
    d_entry.diag += c_r * r * r + c_w * e.w * e.w - c_theta * ratio * ratio;
    double to_theta_22[1] = {d_theta_22 + d_m2 * Theta + d_sums[1] * r * r * Theta +
                             d_sums[2] * e.w * e.w * Theta -
                             c_theta * e.theta * ratio / column.theta_22};
    b.sum(to_theta_22);
    d.theta_22 += to_theta_22[0];
  }
  /// gamma = exp_6(MLP(x)).
  __device__ void step_size_backward(B& b, double* keep, double log_gamma, double d_gamma) {
    double *h = mine(b), *d_h = h + scratch / 2;
    const double d_log = bounded_exp_backward(log_gamma, kLargestStep, d_gamma);
    gamma.hidden(x(), h, b.lane);
    gamma.hidden_backward(h, d_log, d_h, b.lane);
    if (b.lane < at.features) d_x += gamma.input_backward(d_h, b.lane);
    if (b.warp == 0) {
      for (int k = b.lane; k < at.gamma.hidden; k += 32)
        keep[on.gamma_h + k] = h[k], keep[on.gamma_d_h + k] = d_h[k];
      if (b.lane == 0) keep[on.gamma_d] = d_log;
    }
    __syncwarp();
  }
  /// From d_x, feature by lane, to the sums' adjoints and those of theta_22 and w_22.
  __device__ __forceinline__ void features_backward(const B&, const Column& column,
                                                    const double* keep, double (&d_sums)[4],
                                                    ColumnAdjoint& d) const {
    double at_feature[7];
#pragma unroll
    for (int f = 0; f < 7; ++f) at_feature[f] = __shfl_sync(kAll, d_x, f);
    const double* sums = keep + on.sums;
#pragma unroll
    for (int k = 0; k < 3; ++k) d_sums[k] = at_feature[k] / (1 + sums[k]);
    const double t = 1 / (1 + fabs(sums[3]));
    d_sums[3] = at_feature[3] * t * t;
    const double total = column.s_22 + column.w_22, product = column.theta_22 * column.w_22;
    const double d_product = at_feature[5] * bounded_log_slope(product);
    d.theta_22 += d_product * column.w_22;
    d.w_22 += d_product * column.theta_22 + at_feature[6] * bounded_log_slope(column.w_22) -
              at_feature[4] * column.s_22 / (total * total);
  }

  __device__ void weight_gradients(B& b, const Tape& tape) const {
    const auto put = [this](int k, double value) { layer.put(k, value); };
    const auto keep = [&](int i) { return tape.of_rule(i); };
    const int features = at.features;
    const auto row = [&](int first) { return [=](int i, int k) { return keep(i)[first + k]; }; };
    mlp_gradients(b, at.gamma, row(0), row(on.gamma_h), row(on.gamma_d_h), row(on.gamma_d), put);
    const auto g_in = [&](int i, int f) {
      return f < features ? keep(i)[f] : keep(i)[on.g_in + f - features];
    };
    mlp_gradients(b, at.margin, g_in, row(on.g_h), row(on.g_d_h), row(on.g_d), put);
    lambda.gradients(b, keep, put);
    if (kShift) psi.gradients(b, keep, put);
  }

 private:
  double d_theta_22_ = 0;
};

template <class B>
using UbgAnyWalk = AnyWalk<B, false>;
template <class B>
using PnpAnyWalk = AnyWalk<B, true>;

}  // namespace spodnet::cuda
