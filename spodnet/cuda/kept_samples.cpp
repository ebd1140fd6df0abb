#include "spodnet/cuda/kept_samples.hpp"

#include <algorithm>

namespace spodnet::cuda {
namespace {

constexpr std::size_t kStagedNumbers = std::size_t(1) << 23;  ///< copied to the device at a time

double squared_norm(const double* x, std::size_t n) {
  double s = 0;
  for (std::size_t k = 0; k < n; ++k) s += x[k] * x[k];
  return s;
}

}  // namespace

void KeptSamples::keep(std::span<const Sample> samples, const Entrance& entrance,
                       ThreadPool& team) {
  all_.assign(samples.size(), {});
  inputs_.clear();
  walked_ = 0, ++version_;
  framed_truths_.assign(entrance.framed ? samples.size() : 0, {});
  host_S_.assign(entrance.started ? samples.size() : 0, {});
  std::size_t total = 0;
  for (std::size_t k = 0; k < samples.size(); ++k) {
    const std::size_t size = samples[k].p * samples[k].p;
    all_[k].S = total;
    all_[k].truth = total + (samples[k].Theta_true ? size : 0);
    total = all_[k].truth + size;
  }
  matrices_.reserve(total * sizeof(double));
  std::vector<double> staged, summaries(samples.size() * kSummaryNumbers);
  std::vector<FramedSample> framed(std::size_t(team.size()));
  for (std::size_t first = 0, end; first < samples.size(); first = end) {
    const std::size_t from = all_[first].S;
    for (end = first + 1; end < samples.size() && all_[end].S - from < kStagedNumbers;) ++end;
    const std::size_t to = end < samples.size() ? all_[end].S : total;
    staged.resize(to - from);
    team.run(end - first, [&](std::size_t at, int worker) {
      const std::size_t k = first + at, size = samples[k].p * samples[k].p;
      const Sample& in = entrance.framed
                             ? framed[std::size_t(worker)].enter(samples[k], entrance.standardized)
                             : samples[k];
      One& one = all_[k];
      one.p = in.p, one.n = in.n, one.constrained = in.constraints != nullptr;
      std::copy_n(in.S, size, staged.data() + one.S - from);
      if (entrance.started) {
        host_S_[k].assign(in.S, in.S + size);
        one.host_S = host_S_[k].data();
      }
      if (in.Theta_true) {
        std::copy_n(in.Theta_true, size, staged.data() + one.truth - from);
        one.squared_truth = squared_norm(in.Theta_true, size);
        if (entrance.framed) framed_truths_[k].assign(in.Theta_true, in.Theta_true + size);
        one.host_truth = entrance.framed ? framed_truths_[k].data() : in.Theta_true;
      }
      if (entrance.summary) {
        one.summary = summarize(in.S, in.p);
        std::copy(one.summary.begin(), one.summary.end(), &summaries[k * kSummaryNumbers]);
      }
    });
    matrices_.upload(staged.data(), staged.size() * sizeof(double), from * sizeof(double));
  }
  if (!entrance.summary || samples.empty()) return;
  summaries_.reserve(summaries.size() * sizeof(double));
  summaries_.upload(summaries.data(), summaries.size() * sizeof(double));
}

bool KeptSamples::count_walked(std::size_t rows) {
  const bool before = walked_ >= all_.size();
  walked_ += rows;
  return !before && walked_ >= all_.size();
}

double* KeptSamples::room_for_inputs() {
  std::size_t total = 0;
  for (const One& one : all_) total += one.p * one.p;
  input_matrices_.reserve(total * sizeof(double));
  return input_matrices_.numbers();
}

}  // namespace spodnet::cuda
