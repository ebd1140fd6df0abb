#pragma once

#include <future>
#include <memory>

#include "spodnet/train/sample_source.hpp"

namespace spodnet {

/// Makes the matrices of the next epoch while another device computes with this one's: two sources
/// of the same data by turns, and threads of their own. The matrices are those of the source.
/// Memory: two epochs'.
class EpochAhead {
 public:
  /// `epochs`: how many there are in all.
  EpochAhead(SampleSource& source, std::uint64_t epochs);

  /// As SampleSource::epoch.
  std::span<const Sample> epoch(std::uint64_t epoch, ThreadPool& pool);

 private:
  void begin(std::uint64_t epoch, int threads);

  SampleSource* now_;
  SampleSource* next_;  ///< null: all epochs are the same
  std::unique_ptr<SampleSource> twin_;
  std::unique_ptr<ThreadPool> team_;
  const std::uint64_t epochs_;
  std::uint64_t made_ = 0;                       ///< the epoch that `making_` makes
  std::future<std::span<const Sample>> making_;  // last: waits for the thread when destroyed
};

}  // namespace spodnet
