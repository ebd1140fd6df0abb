#pragma once
// UBG (Eq. 7), PNP (Eq. 8) and E2E (Eq. 9) as the walks see them.
#include "spodnet/cuda/backward.cuh"
#include "spodnet/cuda/column_map.cuh"
#include "spodnet/cuda/group_column_map.cuh"
#include "spodnet/cuda/group_step_mlp.cuh"
#include "spodnet/cuda/layer_weights.cuh"
#include "spodnet/cuda/paper_rules.cuh"
#include "spodnet/cuda/step_mlp.cuh"

namespace spodnet::cuda {

/// kStep: a gradient step with a learned gamma; kMap: a perceptron of the column after it.
template <class B, bool kStep, bool kMap>
struct PaperWalk {
  static constexpr bool kReadsW = kStep, kReadsDiagonal = false;
  static constexpr bool kNeedsResidualSums = kStep && !kMap, kLearnedStart = false;

  RuleAt at;
  LayerWeights layer;
  int at_small;  ///< the weights of g and lambda, in shared memory
  StepMlp<B> step;
  ColumnMap<B> map;
  double d_gamma = 0;

  __host__ __device__ static int tape_numbers(const RuleAt& at) {
    return (kStep ? at.gamma.hidden : 0) + (kMap ? ColumnMap<B>::tape_numbers(at.map) : 0);
  }
  __host__ __device__ static int scratch_numbers(const RuleAt& at) {
    return MarginMlp::keep_numbers(at.g_hidden);
  }
  __host__ __device__ static int shared_numbers(const RuleAt& at, int threads, bool resident) {
    return even(at.small) + (kStep ? StepMlp<B>::shared_numbers(at.gamma, threads, resident) : 0) +
           (kMap ? ColumnMap<B>::shared_numbers(at.map, threads) : 0);
  }

  __device__ PaperWalk(const RuleAt& at_, B& b, bool resident) : at(at_) {
    at_small = b.at_rule;
    b.at_rule += even(at.small);
    if (kStep) step.place(at.gamma, b, resident);
    if (kMap) map.place(at.map, b);
  }

  __device__ void begin_layer(B& b, const WalkProblem&, const LayerWeights& weights) {
    layer = weights;
    for (int k = b.tid; k < at.small; k += b.threads())
      shared_memory[at_small + k] = layer.weights[k];
    if (kStep) step.begin(b, layer.weights, layer.transposed);
    if (kMap) {
      const double* t = layer.transposed + (kStep ? at.gamma.in * at.gamma.hidden : 0);
      map.begin(layer.weights, t, t + at.map.in * at.map.hidden);
    }
    block_barrier();
  }
  __device__ __forceinline__ double* map_tape(const Tape& tape, int i) const {
    return tape.of_rule(i) + (kStep ? at.gamma.hidden : 0);
  }
  __device__ __forceinline__ ScalarMlp lambda() const { return {at, at_small}; }
  __device__ __forceinline__ MarginMlp g() const { return {at, at_small}; }

  __device__ void begin_forward(B& b, const Tape& tape) const {
    if (kStep) step.begin_forward(b, tape.of_rule(0));
  }
  /// Beside the work of others: what is known of the next column's gamma.
  __device__ __forceinline__ void look_ahead(B& b, const Tape&, int i) const {
    if (kStep && i + 1 < b.p) step.ahead(b, i + 1, i);
  }
  /// Beside the second product: the next column's gamma.
  __device__ __forceinline__ void finish_ahead(B& b, const Tape& tape, int i) const {
    if (kStep && b.warp == B::kVectorWarps - 1 && i + 1 < b.p)
      step.finish(b, i + 1, i, b.u_at(i + 1), tape.of_rule(i + 1));
  }

  __device__ __forceinline__ double preactivation(B& b, const WalkProblem&, const Tape& tape,
                                                  const WalkColumn& column, const Entry& e) const {
    double z = e.theta;
    if (kStep) {
      const double sigma = step.sigma(b, column.i);
      if (b.j == 0) tape.numbers(column.i)[kSigma] = sigma;
      z = fma(-fabs(sigma), e.s - e.w, z);  // Eq. (6)
    }
    if (!kMap) return z;
    b.set_x(z);
    join_preactivation(b, tape, column.i);
    return b.x();
  }
  /// What the whole block does of it.
  __device__ __forceinline__ void join_preactivation(B& b, const Tape& tape, int i) const {
    if (!kMap) return;
    b.all_barrier();
    map.forward(b, i, map_tape(tape, i));
  }
  __device__ __forceinline__ double threshold(B&, const WalkProblem&, const WalkColumn&,
                                              const Entry&, double z) const {
    return at.kappa * fabs(lambda().value(z));
  }
  __device__ __forceinline__ double margin(B&, const WalkProblem&, const WalkColumn& column,
                                           double q) const {
    return g().value(column.theta_22, column.s_22, q);
  }

  __device__ void begin_backward(B& b, const Tape& tape, bool only_columns) const {
    if (kStep) step.slopes(b, tape, only_columns);
  }

  /// Returns d_q.
  __device__ __forceinline__ double margin_backward(B&, const WalkProblem&, const Tape&,
                                                    const WalkColumn& column, double q, double d_v,
                                                    WalkColumnAdjoint& d) const {
    const double x[3] = {column.theta_22, column.s_22, q};
    double d_x[3];
    g().backward(x, d_v, d_x);
    d.theta_22 += d_x[0];
    return d_x[2];
  }
  __device__ __forceinline__ void skip_margin_backward(B&, const Tape&, int) const {}
  /// Returns what it adds to d_z.
  __device__ __forceinline__ double threshold_backward(B& b, const WalkProblem&, const Tape& tape,
                                                       const WalkColumn& column, const Entry&,
                                                       double z, double d_lambda, EntryAdjoint&,
                                                       WalkColumnAdjoint&) const {
    const double d_e = at.kappa * sign(lambda().value(z)) * d_lambda;
    b.put(tape.row(kEntry, column.i), d_e);
    return d_e * lambda().slope(z);
  }
  /// d_z'(s_12 - w_12), where it was summed on the way.
  __device__ __forceinline__ void residual_sum(double sum) { d_gamma = -sum; }

  __device__ __forceinline__ void preactivation_backward(B& b, const WalkProblem&, const Tape& tape,
                                                         const WalkColumn& column, const Entry& e,
                                                         const TapeEntry& t, double d_z,
                                                         EntryAdjoint& d, WalkColumnAdjoint&) {
    const int i = column.i;
    if (kMap) {
      b.set_x(d_z);
      join_preactivation_backward(b, tape, i);
      d_z = b.inside ? b.x() : 0.0;
    }
    d.theta = d_z;
    if (!kStep) return;
    if (kMap) {
      double s[1] = {-d_z * (e.s - e.w)};
      b.sum(s);
      d_gamma = s[0];
    }
    double* numbers = b.numbers(i);
    const double sigma = numbers[kSigma], d_sigma = sign(sigma) * d_gamma;
    if (b.j == 0) numbers[kDSigma] = d_sigma;
    d.theta = fma(d_sigma, t.slope, d_z);
    d.w = fabs(sigma) * d_z;
  }
  __device__ __forceinline__ void join_preactivation_backward(B& b, const Tape& tape, int i) const {
    if (!kMap) return;
    b.all_barrier();
    map.backward(b, i, map_tape(tape, i));
  }

  __device__ void weight_gradients(B& b, const Tape& tape) const {
    const auto put = [this](int k, double value) { layer.put(k, value); };
    lambda_gradients(b, lambda(), tape, put);
    margin_gradients(b, g(), layer.scratch, put);
    if (kStep) step.gradients(b, tape, put);
    if (kMap)
      map.gradients(
          b, [&](int i) { return map_tape(tape, i); }, put);
  }
};

template <class B>
using UbgWalk = PaperWalk<B, true, false>;
template <class B>
using PnpWalk = PaperWalk<B, true, true>;
template <class B>
using E2eWalk = PaperWalk<B, false, true>;

}  // namespace spodnet::cuda
