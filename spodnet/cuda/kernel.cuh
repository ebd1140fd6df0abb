#pragma once
// The kernel: whole matrices, one block each, from S to the gradient of the weights.
#include "spodnet/cuda/backward.cuh"
#include "spodnet/cuda/layer_weights.cuh"

namespace spodnet::cuda {

/// What a matrix needs of global memory: a tape per layer, its input Theta, the rule's scratch.
struct WalkMemory {
  long tape, input, scratch;

  template <class Rule>
  __host__ __device__ static WalkMemory of(const WalkShape& shape, int p, int ld) {
    return {Tape::size(p, ld, Rule::tape_numbers(shape.rule)), shape.learn_offset ? long(p) * p : 0,
            long(p) * Rule::scratch_numbers(shape.rule)};
  }
  __host__ __device__ long numbers(int layers) const { return layers * tape + input + scratch; }
};

/// The sum over the block, in every thread.
template <int C>
__device__ double block_sum(Block<C>& b, double x) {
  double* sums = b.shared().row;
  x = warp_sum(x);
  block_barrier();
  if (b.lane == 0) sums[b.warp] = x;
  block_barrier();
  return strided_sum(sums, b.threads() / 32, 1);
}

/// Inverts a positive definite tile, up to its sign: all p pivots, called by the whole block.
/// Returns whether every pivot was positive and finite.
template <int C>
__device__ __noinline__ bool invert(Tile<C>& held, int p) {
  Tile<C> A = held;
  bool good = true;
#pragma unroll 1
  for (int i = 0; i < p; ++i) {
    double* r = Block<C>::shared().row + (i & 1) * Block<C>::kLength;
    A.get_row(i, r);
    block_barrier();
    good = good && r[i] > 0 && r[i] < 1e300;
    if (A.mine) A.pivot(i, r);
  }
  block_barrier();
  held = A;
  return good;
}

/// W = S + a I in the tile, Theta = W^{-1} in the block's T; false: not positive definite.
template <int C>
__device__ bool start(Block<C>& b, Tile<C>& W, const Problem& problem, double* input) {
  const int p = b.p;
  const auto entry = [&](int r, int c) {
    return problem.S[long(r) * p + c] + (r == c ? problem.offset : 0.0);
  };
  b.clear_parts();
  if (b.vector) b.shared().diag_S[b.j] = b.inside ? problem.S[long(b.j) * p + b.j] : 0.0;
  W.set(p, entry);
  const bool good = invert(W, p);
  W.get_lower(p, [&](int r, int c, double x) {
    b.T(r)[c] = b.T(c)[r] = -x;
    if (input) input[long(r) * p + c] = input[long(c) * p + r] = -x;
  });
  W.set(p, entry);
  W.get_row(0, b.shared().row);
  block_barrier();
  return good;
}

/// T becomes G = factor (Theta - truth); returns this thread's share of the squared error.
template <int C>
__device__ double squared_error(Block<C>& b, const Problem& problem) {
  double error = 0;
  for (int r = b.warp; r < b.p; r += b.threads() / 32)
    for (int c = b.lane; c < b.p; c += 32) {
      const double d = b.T(r)[c] - problem.truth[long(r) * b.p + c];
      error = fma(d, d, error);
      b.T(r)[c] = problem.factor * d;
    }
  return error;
}

/// W = Theta^{-1} anew, and this thread's share of ||Theta W - I||_F^2.
template <int C>
__device__ bool certify(Block<C>& b, Tile<C>& W, const Problem& problem, double& residual) {
  Shared<C>& shared = b.shared();
  const int p = b.p;
  W.set(p, [&](int r, int c) { return b.T(r)[c]; });
  const bool good = invert(W, p);
  W.get_lower(p, [&](int r, int c, double x) {
    problem.W[long(r) * p + c] = problem.W[long(c) * p + r] = -x;
  });
  residual = 0;
  for (int i = 0; i < p; ++i) {
    if (b.vector) shared.x[b.j] = b.inside ? b.T(i)[b.j] : 0.0;
    block_barrier();
    if (W.mine) W.product(shared.x, shared.parts[0]);
    block_barrier();
    if (b.vector && b.inside) {
      const double d = b.product(b.j) + (b.j == i);
      residual = fma(d, d, residual);
    }
  }
  block_barrier();
  return good;
}

/// One matrix on its way: what the steps below share.
template <class Rule, int C>
struct Walk {
  const Launch& launch;
  const WalkShape& shape;
  const Problem& problem;
  double* memory;
  WalkMemory size;
  Block<C> b;
  Rule rule;
  Tile<C> W;
  Outcome outcome;

  __device__ Walk(const Launch& launch_, const Problem& problem_, double* memory_, bool resident)
      : launch(launch_),
        shape(launch_.shape),
        problem(problem_),
        memory(memory_),
        size(WalkMemory::of<Rule>(launch_.shape, problem_.p, Block<C>::kLength)),
        b(problem_.p),
        rule(launch_.shape.rule, b, resident),
        W(b.warp - C, b.warps, b.lane) {}

  __device__ Tape tape(int k) const {
    return {memory + k * size.tape, b.p, b.kLength, Rule::tape_numbers(shape.rule)};
  }
  __device__ double* input() const {
    return shape.learn_offset ? memory + shape.layers * size.tape : nullptr;
  }
  __device__ LayerWeights weights(int k, bool add) const {
    const long at = shape.tied ? 0 : k;
    double* gradient = launch.gradients + long(problem.row) * shape.parameters;
    return {launch.weights + at * shape.rule.size,
            launch.transposed + at * transposed_numbers(shape.rule),
            launch.backward ? gradient + at * shape.rule.size : nullptr, add,
            memory + shape.layers * size.tape + size.input};
  }

  __device__ void forward() {
    const bool good = start(b, W, problem, input());
    Carried carried;
    double drift = 0;
    for (int k = 0; k < shape.layers; ++k) {
      rule.begin_layer(b, weights(k, false));
      forward_layer(b, W, rule, shape, problem, tape(k), carried);
      const double of_layer = largest_drift(b, tape(k));
      if (!(of_layer <= drift)) drift = of_layer;
    }
    outcome.bad = __syncthreads_or(!good || (b.vector && carried.bad));
    if (b.lane == 0) b.shared().row[b.warp] = drift;
    block_barrier();
    for (int k = 0; k < b.threads() / 32; ++k)
      if (!(b.shared().row[k] <= outcome.drift)) outcome.drift = b.shared().row[k];
    block_barrier();
  }
  /// Hands out what was asked for: Theta, W, the loss.
  __device__ void finish() {
    const int p = b.p;
    if (problem.Theta)
      for (int r = b.warp; r < p; r += b.threads() / 32)
        for (int c = b.lane; c < p; c += 32) problem.Theta[long(r) * p + c] = b.T(r)[c];
    if (problem.state)
      W.get_lower(p, [&](int r, int c, double x) {
        problem.state[long(r) * p + c] = problem.state[long(c) * p + r] = x;
      });
    if (problem.truth) outcome.squared_error = block_sum(b, squared_error(b, problem));
    if (problem.W && !outcome.bad) {
      double residual = 0;
      const bool good = certify(b, W, problem, residual);
      outcome.bad = __syncthreads_or(!good);
      outcome.residual = sqrt(block_sum(b, residual));
    }
    block_barrier();
  }
  /// The state of a forward of its own.
  __device__ void recall() {
    const int p = b.p;
    outcome = launch.outcomes[problem.row];
    b.clear_parts();
    W.set(p, [&](int r, int c) { return problem.state[long(r) * p + c]; });
    for (int r = b.warp; r < p; r += b.threads() / 32)
      for (int c = b.lane; c < p; c += 32) b.T(r)[c] = problem.G[long(r) * p + c];
    block_barrier();
  }
  __device__ void backward() {
    for (int k = shape.layers; k-- > 0;) {
      const bool last = k + 1 == shape.layers;
      rule.begin_layer(b, weights(k, shape.tied && !last));
      backward_layer(b, W, rule, shape, problem, tape(k), last, k == 0 && !shape.learn_offset);
    }
    if (shape.learn_offset) outcome.d_offset = block_sum(b, offset_gradient(b, input()));
  }
  __device__ void run() {
    if (launch.forward)
      forward(), finish();
    else
      recall();
    if (launch.backward && !outcome.bad) backward();
    if (b.tid == 0) launch.outcomes[problem.row] = outcome;
  }
};

template <class Rule, int C>
__global__ void __launch_bounds__(32 * Block<C>::kMostWarps, C == 1   ? 6
                                                             : C == 2 ? 2
                                                                      : 1)
    walk_kernel(const __grid_constant__ Launch launch, long memory_numbers, bool resident) {
  for (int k = int(blockIdx.x); k < launch.count; k += int(gridDim.x)) {
    const Problem problem = launch.problems[k];
    double* memory = launch.memory + memory_numbers * (launch.keep ? k : long(blockIdx.x));
    Walk<Rule, C> walk(launch, problem, memory, resident);
    walk.run();
    block_barrier();
  }
}

}  // namespace spodnet::cuda
