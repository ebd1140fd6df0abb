#pragma once
// The kernel: whole matrices, one warp each, from S to the gradient of the weights. UBG.
#include "spodnet/cuda/warp_gradients.cuh"

namespace spodnet::cuda {

/// The state of one matrix; as Walk (kernel.cuh), for a warp.
template <int P>
struct WarpWalk {
  const Launch& launch;
  const WarpWeights& weights;
  const WalkProblem& problem;
  Warp<P> b;
  double* const memory;  ///< tapes of all layers but the last
  const StepOptions options;
  LaneRow<P> W;
  Outcome outcome;

  /// W = S + a I.
  __device__ __forceinline__ void set_W() {
#pragma unroll
    for (int c = 0; c < P; ++c)
      W.a[c] = b.of_global(problem.S, c) + (c == b.r && b.inside() ? problem.offset : 0.0);
  }
  /// And Theta = W^{-1}; false: not positive definite.
  __device__ __forceinline__ bool start() {
    double* theta = b.tape().theta;
    for (int k = b.r; k < P * b.kLd; k += 32) {
      const int row = k / b.kLd, c = k % b.kLd;
      theta[k] = problem.input && row < b.p && c < b.p ? problem.input[row * b.p + c] : 0.0;
    }
    __syncwarp();
    set_W();
    bool good = true;
    if (!problem.input) {
      good = invert(b, W);
#pragma unroll
      for (int c = 0; c < P; ++c)
        if (c <= b.r && b.inside()) theta[b.r * b.kLd + c] = theta[c * b.kLd + b.r] = -W.a[c];
      set_W();
    }
    __syncwarp();
    if (launch.shape.layers == 0 && b.inside())
      for (int c = 0; c <= b.r; ++c) b.shared().theta(b.r, c) = theta[b.r * b.kLd + c];
    __syncwarp();
    return good;
  }
  /// Entry (r, c) of Theta as the walk left it.
  __device__ __forceinline__ double theta(int c) const {
    const int row = max(b.r, c), column = min(b.r, c);
    return row < b.p ? b.shared().theta(row, column) : 0.0;
  }

  /// To and from global memory; the next layer's input takes its place.
  __device__ __forceinline__ double* stored_tape(int k) const {
    return memory + k * WarpTape<P>::size();
  }
  __device__ __forceinline__ void next_layer(int k) {
    double* tape = reinterpret_cast<double*>(&b.tape());
    if (launch.backward)
      for (int m = b.r; m < WarpTape<P>::size(); m += 32) stored_tape(k)[m] = tape[m];
    __syncwarp();
#pragma unroll 1
    for (int c = 0; c < b.p; ++c) b.put(b.tape().theta, c, theta(c));
    __syncwarp();
  }
  __device__ __forceinline__ void recall_layer(int k) {
    double* tape = reinterpret_cast<double*>(&b.tape());
    __syncwarp();
    for (int m = b.r; m < WarpTape<P>::size(); m += 32) tape[m] = stored_tape(k)[m];
    __syncwarp();
  }

  __device__ __forceinline__ void forward() {
    bool bad = !start();
    double drift = 0;
#pragma unroll 1
    for (int k = 0; k < launch.shape.layers; ++k) {
      forward_layer(b, W, weights, options, launch.shape.rule.kappa, problem.S, bad);
      __syncwarp();
      drift = Largest{}(drift, largest_drift(b));
      if (k + 1 < launch.shape.layers) next_layer(k);
    }
    double worst[1] = {bad ? 1.0 : 0.0};
    warp_sum(worst, Largest{});
    outcome.drift = drift, outcome.bad = worst[0] > 0;
  }

  /// Hands out what was asked for: Theta, W as the walk left it, its inverse.
  __device__ __forceinline__ void finish() {
    if (problem.Theta)
      for (int c = 0; c < b.p; ++c)
        if (b.inside()) problem.Theta[c * b.p + b.r] = theta(c);
    if (problem.state)
#pragma unroll
      for (int c = 0; c < P; ++c)
        if (c <= b.r && b.inside())
          problem.state[b.r * b.p + c] = problem.state[c * b.p + b.r] = W.a[c];
    if (problem.W && !outcome.bad) certify();
  }
  /// W = Theta^{-1} again, and ||Theta W - I||_F.
  __device__ __forceinline__ void certify() {
    LaneRow<P> A;
#pragma unroll
    for (int c = 0; c < P; ++c) A.a[c] = theta(c);
    outcome.bad = !invert(b, A);
#pragma unroll
    for (int c = 0; c < P; ++c)
      if (c <= b.r && b.inside()) problem.W[b.r * b.p + c] = problem.W[c * b.p + b.r] = -A.a[c];
    double residual = 0;
#pragma unroll 1
    for (int i = 0; i < b.p; ++i) {
      double* row = i % 2 ? b.shared().u : b.shared().x;
      b.put(row, theta(i));
      __syncwarp();
      const double d = A.product(row) + (b.r == i);
      residual = fma(d, d, residual);
    }
    outcome.residual = sqrt(warp_sum(residual));
  }

  /// G = factor (Theta - truth), and the loss.
  __device__ __forceinline__ void begin_backward(LaneRow<P>& G) {
    double error = 0;
#pragma unroll
    for (int c = 0; c < P; ++c) {
      const double d = b.inside() && c < b.p ? theta(c) - problem.truth[c * b.p + b.r] : 0.0;
      error = fma(d, d, error);
      G.a[c] = problem.factor * d;
    }
    outcome.squared_error = warp_sum(error);
    __syncwarp();  // G's terms take Theta's place
  }
  __device__ __forceinline__ void backward(LaneRow<P>& G) {
    const WalkShape& shape = launch.shape;
    const RuleAt& at = shape.rule;
#pragma unroll 1
    for (int k = shape.layers; k-- > 0;) {
      if (k + 1 < shape.layers) recall_layer(k);
      const LayerWeights layer{nullptr, nullptr,
                               launch.gradients + long(problem.row) * shape.parameters,
                               k + 1 < shape.layers, nullptr};
      const auto put = [&layer](int which, double value) { layer.put(which, value); };
      prepare_columns(b, weights, options, problem.S);
      WarpLambdaSums sums;
      backward_layer(b, W, G, weights, options, at.kappa, problem.S, k == 0, sums);
      __syncwarp();
      lambda_gradients(b.r, at, weights, sums, put);
      margin_gradients(b, at, weights, problem.S, put);
      step_gradients(b, at.gamma, put);
    }
  }
  __device__ __forceinline__ void run() {
    forward();
    finish();
    LaneRow<P> G;
    if (problem.truth) begin_backward(G);
    if (b.r == 0) launch.outcomes[problem.row] = outcome;
    if (launch.backward && problem.truth && !outcome.bad) backward(G);
  }
};

/// gamma's weights, by the whole block.
template <int P>
__device__ __forceinline__ void load_step_weights(const Launch& launch) {
  using Step = WarpStepWeights<P>;
  const MlpAt& at = launch.shape.rule.gamma;
  Step& step = *reinterpret_cast<Step*>(shared_memory);
  for (int m = int(threadIdx.x); m < int(sizeof(step.A1) / 8); m += int(blockDim.x)) {
    const int unit = m / Step::kLd, c = m % Step::kLd;
    step.A1[m] = unit < at.hidden && c < at.in ? launch.weights[at.A1 + unit * at.in + c] : 0.0;
  }
  for (int m = int(threadIdx.x); m < Step::kHidden; m += int(blockDim.x)) {
    step.b1[m] = m < at.hidden ? launch.weights[at.b1 + m] : 0.0;
    step.A2[m] = m < at.hidden ? launch.weights[at.A2 + m] : 0.0;
  }
  block_barrier();
}

/// Numbers of shared memory of so many warps.
template <int P>
__host__ __device__ constexpr int warp_shared_numbers(int warps) {
  return int(sizeof(WarpStepWeights<P>) + warps * sizeof(WarpShared<P>)) / 8;
}

template <int P>
__global__ void __launch_bounds__(32 * kWarpsOfBlock)
    warp_kernel(const __grid_constant__ Launch launch, const __grid_constant__ WarpWeights weights,
                long memory_numbers) {
  const int warp = int(threadIdx.x) / 32, lane = int(threadIdx.x) % 32;
  load_step_weights<P>(launch);
  const int first = int(blockIdx.x) * kWarpsOfBlock + warp;
  for (int k = first; k < launch.count; k += int(gridDim.x) * kWarpsOfBlock) {
    const WalkProblem& problem = launch.problems[k];
    WarpWalk<P> walk{launch,
                     weights,
                     problem,
                     {problem.p, lane, warp_shared_numbers<P>(warp)},
                     launch.memory + memory_numbers * first,
                     StepOptions(launch.shape),
                     {},
                     {}};
    walk.run();
    __syncwarp();
  }
}

}  // namespace spodnet::cuda
