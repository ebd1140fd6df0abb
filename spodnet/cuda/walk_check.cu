#include "spodnet/cuda/walk_check.cuh"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "spodnet/core/error.hpp"
#include "spodnet/cuda/check.cuh"

namespace spodnet::cuda {
namespace {

constexpr double kAgreement = 1e-9;
constexpr double kSteady = 1e-12;  ///< drift of W: beyond it rounding may differ by more than that
constexpr int kMostCompared = 256;
constexpr int kMaxMismatches = 3;  ///< numbers of hostile matrices may differ by more

template <class T>
std::vector<T> from_device(const T* from, std::size_t count) {
  std::vector<T> to(count);
  check(cudaMemcpy(to.data(), from, count * sizeof(T), cudaMemcpyDeviceToHost), "comparing walks");
  return to;
}

/// What a launch has written for one matrix.
struct Written {
  Outcome outcome;
  std::vector<double> gradient, Theta, W;

  Written(const Launch& launch, const WalkProblem& problem)
      : outcome(from_device(launch.outcomes + problem.row, 1).front()) {
    const auto p = std::size_t(problem.p), n = std::size_t(launch.shape.parameters);
    if (outcome.bad) return;
    if (launch.backward) gradient = from_device(launch.gradients + std::size_t(problem.row) * n, n);
    if (problem.Theta) Theta = from_device(problem.Theta, p * p);
    if (problem.W) W = from_device(problem.W, p * p);
  }
  bool steady() const { return outcome.bad == 0 && outcome.drift <= kSteady; }
};

std::vector<Written> written(const Launch& launch) {
  const auto count = std::size_t(std::min(launch.count, kMostCompared));
  std::vector<Written> out;
  for (const WalkProblem& each : from_device(launch.problems, count))
    out.emplace_back(launch, each);
  return out;
}

/// ||a - b||^2 and ||b||^2, summed over matrices.
struct Difference {
  double error = 0, size = 0;

  void add(const std::vector<double>& a, const std::vector<double>& b) {
    for (std::size_t k = 0; k < b.size(); ++k) {
      error += (a[k] - b[k]) * (a[k] - b[k]);
      size += b[k] * b[k];
    }
  }
  bool small() const { return std::sqrt(error) <= kAgreement * std::sqrt(size); }
};

Verdict compare(const std::vector<Written>& fast, const std::vector<Written>& general) {
  Difference error, gradient, Theta, W;
  bool any = false;
  for (std::size_t k = 0; k < general.size(); ++k) {
    if (!general[k].steady()) continue;  // done again by the CPU, or nearly
    if (fast[k].outcome.bad) return Verdict::differs;
    error.add({fast[k].outcome.squared_error}, {general[k].outcome.squared_error});
    gradient.add(fast[k].gradient, general[k].gradient);
    Theta.add(fast[k].Theta, general[k].Theta);
    W.add(fast[k].W, general[k].W);
    any = true;
  }
  if (!any) return Verdict::unknown;
  const bool all = error.small() && gradient.small() && Theta.small() && W.small();
  return all ? Verdict::agrees : Verdict::differs;
}

WalkTrust::Kind kind_of(const FastWalk& fast, const Launch& launch) {
  const WalkShape& shape = launch.shape;
  return {fast.size, launch.backward, std::min(shape.layers, 2), shape.scaling};
}

}  // namespace

void WalkTrust::add(const Kind& kind, Verdict of_launch) {
  Known& known = known_[kind];
  if (of_launch == Verdict::differs && ++known.differed == kMaxMismatches)
    throw Error("device cuda+warp: the one-warp walk of up to " +
                std::to_string(std::get<0>(kind)) +
                " variables differs from the general one; use device cuda, and please report it");
  if (of_launch == Verdict::agrees) known.verdict = of_launch, any_ = true;
}

void run_checked(const FastWalk& fast, const Launch& launch, int p) {
  const WalkTrust::Kind kind = kind_of(fast, launch);
  if (launch.trust->verdict(kind) == Verdict::agrees) return fast.run(launch, p);
  fast.general(launch, p);
  const std::vector<Written> general = written(launch);
  fast.run(launch, p);
  const Verdict verdict = compare(written(launch), general);
  if (verdict != Verdict::agrees) fast.general(launch, p);
  launch.trust->add(kind, verdict);
}

}  // namespace spodnet::cuda
