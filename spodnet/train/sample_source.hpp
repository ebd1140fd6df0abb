#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "spodnet/generate/mixed_dataset.hpp"

namespace spodnet {

/// Where the matrices of each epoch come from.
class SampleSource {
 public:
  virtual ~SampleSource() = default;

  virtual std::size_t count() const = 0;  ///< matrices per epoch

  /// The matrices of one epoch (counted from 0); valid until the next call. The same for the same
  /// epoch whatever was asked for before, so that a training can be resumed.
  virtual std::span<const Sample> epoch(std::uint64_t epoch, ThreadPool& pool) = 0;

  /// The same where only the matrices k with needed[k] != 0 will be read: the others may have their
  /// p and n alone, S null.
  virtual std::span<const Sample> some_of(std::uint64_t epoch, std::span<const char> needed,
                                          ThreadPool& pool) = 0;

  /// p and n of all of them, which cost less than the matrices; as for some_of with none needed.
  virtual std::span<const Sample> shapes(std::uint64_t epoch) = 0;

  /// Another source of the same data, so that one epoch can be made while another one is in use;
  /// null where all epochs are the same.
  virtual std::unique_ptr<SampleSource> twin() const { return nullptr; }

  /// Names the data: two sources of one identity give the same numbers.
  virtual std::string identity(ThreadPool& pool) const = 0;

  /// What a model trained on it says of its data: n, p, ... where they are known.
  virtual std::map<std::string, std::string> describe() const = 0;
};

/// The same matrices in every epoch.
class GivenSamples final : public SampleSource {
 public:
  explicit GivenSamples(std::span<const Sample> samples) : samples_(samples) {}

  std::size_t count() const override { return samples_.size(); }
  std::span<const Sample> epoch(std::uint64_t, ThreadPool&) override { return samples_; }
  std::span<const Sample> some_of(std::uint64_t, std::span<const char>, ThreadPool&) override {
    return samples_;
  }
  std::span<const Sample> shapes(std::uint64_t) override { return samples_; }
  std::string identity(ThreadPool& pool) const override;  ///< digest of every number
  std::map<std::string, std::string> describe() const override;

 private:
  std::span<const Sample> samples_;
};

/// New matrices in every epoch: epoch e has the numbers first_index + e count ... of the seed's
/// sequence, S from its law (CovarianceFrom::wishart). None is ever seen twice, so there is nothing
/// to memorise. Memory: one epoch's.
class FreshSamples final : public SampleSource {
 public:
  explicit FreshSamples(const DataSetOptions& options) : options_(options) {}

  std::size_t count() const override { return options_.count; }
  std::span<const Sample> epoch(std::uint64_t epoch, ThreadPool& pool) override;
  std::span<const Sample> some_of(std::uint64_t epoch, std::span<const char> needed,
                                  ThreadPool& pool) override;
  std::span<const Sample> shapes(std::uint64_t epoch) override;
  std::unique_ptr<SampleSource> twin() const override {
    return std::make_unique<FreshSamples>(options_);
  }
  std::string identity(ThreadPool& pool) const override;  ///< the options, as text
  std::map<std::string, std::string> describe() const override;

 private:
  DataSetOptions of_epoch(std::uint64_t epoch) const;

  DataSetOptions options_;
  MixedDataSet matrices_;
  std::vector<Sample> samples_;
};

/// How generated data are named in a model file: alpha, generator, n, ..., and p where it varies.
std::map<std::string, std::string> describe_data(const DataSetOptions& options);

}  // namespace spodnet
