#include "spodnet/train/epoch_samples.hpp"

#include <algorithm>
#include <numeric>

#include "spodnet/core/error.hpp"
#include "spodnet/core/random.hpp"
#include "spodnet/train/shared_gradient.hpp"

namespace spodnet {
namespace {

constexpr std::uint64_t kShuffleStreams = 0x73687566666C65ull
                                          << 8;  // apart from the data's streams

}  // namespace

void check_samples(const Model& model, std::span<const Sample> samples) {
  for (const Sample& sample : samples) {
    if (model.config().p > 0 && sample.p != model.config().p)
      throw Error("train: the data have p = " + std::to_string(sample.p) + ", the model p = " +
                  std::to_string(model.config().p) + ": make one of them again");
    if (!sample.S || !sample.Theta_true)
      throw Error("train: a sample has no Theta_true: training needs the true precision matrices");
  }
}

EpochSamples::EpochSamples(Engine& engine, SampleSource& source, const TrainOptions& options,
                           Group& group)
    : engine_(engine),
      source_(source),
      options_(options),
      group_(group),
      batches_((source.count() + options.batch - 1) / options.batch) {
  if (engine.device() != "cpu") ahead_.emplace(source, options.epochs);
}

void EpochSamples::begin(std::uint64_t epoch, std::uint64_t first, ThreadPool& pool) {
  order_.resize(source_.count());
  std::iota(order_.begin(), order_.end(), 0u);
  RandomStream(options_.seed, kShuffleStreams + epoch).shuffle(order_);
  if (group_.size() > 1 && engine_.device() == "cpu") {  // others upload all samples
    samples_ = source_.shapes(epoch);
    engine_.keep(samples_);
    const std::vector<char> needed = own(first);
    samples_ = source_.some_of(epoch, needed, pool);
    for (std::size_t k = 0; k < needed.size(); ++k)
      if (needed[k]) check_samples(engine_.model(), samples_.subspan(k, 1));
  } else {
    samples_ = ahead_ ? ahead_->epoch(epoch, pool) : source_.epoch(epoch, pool);
    check_samples(engine_.model(), samples_);
  }
  engine_.keep(samples_);
}

/// Which samples this process computes with, from batch `first` on; the engine has their shapes.
std::vector<char> EpochSamples::own(std::uint64_t first) const {
  std::vector<char> needed(samples_.size(), 0);
  for (std::uint64_t k = first; k < batches_; ++k) {
    const auto which = batch(k);
    const std::vector<Part> parts = engine_.parts(which, *options_.loss);
    const std::vector<int> owner = share_out(part_costs(parts, which, samples_), group_.size());
    for (std::size_t m = 0; m < parts.size(); ++m)
      if (owner[m] == group_.rank())
        for (const std::uint32_t s : which.subspan(parts[m].first, parts[m].count)) needed[s] = 1;
  }
  return needed;
}

std::span<const std::uint32_t> EpochSamples::batch(std::uint64_t k) const {
  const std::size_t first = k * options_.batch;
  const std::size_t last = std::min(first + options_.batch, order_.size());
  return std::span(order_).subspan(first, last - first);
}

}  // namespace spodnet
