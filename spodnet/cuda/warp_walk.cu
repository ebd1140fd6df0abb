#include "spodnet/cuda/warp_walk.cuh"

#include "spodnet/cuda/warp_kernel.cuh"

namespace spodnet::cuda {
namespace {

/// The weights of g and lambda, from the host's copy.
WarpWeights weights_of(const RuleAt& at, const double* weights) {
  WarpWeights to;
  std::copy_n(weights + at.g_A[0], 9, to.A0), std::copy_n(weights + at.g_b[0], 3, to.b0);
  std::copy_n(weights + at.g_A[1], 9, to.A1), std::copy_n(weights + at.g_b[1], 3, to.b1);
  std::copy_n(weights + at.g_A[2], 3, to.A2), to.b2 = weights[at.g_b[2]];
  std::copy_n(weights + at.B1, WarpWeights::kLambda, to.B1);
  std::copy_n(weights + at.c1, WarpWeights::kLambda, to.c1);
  std::copy_n(weights + at.B2, WarpWeights::kLambda, to.B2);
  to.c2 = weights[at.c2], to.gamma_b2 = weights[at.gamma.b2];
  return to;
}

/// The kernel of one size.
template <int P>
struct WarpKernel {
  static constexpr int kMostP = P, kBytes = 8 * warp_shared_numbers<P>(kWarpsOfBlock);

  static long memory(const WalkShape& shape, bool backward) {
    return backward ? std::max(0, shape.layers - 1) * WarpTape<P>::size() : 0;
  }
  static int at_once() {
    static OccupancyOf known;
    return kWarpsOfBlock * known.blocks(warp_kernel<P>, 32 * kWarpsOfBlock, kBytes);
  }
  static void run(const Launch& launch) {
    const int most = at_once() / kWarpsOfBlock;
    const int wanted = (launch.count + kWarpsOfBlock - 1) / kWarpsOfBlock;
    launch_kernel(warp_kernel<P>,
                  {.blocks = unsigned(std::min(wanted, most)),
                   .threads = 32 * kWarpsOfBlock,
                   .shared_bytes = kBytes},
                  launch, weights_of(launch.shape.rule, launch.host_weights),
                  memory(launch.shape, launch.backward));
  }
};

/// f(kernel) of the least size that holds p. Twenty is a size of its own: the paper's.
template <class F>
auto of_size(int p, F f) {
  if (p <= 8) return f(WarpKernel<8>());
  if (p <= 16) return f(WarpKernel<16>());
  if (p <= 20) return f(WarpKernel<20>());
  if (p <= 24) return f(WarpKernel<24>());
  return f(WarpKernel<32>());
}

}  // namespace

bool WarpLauncher::fits(const WalkShape& shape, int p) {
  const RuleAt& at = shape.rule;
  if (at.kind != RuleKind::ubg || p < 1 || p > kWarpWalkMostP || shape.learn_offset) return false;
  if (at.g_hidden != WarpWeights::kMargin || at.lambda_hidden != WarpWeights::kLambda) return false;
  if (shape.parameters != at.size) return false;  // layers with weights of their own
  return of_size(p, [&](auto kernel) {
    return at.gamma.hidden <= kernel.kMostP / 2 && kernel.kBytes <= DeviceLimits().shared_bytes;
  });
}
long WarpLauncher::memory(const WalkShape& shape, int p, bool backward) {
  return of_size(p, [&](auto kernel) { return kernel.memory(shape, backward); });
}
int WarpLauncher::at_once(int p) {
  return of_size(p, [](auto kernel) { return kernel.at_once(); });
}
void WarpLauncher::run(const Launch& launch, int p) {
  of_size(p, [&](auto kernel) { kernel.run(launch); });
}

bool warp_walk_takes(const Launch& launch, int p) {
  return launch.forward && !launch.keep && launch.host_weights &&
         WarpLauncher::fits(launch.shape, p);
}

}  // namespace spodnet::cuda
