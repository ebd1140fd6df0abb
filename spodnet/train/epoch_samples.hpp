#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "spodnet/train/epoch_ahead.hpp"
#include "spodnet/train/trainer.hpp"

namespace spodnet {

/// Throws Error for samples that the model cannot be trained on.
void check_samples(const Model& model, std::span<const Sample> samples);

/// The matrices of one epoch, shuffled by the stream (seed, epoch) and cut into batches. A process
/// of a group has only those of its own parts drawn where they are new in every epoch.
class EpochSamples {
 public:
  EpochSamples(Engine& engine, SampleSource& source, const TrainOptions& options, Group& group);

  /// Gives the engine the samples of an epoch of which `first` batches are done already.
  void begin(std::uint64_t epoch, std::uint64_t first, ThreadPool& pool);

  std::size_t batches() const { return batches_; }
  std::span<const std::uint32_t> batch(std::uint64_t k) const;  ///< indices into all()
  std::span<const Sample> all() const { return samples_; }

 private:
  std::vector<char> own(std::uint64_t first) const;

  Engine& engine_;
  SampleSource& source_;
  std::optional<EpochAhead> ahead_;  ///< where the host's cores are free while the engine computes
  const TrainOptions& options_;
  Group& group_;
  const std::size_t batches_;
  std::span<const Sample> samples_;
  std::vector<std::uint32_t> order_;
};

}  // namespace spodnet
