#pragma once
// The kernel: whole matrices, one block each, from S to the gradient of the weights.
#include "spodnet/cuda/backward.cuh"
#include "spodnet/cuda/inverse.cuh"
#include "spodnet/cuda/layer_weights.cuh"

namespace spodnet::cuda {

/// Whether all layers write the same tape: there is no way back over it.
__device__ __forceinline__ bool one_tape(const Launch& launch) {
  return !launch.backward && !launch.keep;
}

/// What a matrix needs of global memory: what its blocks share, a tape per layer, its input Theta,
/// the rule's scratch.
struct WalkMemory {
  long shared, tape, input, scratch;

  template <class Rule>
  __host__ __device__ static WalkMemory of(const WalkShape& shape, int p, int ld, long shared) {
    return {shared, Tape::size(p, ld, Rule::tape_numbers(shape.rule)),
            shape.learn_offset ? long(p) * p : 0, long(p) * Rule::scratch_numbers(shape.rule)};
  }
  /// An even number: rows are read in pairs.
  __host__ __device__ long numbers(int layers) const {
    return (shared + layers * tape + input + scratch + 1) & ~1L;
  }
};

/// T becomes G = factor (Theta - truth); returns this thread's share of the squared error.
template <class B>
__device__ double squared_error(const B& b, const WalkProblem& problem) {
  double error = 0;
  for_entries(b, [&](int r, int c) {
    const double d = b.T(r)[c] - problem.truth[long(r) * b.p + c];
    error = fma(d, d, error);
    b.T(r)[c] = problem.factor * d;
  });
  return error;
}

/// The state of one matrix, shared by the steps below.
template <class Rule, class B>
struct Walk {
  const Launch& launch;
  const WalkShape& shape;
  const WalkProblem& problem;
  WalkMemory size;
  double* memory;
  B b;
  Rule rule;
  typename B::Matrix W;
  Outcome outcome;

  /// `own` is the memory of the matrix, `shared` what the blocks of a group meet in.
  __device__ Walk(const Launch& launch_, const WalkProblem& problem_, const WalkMemory& size_,
                  double* own, double* shared, typename B::Place place, bool resident)
      : launch(launch_),
        shape(launch_.shape),
        problem(problem_),
        size(size_),
        memory(own + size_.shared),
        b(launch_.shape, problem_.p, place, shared),
        rule(launch_.shape.rule, b, resident),
        W(b.rows(place)) {}

  /// Of layer k; an estimate needs no more than one.
  __device__ Tape tape(int k) const {
    return {memory + (one_tape(launch) ? 0 : k) * size.tape, b.p, B::tape_stride(b.p),
            Rule::tape_numbers(shape.rule)};
  }
  __device__ double* after_tapes() const {
    return memory + (one_tape(launch) ? 1 : shape.layers) * size.tape;
  }
  __device__ double* input() const { return shape.learn_offset ? after_tapes() : nullptr; }
  __device__ LayerWeights weights(int k, bool add) const {
    const long at = shape.tied ? 0 : k;
    double* gradient = launch.gradients + long(problem.row) * shape.parameters;
    return {launch.weights + at * shape.rule.size,
            launch.transposed + at * transposed_numbers(shape.rule),
            launch.backward ? gradient + at * shape.rule.size : nullptr, add,
            after_tapes() + size.input};
  }

  __device__ void forward() {
    const bool good = start<Rule::kLearnedStart>(b, W, problem, input());
    Carried carried;
    double drift = 0;
    for (int k = 0; k < shape.layers; ++k) {
      rule.begin_layer(b, problem, weights(k, false));
      forward_layer(b, W, rule, shape, problem, tape(k), carried);
      drift = Largest{}(drift, largest_drift(b, tape(k)));
      if (one_tape(launch)) b.all_barrier();
    }
    if (shape.layers > 0) last_update(b, W, carried.turn);
    double worst[2] = {drift, !good || (b.vector && carried.bad) ? 1.0 : 0.0};
    b.all_sum(worst, Largest{});
    outcome.drift = worst[0], outcome.bad = worst[1] > 0;
  }
  /// Hands out what was asked for: Theta, W, the loss.
  __device__ void finish() {
    const int p = b.p;
    if (problem.Theta)
      for_entries(b, [&](int r, int c) { problem.Theta[long(r) * p + c] = b.T(r)[c]; });
    if (problem.state)
      W.get_lower(p, [&](int r, int c, double x) {
        problem.state[long(r) * p + c] = problem.state[long(c) * p + r] = x;
      });
    if (problem.truth) {
      double error[1] = {squared_error(b, problem)};
      b.all_sum(error);
      outcome.squared_error = error[0];
    }
    if (problem.W && !outcome.bad) {
      double residual = 0;
      const bool good = certify(b, W, problem, residual);
      double worst[1] = {good ? 0.0 : 1.0}, sum[1] = {residual};
      b.all_sum(worst, Largest{});
      b.all_sum(sum);
      outcome.bad = worst[0] > 0;
      outcome.residual = sqrt(sum[0]);
    }
    block_barrier();
  }
  /// The state of a forward of its own.
  __device__ void recall() {
    const int p = b.p;
    outcome = launch.outcomes[problem.row];
    b.clear_parts();
    b.set_diag_S(problem);
    W.set(p, [&](int r, int c) { return problem.state[long(r) * p + c]; });
    for_entries(b, [&](int r, int c) { b.T(r)[c] = problem.G[long(r) * p + c]; });
    b.all_barrier();
  }
  __device__ void backward() {
    const bool reads_input = shape.learn_offset || Rule::kLearnedStart;
    for (int k = shape.layers; k-- > 0;) {
      rule.begin_layer(b, problem, weights(k, shape.tied && k + 1 < shape.layers));
      backward_layer(b, W, rule, shape, problem, tape(k), k == 0 && !reads_input);
    }
    if constexpr (Rule::kLearnedStart)
      for_entries(b, [&](int r, int c) { problem.start[long(r) * b.p + c] = b.T(r)[c]; });
    if (!shape.learn_offset) return;
    double d_offset[1] = {offset_gradient(b, input())};
    b.all_sum(d_offset);
    outcome.d_offset = d_offset[0];
  }
  __device__ void run() {
    if (launch.forward)
      forward(), finish();
    else
      recall();
    if (launch.backward && !outcome.bad) backward();
    if (b.thread() == 0) launch.outcomes[problem.row] = outcome;
  }
};

/// A block a matrix.
template <class Rule, int C>
__global__ void __launch_bounds__(32 * Block<C>::kMostWarps, C == 1   ? 6
                                                             : C == 2 ? 2
                                                                      : 1)
    walk_kernel(const __grid_constant__ Launch launch, long memory_numbers, bool resident) {
  for (int k = int(blockIdx.x); k < launch.count; k += int(gridDim.x)) {
    const WalkProblem problem = launch.problems[k];
    double* memory = launch.memory + memory_numbers * (launch.keep ? k : long(blockIdx.x));
    const WalkMemory size = WalkMemory::of<Rule>(launch.shape, problem.p, Block<C>::kLength, 0);
    Walk<Rule, Block<C>> walk(launch, problem, size, memory, memory, {}, resident);
    walk.run();
    block_barrier();
  }
}

/// A group of blocks a matrix; groups lie side by side.
template <class Rule>
__global__ void __launch_bounds__(32 * GroupBlock::kWarps, 1)
    group_kernel(const __grid_constant__ Launch launch, long memory_numbers, int blocks,
                 int resident_rows) {
  const int group = int(blockIdx.x) / blocks, groups = int(gridDim.x) / blocks;
  const GroupBlock::Place place{blocks, int(blockIdx.x) % blocks, resident_rows,
                                launch.backward || launch.keep};
  double* shared = launch.memory + memory_numbers * group;
  if (threadIdx.x == 0) GroupBlock::shared().phase = 0;
  block_barrier();
  for (int k = group; k < launch.count; k += groups) {
    const WalkProblem problem = launch.problems[k];
    const GroupLayout on(launch.shape, problem.p, blocks);
    const WalkMemory size =
        WalkMemory::of<Rule>(launch.shape, problem.p, GroupBlock::tape_stride(problem.p), on.size);
    double* own = launch.memory + memory_numbers * (launch.keep ? k : group);
    Walk<Rule, GroupBlock> walk(launch, problem, size, own, shared, place, false);
    walk.run();
    walk.b.all_barrier();
  }
}

}  // namespace spodnet::cuda
