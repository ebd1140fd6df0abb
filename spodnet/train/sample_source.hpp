#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "spodnet/data/mixed_dataset.hpp"

namespace spodnet {

/// Where the matrices of each epoch come from.
class SampleSource {
 public:
  virtual ~SampleSource() = default;

  virtual std::size_t count() const = 0;  ///< matrices per epoch

  /// The matrices of one epoch (counted from 0); valid until the next call. The same for the same
  /// epoch whatever was asked for before, so that a training can be resumed.
  virtual std::span<const Sample> epoch(std::uint64_t epoch, ThreadPool& pool) = 0;

  /// Names the data: two sources of one identity give the same numbers.
  virtual std::string identity(ThreadPool& pool) const = 0;
};

/// The same matrices in every epoch.
class GivenSamples final : public SampleSource {
 public:
  explicit GivenSamples(std::span<const Sample> samples) : samples_(samples) {}

  std::size_t count() const override { return samples_.size(); }
  std::span<const Sample> epoch(std::uint64_t, ThreadPool&) override { return samples_; }
  std::string identity(ThreadPool& pool) const override;  ///< digest of every number

 private:
  std::span<const Sample> samples_;
};

/// New matrices in every epoch: epoch e has the numbers first_index + e count ... of the seed's
/// sequence, S from its law (CovarianceFrom::wishart). None is ever seen twice, so there is nothing
/// to learn by heart. Memory: one epoch's.
class FreshSamples final : public SampleSource {
 public:
  explicit FreshSamples(const DataSetOptions& options) : options_(options) {}

  std::size_t count() const override { return options_.count; }
  std::span<const Sample> epoch(std::uint64_t epoch, ThreadPool& pool) override;
  std::string identity(ThreadPool& pool) const override;  ///< the options, as text

 private:
  DataSetOptions options_;
  MixedDataSet matrices_;
  std::vector<Sample> samples_;
};

}  // namespace spodnet
