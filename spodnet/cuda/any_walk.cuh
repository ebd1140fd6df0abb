#pragma once
// The size-free rules as the walks see them (models/ubg_any.hpp, pnp_any.hpp, consistent_any.hpp):
// forward here, backward in any_walk_backward.cuh. What the rules make of their networks' outputs
// is a Form's (any_form.cuh).
#include "spodnet/cuda/any_form.cuh"
#include "spodnet/cuda/any_tape.cuh"
#include "spodnet/cuda/backward.cuh"
#include "spodnet/cuda/layer_weights.cuh"

namespace spodnet::cuda {

template <class B, class Form>
struct AnyWalk {
  static constexpr bool kShift = Form::kShift, kLearnedStart = Form::kLearnedStart;
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
  Form form;

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

  __device__ void begin_layer(B& b, const WalkProblem& problem, const LayerWeights& weights) {
    layer = weights;
    form.begin(problem);
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
  __device__ __forceinline__ EntryContext context(const B& b, const WalkProblem& problem,
                                                  const WalkColumn& column, double Theta) const {
    return {Theta, b.s_jj(), column.theta_22, sqrt(problem.n) / 3};
  }

  __device__ void begin_forward(B&, const Tape&) const {}
  __device__ void look_ahead(B&, const Tape&, int) const {}
  __device__ void finish_ahead(B&, const Tape&, int) const {}
  __device__ void join_preactivation(B&, const Tape&, int) const {}

  /// Feature `lane` of a column (models/column_features.hpp).
  __device__ __forceinline__ double feature(const B& b, const WalkProblem& problem,
                                            const WalkColumn& column,
                                            const double (&sums)[4]) const {
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

  __device__ double preactivation(B& b, const WalkProblem& problem, const Tape& tape,
                                  const WalkColumn& column, const Entry& e) {
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
    const double m = sqrt(Theta * column.theta_22);
    const double u = form.step(e.theta, r, m, form.gamma(log_gamma));
    b.wait_vectors();
    if (!kShift) return e.in ? u : 0.0;
    const EntryFeatures f = entry_features(e, u, true, context(b, problem, column, Theta));
    return e.in ? form.shifted(u, f.m, ShiftHead::value(psi.output(f.x))) : 0.0;
  }
  __device__ __forceinline__ double threshold(B& b, const WalkProblem& problem,
                                              const WalkColumn& column, const Entry& e,
                                              double z) const {
    const double Theta = b.inside ? b.T(b.j)[b.j] : 0.0;
    const EntryFeatures f = entry_features(e, z, Form::kSigns, context(b, problem, column, Theta));
    return form.threshold(f.m, ThresholdHead::value(lambda.output(f.x)));
  }
  __device__ __forceinline__ double margin(B& b, const WalkProblem&, const WalkColumn& column,
                                           double q) const {
    margin_input(b, column, q);
    g.hidden(x(), mine(b), b.lane);
    const double out = g.output(mine(b), b.lane);
    b.wait_vectors();  // x is the next column's from now on
    return form.margin(column, out);
  }
  /// The last two features of g.
  __device__ __forceinline__ void margin_input(B& b, const WalkColumn& column, double q) const {
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
  /// Returns d_q.
  __device__ double margin_backward(B& b, const WalkProblem& problem, const Tape& tape,
                                    const WalkColumn& column, double q, double d_v,
                                    WalkColumnAdjoint& d);
  /// What g leaves where its floor held: nothing.
  __device__ void skip_margin_backward(B& b, const Tape& tape, int i);
  /// Returns what it adds to d_z.
  __device__ double threshold_backward(B& b, const WalkProblem& problem, const Tape& tape,
                                       const WalkColumn& column, const Entry& e, double z,
                                       double d_lambda, EntryAdjoint& d_entry,
                                       WalkColumnAdjoint& d);
  __device__ __forceinline__ void residual_sum(double) {}
  __device__ void preactivation_backward(B& b, const WalkProblem& problem, const Tape& tape,
                                         const WalkColumn& column, const Entry& e,
                                         const TapeEntry& t, double d_z, EntryAdjoint& d_entry,
                                         WalkColumnAdjoint& d);
  /// What the whole block does of the two.
  __device__ __forceinline__ void join_preactivation_backward(B& b, const Tape&, int) const {
    join_network_backward(b, lambda);
    if (kShift) join_network_backward(b, psi);
  }
  __device__ void weight_gradients(B& b, const Tape& tape) const;

 private:
  double d_theta_22_ = 0;

  __device__ void begin_column(B& b, double* keep);
  template <class Head, class Scale>
  __device__ double network_backward(B& b, const EntryNetwork<B>& net, const Entry& e, double z,
                                     bool with_signs, const EntryContext& c, Scale scale,
                                     double* keep, EntryAdjoint& d_entry, double& d_theta_22);
  /// What the whole block does of it.
  __device__ __forceinline__ void join_network_backward(B& b, const EntryNetwork<B>& net) const {
    block_barrier();
    net.reduce(shared_memory + at_terms, shared_memory + at_features, b.warp, b.threads() / 32,
               b.lane);
    block_barrier();
  }
  __device__ void step_size_backward(B& b, double* keep, double log_gamma, double d_gamma);
  __device__ void sums_backward(B& b, const WalkColumn& column, const Entry& e, double Theta,
                                const double* keep, double d_theta_22, EntryAdjoint& d_entry,
                                WalkColumnAdjoint& d);
  __device__ __forceinline__ void features_backward(const WalkColumn& column, const double* keep,
                                                    double (&d_sums)[4],
                                                    WalkColumnAdjoint& d) const;
};

template <class B>
using UbgAnyWalk = AnyWalk<B, PlainForm<false>>;
template <class B>
using PnpAnyWalk = AnyWalk<B, PlainForm<true>>;
template <class B>
using ConsistentAnyWalk = AnyWalk<B, ConsistentForm>;

}  // namespace spodnet::cuda

#include "spodnet/cuda/any_walk_backward.cuh"
