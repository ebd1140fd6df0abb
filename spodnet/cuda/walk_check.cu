#include "spodnet/cuda/walk_check.cuh"

#include <algorithm>
#include <cmath>
#include <map>
#include <mutex>
#include <tuple>
#include <vector>

#include "spodnet/cuda/check.cuh"
#include "spodnet/cuda/device.hpp"

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

enum class Verdict { unknown, agrees, differs };

/// Of a kind of launches.
struct Known {
  Verdict verdict = Verdict::unknown;
  int differed = 0;
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

std::mutex verdicts_guard;
using Kind = std::tuple<int, std::string, int, bool, int, int>;
std::map<Kind, Known> verdicts;
ComparedWalks compared;

Kind kind_of(const FastWalk& fast, const Launch& launch) {
  int device = 0;
  check(cudaGetDevice(&device), "the current GPU");
  const WalkShape& shape = launch.shape;
  return {
      device, fast.name, fast.size, launch.backward, std::min(shape.layers, 2), int(shape.scaling)};
}

Verdict verdict_of(const Kind& kind) {
  const std::lock_guard lock(verdicts_guard);
  return verdicts[kind].verdict;
}

void set_verdict(const Kind& kind, Verdict verdict) {
  const std::lock_guard lock(verdicts_guard);
  Known& known = verdicts[kind];
  if (known.verdict != Verdict::unknown) return;
  if (verdict == Verdict::differs && ++known.differed < kMaxMismatches) return;
  known.verdict = verdict;
  if (verdict == Verdict::agrees) ++compared.agree;
  if (verdict != Verdict::differs) return;
  compared.refused.push_back("cuda:" + std::to_string(std::get<0>(kind)) + ": the fast walk \"" +
                             std::get<1>(kind) + "\" (size " + std::to_string(std::get<2>(kind)) +
                             ") differs from the general one and is not used");
}

}  // namespace

void run_checked(const FastWalk& fast, const Launch& launch, int p) {
  const Kind kind = kind_of(fast, launch);
  const Verdict known = verdict_of(kind);
  if (known == Verdict::agrees) return fast.run(launch, p);
  fast.general(launch, p);
  if (known == Verdict::differs) return;
  const std::vector<Written> general = written(launch);
  fast.run(launch, p);
  const Verdict verdict = compare(written(launch), general);
  set_verdict(kind, verdict);
  if (verdict != Verdict::agrees) fast.general(launch, p);
}

ComparedWalks compared_walks() {
  const std::lock_guard lock(verdicts_guard);
  return compared;
}

}  // namespace spodnet::cuda
