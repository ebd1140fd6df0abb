#include "spodnet/train/sample_source.hpp"

#include "spodnet/train/checkpoint.hpp"

namespace spodnet {

std::string GivenSamples::identity(ThreadPool& pool) const { return data_digest(samples_, pool); }

std::span<const Sample> FreshSamples::epoch(std::uint64_t epoch, ThreadPool& pool) {
  DataSetOptions options = options_;
  options.first_index += epoch * options.count;
  matrices_.clear();  // before the new ones are made: one epoch's memory, not two
  matrices_ = generate_mixed(options, pool, CovarianceFrom::wishart);
  samples_ = samples(matrices_);
  return samples_;
}

std::string FreshSamples::identity(ThreadPool&) const {
  std::string text = "fresh in every epoch: p = " + to_string(options_.p) +
                     ", n = " + to_string(options_.n) +
                     ", count = " + std::to_string(options_.count);
  for (const auto& [key, value] : dataset_info(options_)) text += ", " + key + " = " + value;
  return text;
}

}  // namespace spodnet
