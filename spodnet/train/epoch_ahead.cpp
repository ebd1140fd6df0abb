#include "spodnet/train/epoch_ahead.hpp"

#include <algorithm>
#include <utility>

namespace spodnet {

EpochAhead::EpochAhead(SampleSource& source, std::uint64_t epochs)
    : now_(&source), twin_(source.twin()), epochs_(epochs) {
  next_ = twin_.get();
}

std::span<const Sample> EpochAhead::epoch(std::uint64_t epoch, ThreadPool& pool) {
  if (!next_) return now_->epoch(epoch, pool);
  std::span<const Sample> samples;
  const bool there = making_.valid();
  if (there) samples = making_.get();
  if (there && made_ == epoch)
    std::swap(now_, next_);
  else
    samples = now_->epoch(epoch, pool);
  if (epoch + 1 < epochs_) begin(epoch + 1, pool.size());
  return samples;
}

void EpochAhead::begin(std::uint64_t epoch, int threads) {
  // The other half of the cores evaluates losses and prepares batches.
  if (!team_) team_ = std::make_unique<ThreadPool>(std::max(1, threads / 2));
  made_ = epoch;
  making_ = std::async(std::launch::async, [source = next_, team = team_.get(), epoch] {
    return source->epoch(epoch, *team);
  });
}

}  // namespace spodnet
