#include "spodnet/cuda/learned_starts.hpp"

#include <algorithm>

namespace spodnet::cuda {

void LearnedStarts::begin(const KeptSamples& samples, std::span<const std::uint32_t> which,
                          std::span<WalkProblem> problems, bool back, ThreadPool& team) {
  all_.resize(problems.size());
  numbers_ = 0;
  for (std::size_t k = 0; k < problems.size(); ++k) {
    const KeptSamples::One& kept = samples[which[k]];
    all_[k].sample = {.S = kept.host_S, .p = kept.p, .n = kept.n};
    all_[k].row = std::size_t(problems[k].row), all_[k].at = numbers_;
    numbers_ += kept.p * kept.p;
  }
  staged_.reserve(numbers_ * sizeof(double));
  if (all_.size() < std::size_t(team.size()))
    for (std::size_t k = 0; k < all_.size(); ++k) make(samples[which[k]], all_[k], back, &team);
  else
    team.run(all_.size(),
             [&](std::size_t k, int) { make(samples[which[k]], all_[k], back, nullptr); });
  matrices_.reserve(numbers_ * sizeof(double));
  matrices_.upload(staged_.get(), numbers_ * sizeof(double));
  for (std::size_t k = 0; k < problems.size(); ++k)
    problems[k].start = matrices_.numbers() + all_[k].at;
}

void LearnedStarts::make(const KeptSamples::One& kept, One& one, bool back, ThreadPool* pool) {
  const std::vector<double>& values = model_.parameters().values;
  const double* W = start_.forward(values.data() + values.size() - terms_, one.sample,
                                   kept.summary.data(), one.tape, pool);
  std::copy_n(W, kept.p * kept.p, staged_.numbers() + one.at);
  one.tape.W = {}, one.tape.lower = {}, one.tape.eigen.A = {};  // not read again
  if (!back) one.tape = {};
}

std::vector<double> LearnedStarts::gradients(std::size_t rows, std::span<const Outcome> outcomes,
                                             ThreadPool& team) {
  std::vector<double> out(rows * terms_, 0.0);
  matrices_.download(staged_.get(), numbers_ * sizeof(double));
  team.run(all_.size(), [&](std::size_t k, int) {
    One& one = all_[k];
    if (outcomes[one.row].bad) return;
    AdjointState adjoint(one.sample.p);
    adjoint.assign(staged_.numbers() + one.at);
    start_.backward(adjoint, one.sample, one.tape, &out[one.row * terms_]);
  });
  return out;
}

}  // namespace spodnet::cuda
